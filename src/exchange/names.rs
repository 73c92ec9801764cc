//! Names as each format allows them: cut by its rule, unique in the file, and the same in every export.
//!
//! A name that a format cannot carry whole ends with three characters made from the whole name, so that it does
//! not depend on which other routes are exported, and a second export replaces the first in the receiver.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

/// What a format allows in a name.
#[derive(Clone, Copy, Debug)]
pub struct NameRule {
    /// Characters at most.
    pub longest: usize,
    /// Upper-case letters only.
    pub upper_case: bool,
    /// Which characters may stand in it.
    pub allows: fn(char) -> bool,
    /// What replaces one that may not; `None` drops it.
    pub instead: Option<char>,
    /// Must it begin with a letter?
    pub letter_first: bool,
    /// Whether characters outside ASCII are spelt in ASCII (ä as ae).
    pub ascii: bool,
}

/// The name of each route in the file, in order: cut by `rule`, each different from the others.
pub fn file_names<'a>(names: impl IntoIterator<Item = &'a str>, rule: &NameRule) -> Vec<String> {
    let mut taken = HashSet::new();
    names
        .into_iter()
        .map(|name| {
            let mut attempt = 0;
            loop {
                let candidate = cut(name, rule, attempt);
                // Receivers and file systems may not tell cases apart.
                if taken.insert(candidate.to_lowercase()) {
                    return candidate;
                }
                attempt += 1;
            }
        })
        .collect()
}

/// `name` by `rule`; attempts above 0 are for names that another route has taken.
fn cut(name: &str, rule: &NameRule, attempt: usize) -> String {
    let spelt = if rule.ascii {
        spelt_in_ascii(name)
    } else {
        name.to_owned()
    };
    let mut kept = String::new();
    for c in spelt.trim().chars() {
        let c = if rule.upper_case {
            c.to_ascii_uppercase()
        } else {
            c
        };
        if (rule.allows)(c) {
            kept.push(c);
        } else {
            kept.extend(rule.instead);
        }
    }
    if kept.is_empty()
        || (rule.letter_first && !kept.starts_with(|c: char| c.is_ascii_alphabetic()))
    {
        kept.insert(0, 'R');
    }
    if attempt == 0 && kept.chars().count() <= rule.longest {
        return kept;
    }
    let mark = mark_of(name, attempt, rule.upper_case);
    let stem: String = kept
        .chars()
        .take(rule.longest.saturating_sub(mark.len()))
        .collect();
    stem + &mark
}

/// Three characters of 0-9 and A-Z (or a-z) made from a name.
fn mark_of(name: &str, attempt: usize, upper_case: bool) -> String {
    let mut hash = Sha256::new();
    hash.update(name.as_bytes());
    hash.update(attempt.saturating_sub(1).to_le_bytes());
    hash.finalize()[..3]
        .iter()
        .filter_map(|byte| char::from_digit(u32::from(*byte) % 36, 36))
        .map(|c| {
            if upper_case {
                c.to_ascii_uppercase()
            } else {
                c
            }
        })
        .collect()
}

/// Text in ASCII: letters of European languages by their usual spelling, all else as `_`.
pub fn spelt_in_ascii(text: &str) -> String {
    let mut spelt = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => spelt.push(c),
            'ä' | 'æ' => spelt.push_str("ae"),
            'ö' | 'œ' => spelt.push_str("oe"),
            'ø' | 'ò'..='õ' => spelt.push('o'),
            'ü' => spelt.push_str("ue"),
            'Ä' | 'Æ' => spelt.push_str("Ae"),
            'Ö' | 'Œ' => spelt.push_str("Oe"),
            'Ø' | 'Ò'..='Õ' => spelt.push('O'),
            'Ü' => spelt.push_str("Ue"),
            'ß' => spelt.push_str("ss"),
            'à'..='å' => spelt.push('a'),
            'À'..='Å' => spelt.push('A'),
            'ç' => spelt.push('c'),
            'Ç' => spelt.push('C'),
            'è'..='ë' => spelt.push('e'),
            'È'..='Ë' => spelt.push('E'),
            'ì'..='ï' => spelt.push('i'),
            'Ì'..='Ï' => spelt.push('I'),
            'ñ' => spelt.push('n'),
            'Ñ' => spelt.push('N'),
            'ù'..='û' => spelt.push('u'),
            'Ù'..='Û' => spelt.push('U'),
            _ => spelt.push('_'),
        }
    }
    spelt
}

/// Names of files: what every system takes.
pub const FILE_NAME: NameRule = NameRule {
    longest: 100,
    upper_case: false,
    allows: |c| !c.is_control() && !r#"<>:"/\|?*"#.contains(c),
    instead: Some('_'),
    letter_first: false,
    ascii: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    const VDA: NameRule = NameRule {
        longest: 8,
        upper_case: true,
        allows: |c| c.is_ascii_uppercase() || c.is_ascii_digit(),
        instead: None,
        letter_first: true,
        ascii: true,
    };

    #[test]
    fn names_that_fit_stay() {
        assert_eq!(
            file_names(["W17", "w 18", "17"], &VDA),
            ["W17", "W18", "R17"]
        );
        assert_eq!(file_names(["a/b:c"], &FILE_NAME), ["a_b_c"]);
    }

    #[test]
    fn long_names_are_cut_the_same_whatever_else_is_exported() {
        let names = ["Kabelbaum Türe links", "Kabelbaum Türe rechts", "KABELBAU"];
        let all = file_names(names, &VDA);
        assert!(all.iter().all(|n| n.len() == 8), "{all:?}");
        assert!(all[0].starts_with("KABEL") && all[0] != all[1]);
        for (name, in_all) in names.iter().zip(&all) {
            assert_eq!(file_names([*name], &VDA), std::slice::from_ref(in_all));
        }
    }

    #[test]
    fn clashes_are_resolved() {
        let names = file_names(["W1", "w1", "W-1", "Ä", "Ae", "", "§"], &VDA);
        let distinct: HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert_eq!(names[0], "W1");
    }
}
