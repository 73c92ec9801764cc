//! Outputs never overwrite inputs: checked before anything is read for long or written at all.

use std::path::Path;

use anyhow::bail;

use crate::disk::is_same_file;
use crate::scene::Scene;

/// What a verb reads and what it is to write.
#[derive(Default)]
pub struct Files<'a> {
    inputs: Vec<(&'static str, &'a Path)>,
    outputs: Vec<(&'static str, &'a Path)>,
}

impl<'a> Files<'a> {
    /// Takes a file that is read; `what` it is, in words.
    pub fn input(mut self, what: &'static str, path: &'a Path) -> Self {
        self.inputs.push((what, path));
        self
    }

    /// Takes the mesh files of a scene, which it needs to be opened again.
    pub fn meshes(mut self, scene: &'a Scene) -> Self {
        let read = scene.parts.iter().filter_map(|p| p.source.as_ref());
        let missing = scene.missing.iter().map(|p| &p.source);
        for source in read.chain(missing) {
            self.inputs.push(("a mesh of the scene", &source.path));
        }
        self
    }

    /// Takes a file that is written, if it is asked for; `what` it is, in words.
    pub fn output(mut self, what: &'static str, path: Option<&'a Path>) -> Self {
        self.outputs.extend(path.map(|path| (what, path)));
        self
    }

    /// An error when an output would overwrite an input, or another output.
    pub fn check(&self) -> anyhow::Result<()> {
        for (k, (what, output)) in self.outputs.iter().enumerate() {
            let others = self.inputs.iter().chain(&self.outputs[..k]);
            for (other, path) in others {
                if is_same_file(output, path) {
                    bail!(
                        "{what} would overwrite {other}; choose another name. Nothing was written: {}",
                        output.display()
                    );
                }
            }
        }
        Ok(())
    }
}
