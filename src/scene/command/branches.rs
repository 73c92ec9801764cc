//! Branches of a part as people and files name them: counted from 1, or by name.

use serde::{Deserialize, Deserializer, Serializer};

/// The branch, counted from 0, that a text names: "3", "B3", or the name of its cable, such as "loom B3".
pub fn parse(text: &str) -> Result<usize, String> {
    let last = text.split_whitespace().next_back().unwrap_or(text);
    let digits = last.strip_prefix(['B', 'b']).unwrap_or(last);
    match digits.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number - 1),
        _ => Err(format!(
            "\"{text}\" is no branch; give its number, counted from 1, or its name, such as B1"
        )),
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    Number(usize),
    Name(String),
}

/// Writes branches counted from 1.
pub fn serialize<S: Serializer>(branches: &[usize], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(branches.iter().map(|b| b + 1))
}

/// Reads branches counted from 1, or their names.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let named = Vec::<Named>::deserialize(deserializer)?;
    let number = |named: Named| match named {
        Named::Number(number) => parse(&number.to_string()),
        Named::Name(name) => parse(&name),
    };
    let numbers = named.into_iter().map(number).collect::<Result<_, _>>();
    numbers.map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::super::Command;
    use super::parse;

    #[test]
    fn branches_count_from_one_and_have_names() {
        assert_eq!(parse("1"), Ok(0));
        assert_eq!(parse("B12"), Ok(11));
        assert_eq!(parse("engine loom B3"), Ok(2));
        for wrong in ["0", "B0", "-1", "B", "loom", ""] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let text = r#"{"command":"flexibilise","part":"loom","branches":[1,"B3"]}"#;
        let command: Command = serde_json::from_str(text).unwrap();
        let written = serde_json::to_string(&command).unwrap();
        assert!(written.contains(r#""branches":[1,3]"#), "{written}");
        let Command::Flexibilise { branches, .. } = command else {
            panic!("another command");
        };
        assert_eq!(branches, [0, 2]);
        let none = text.replace("[1,", "[0,");
        let error = serde_json::from_str::<Command>(&none).unwrap_err();
        assert!(error.to_string().contains("counted from 1"), "{error}");
    }
}
