//! JSON for people: indented, but a row of plain values on one line.

use std::io::{self, Write};

use serde_json::Value;

/// Writes `value`; an array without arrays or objects in it stays on one line.
pub fn write_pretty(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    write_at(value, 0, out)
}

fn write_at(value: &Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let is_plain = |v: &Value| !v.is_array() && !v.is_object();
    match value {
        Value::Array(items) if !items.iter().all(is_plain) => {
            out.write_all(b"[")?;
            for (k, item) in items.iter().enumerate() {
                new_line(k, depth + 1, out)?;
                write_at(item, depth + 1, out)?;
            }
            end_line(depth, out)?;
            out.write_all(b"]")
        }
        Value::Object(fields) if !fields.is_empty() => {
            out.write_all(b"{")?;
            // Short values first, so that the numbers of a cable stand above its shape.
            let (plain, nested): (Vec<_>, Vec<_>) = fields.iter().partition(|(_, v)| is_plain(v));
            for (k, (key, item)) in plain.into_iter().chain(nested).enumerate() {
                new_line(k, depth + 1, out)?;
                serde_json::to_writer(&mut *out, key)?;
                out.write_all(b": ")?;
                write_at(item, depth + 1, out)?;
            }
            end_line(depth, out)?;
            out.write_all(b"}")
        }
        plain => Ok(serde_json::to_writer(out, plain)?),
    }
}

fn new_line(k: usize, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
    indent(depth, out)
}

fn end_line(depth: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"\n")?;
    indent(depth, out)
}

fn indent(depth: usize, out: &mut dyn Write) -> io::Result<()> {
    (0..depth).try_for_each(|_| out.write_all(b" "))
}
