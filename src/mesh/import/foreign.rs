//! Formats of CAD systems that are not read: recognised, so that the user is told what to do in that system.

/// What it is, and what to do.
type Advice = (&'static str, &'static str);

const IGES: Advice = (
    "an IGES file",
    "its curves can be read with import-routes; for solids and surfaces export STEP (AP214 or AP242) instead",
);
const JT: Advice = (
    "a JT file",
    "export STEP from NX or Teamcenter (File > Export > STEP), or STL from a JT viewer",
);
const CATPART: Advice = (
    "a CATIA V5 CATPart or CATProduct",
    "in CATIA save it as stp (File > Save As, type stp; options: AP214 or AP242)",
);
const CGR: Advice = (
    "a CATIA CGR file, which holds graphics only",
    "open the CATPart or CATProduct it was made of and save that as stp, or save it as wrl",
);
const SOLIDWORKS: Advice = (
    "a SolidWorks part or assembly",
    "in SolidWorks save it as STEP AP214 (File > Save As, type *.step)",
);
const COMPOUND: Advice = (
    "a file of SolidWorks, Inventor or another Windows program",
    "in that program save or export it as STEP",
);
const PARASOLID: Advice = (
    "a Parasolid file",
    "in NX, Solid Edge or SolidWorks export the part as STEP (AP214 or AP242)",
);
const CREO: Advice = (
    "a Creo part or assembly",
    "in Creo save a copy as STEP (File > Save As > Save a Copy, type STEP)",
);

/// A format of a CAD system by how its files begin.
pub fn by_content(bytes: &[u8]) -> Option<Advice> {
    let start = &bytes[..bytes.len().min(4096)];
    let has = |word: &[u8]| contains(start, word);
    if start.starts_with(b"V5_CFV2") {
        return Some(if contains(bytes, b"CATCGRCont") {
            CGR
        } else {
            CATPART
        });
    }
    if start.starts_with(b"Version") && contains(&start[..start.len().min(80)], b"JT") {
        return Some(JT);
    }
    if start.starts_with(b"**") && (has(b"PARASOLID") || has(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        return Some(PARASOLID);
    }
    if start.starts_with(b"#UGC:") {
        return Some(CREO);
    }
    if start.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        let wide: Vec<u8> = "SolidWorks".bytes().flat_map(|b| [b, 0]).collect();
        let is_solidworks = contains(bytes, b"SolidWorks") || contains(bytes, &wide);
        return Some(if is_solidworks { SOLIDWORKS } else { COMPOUND });
    }
    // Lines of 80 columns with the section and its line number at the end.
    let section = start.get(72..80)?;
    let is_iges = section[0] == b'S'
        && section[1..]
            .iter()
            .all(|b| b.is_ascii_digit() || *b == b' ')
        && section[7].is_ascii_digit();
    is_iges.then_some(IGES)
}

/// A format of a CAD system by its extension, where the content says nothing.
pub fn by_extension(extension: &str) -> Option<Advice> {
    Some(match extension {
        "catpart" | "catproduct" => CATPART,
        "cgr" => CGR,
        "jt" => JT,
        "sldprt" | "sldasm" => SOLIDWORKS,
        "x_t" | "x_b" | "xmt_txt" => PARASOLID,
        "igs" | "iges" => IGES,
        _ => return None,
    })
}

/// Whether `word` stands anywhere in `bytes`.
pub fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|w| w == word)
}
