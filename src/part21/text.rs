//! Texts as a file codes them.

/// A text without its control directives: `\X2\`, `\X4\`, `\X\`, `\S\`, `\\`.
pub fn decoded(coded: &str) -> String {
    let mut plain = String::new();
    let mut rest = coded;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let wide = |prefix: &str, width: usize| {
            let body = rest.strip_prefix(prefix)?;
            let end = body.find("\\X0\\")?;
            let units: Vec<u32> = body.as_bytes()[..end]
                .chunks(width)
                .filter_map(|c| u32::from_str_radix(std::str::from_utf8(c).ok()?, 16).ok())
                .collect();
            Some((units, &body[end + 4..]))
        };
        if let Some((units, after)) = wide("\\X2\\", 4) {
            let units: Vec<u16> = units.into_iter().map(|u| u as u16).collect();
            plain.push_str(&String::from_utf16_lossy(&units));
            rest = after;
        } else if let Some((units, after)) = wide("\\X4\\", 8) {
            plain.extend(units.into_iter().filter_map(char::from_u32));
            rest = after;
        } else if let Some(body) = rest.strip_prefix("\\X\\") {
            let byte = body.get(..2).and_then(|h| u8::from_str_radix(h, 16).ok());
            plain.extend(byte.map(char::from));
            rest = body.get(2..).unwrap_or("");
        } else if let Some(body) = rest.strip_prefix("\\S\\") {
            let mut chars = body.chars();
            plain.extend(chars.next().map(|c| char::from((c as u8) | 0x80)));
            rest = chars.as_str();
        } else {
            plain.push('\\');
            rest = rest.strip_prefix("\\\\").unwrap_or(&rest[1..]);
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_directives_are_decoded() {
        assert_eq!(decoded("\\S\\Dx\\X\\E4"), "Äxä");
        assert_eq!(decoded("a\\X2\\00C4\\X0\\b\\\\"), "aÄb\\");
    }
}
