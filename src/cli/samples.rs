//! The cables at the samples of a study or a motion: as JSON, as a table, and the room that they sweep.

use std::fmt::{Display, Write as _};
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::console::Console;
use crate::disk::write_atomically;
use crate::exchange::{EnvelopeFormat, envelope_file};
use crate::scene::Scene;
use crate::scene::study::{CableSample, Sample, envelope};

/// The values of one cable in one sample.
pub fn values(c: &CableSample) -> Value {
    json!({
        "bend_radius": c.bend_radius.is_finite().then_some(c.bend_radius),
        "tension": c.tension,
        "side_force": c.side_force,
        "clearance": c.clearance.as_ref().map(|(mm, _)| mm),
        "nearest": c.clearance.as_ref().map(|(_, to)| to),
    })
}

/// Files that are written of the samples.
#[derive(Clone, Copy)]
pub struct SampleFiles<'a> {
    table: Option<&'a Path>,
    envelope: Option<(&'a Path, EnvelopeFormat)>,
}

impl<'a> SampleFiles<'a> {
    /// Those that are asked for; an envelope only in a format that can be written.
    pub fn new(table: Option<&'a Path>, envelope: Option<&'a Path>) -> anyhow::Result<Self> {
        let with_format = |file: &'a Path| {
            let format = EnvelopeFormat::of(file).with_context(|| {
                let file = file.display();
                format!("an envelope is written as .stl or .glb, not as {file}")
            })?;
            anyhow::Ok((file, format))
        };
        Ok(Self {
            table,
            envelope: envelope.map(with_format).transpose()?,
        })
    }

    /// Writes them. Each line of the table begins with what `first` says of the sample, under the headings `headings`.
    pub fn write<T: Display>(
        &self,
        scene: &Scene,
        samples: &[Sample],
        headings: &str,
        first: impl Fn(&Sample) -> T,
        console: &Console,
    ) -> anyhow::Result<()> {
        if let Some(file) = self.table {
            let table = table(scene, samples, headings, first);
            write(file, table.as_bytes())?;
            console.line(format_args!("table written to {}", file.display()))?;
        }
        if let Some((file, format)) = self.envelope {
            let cables = scene.cables.iter().enumerate();
            let swept = cables.filter_map(|(k, c)| envelope(samples, k, &c.name, &c.edge_radii()));
            write(file, &envelope_file(&swept.collect::<Vec<_>>(), format))?;
            console.line(format_args!("envelopes written to {}", file.display()))?;
        }
        Ok(())
    }
}

fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_atomically(file, |out| out.write_all(bytes))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// A name as a field of a table.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// One line for each sample and cable.
fn table<T: Display>(
    scene: &Scene,
    samples: &[Sample],
    headings: &str,
    first: impl Fn(&Sample) -> T,
) -> String {
    let mut text =
        format!("{headings},cable,bend_radius_mm,tension_n,side_force_n,clearance_mm,nearest\n");
    for sample in samples {
        let first = first(sample);
        for (cable, c) in scene.cables.iter().zip(&sample.cables) {
            let radius = if c.bend_radius.is_finite() {
                format!("{:.3}", c.bend_radius)
            } else {
                String::new()
            };
            let (clearance, nearest) = match &c.clearance {
                Some((mm, to)) => (format!("{mm:.3}"), quoted(to)),
                None => (String::new(), String::new()),
            };
            let _ = writeln!(
                text,
                "{first},{},{radius},{:.4},{:.4},{clearance},{nearest}",
                quoted(&cable.name),
                c.tension,
                c.side_force,
            );
        }
    }
    text
}
