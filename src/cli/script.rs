//! Files of commands, one JSON line each, and the frame marks of a replay.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use serde_json::Value;

use crate::disk::read_bounded;
use crate::scene::Command;

/// Largest script that is read.
const MAX_BYTES: u64 = 1 << 30;

/// A line that says something.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptLine {
    /// Line in the file, from 1.
    pub line: usize,
    /// What it says.
    pub action: Action,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An edit.
    Command(Command),
    /// Solve one step; with the frame's number when the line gives one.
    Frame(Option<u64>),
}

/// Reads a script whole; blank lines are skipped.
pub fn read_script(path: &Path) -> anyhow::Result<Vec<ScriptLine>> {
    let bytes = read_bounded(path, MAX_BYTES)
        .with_context(|| format!("cannot read the commands of {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = Vec::new();
    for (k, text) in text.lines().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let line = k + 1;
        let action = parse(text).with_context(|| format!("line {line} of {}", path.display()))?;
        lines.push(ScriptLine { line, action });
    }
    Ok(lines)
}

fn parse(text: &str) -> anyhow::Result<Action> {
    // The line number is that of the file, so only the column of the error is of use.
    let value: Value =
        serde_json::from_str(text).map_err(|e| anyhow!("not valid JSON, column {}", e.column()))?;
    let mark = value
        .as_object()
        .filter(|fields| fields.len() == 1)
        .and_then(|fields| fields.get("frame"));
    match mark {
        Some(Value::Bool(true)) => Ok(Action::Frame(None)),
        Some(number) => match number.as_u64() {
            Some(number) => Ok(Action::Frame(Some(number))),
            None => bail!("\"frame\" must be true or a whole number, but is {number}"),
        },
        None => {
            let command = serde_json::from_value(value);
            Ok(Action::Command(command.context("not a command")?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_marks_are_told_apart() {
        assert_eq!(parse(r#"{"frame":12}"#).unwrap(), Action::Frame(Some(12)));
        assert_eq!(parse(r#"{"frame":true}"#).unwrap(), Action::Frame(None));
        let moved =
            parse(r#"{"command":"move_handle","cable":"c","handle":"end","position":[1,2,3]}"#);
        let expected = Command::MoveHandle {
            cable: "c".to_owned(),
            handle: "end".to_owned(),
            position: Some([1.0, 2.0, 3.0]),
            rotation: None,
        };
        assert_eq!(moved.unwrap(), Action::Command(expected));
        for bad in [
            r#"{"frame":-1}"#,
            r#"{"frame":"x"}"#,
            r#"{"command":"fly"}"#,
            r#"{"command":"set_length","cable":"c"}"#,
            r#"{"command":"set_friction","friction":0.2,"x":1}"#,
            "[1]",
            "nonsense",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
