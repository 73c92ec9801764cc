//! 3MF: the items of the build, each an object that has triangles or is put together of others.

mod model;
mod package;

use std::collections::HashMap;
use std::rc::Rc;

use super::error::Place;
use super::format::Row;
use super::load::RawFile;
use super::raw::RawPart;
use super::tree::{Affine, Budget, MAX_DEPTH, short_name, too_deep};
use super::{ImportError, ImportWarning, UpAxis};
use crate::progress::Stretch;
use model::{Model, Placement};
use package::Package;

/// 3D Manufacturing Format: XML in a ZIP archive.
pub const FORMAT: Row = Row {
    key: "three_mf",
    extensions: &["3mf"],
    begins: |bytes| bytes.starts_with(b"PK\x03\x04"),
    may_be: |_| true,
    read: |source, warnings, stretch| read(source.bytes, warnings, stretch),
};

/// Reads a 3MF: one part for every mesh of every item of the build.
fn read(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let mut package = Package::open(bytes)?;
    let path = package.main_model()?;
    let main = Rc::new(package.model(&path, &stretch.part("parsing", 0.0, 0.5))?);
    let mut build = Build {
        package,
        models: HashMap::from([(path.clone(), Rc::clone(&main))]),
        parts: Vec::new(),
        budget: Budget::new(bytes.len()),
        stretch: stretch.part("placing", 0.5, 1.0),
    };
    let mut names = Vec::new();
    for item in &main.build {
        build.place(&path, item, &Affine::identity(), &mut names, 0)?;
    }
    if main.build.is_empty() {
        // Nothing is to be built: show what is there.
        warnings.push(ImportWarning::NothingToBuild);
        for id in main.objects_in_order() {
            let item = Placement::of(id);
            build.place(&path, &item, &Affine::identity(), &mut names, 0)?;
        }
    }
    Ok(RawFile {
        parts: build.parts,
        unit: Some(main.unit),
        up: Some(UpAxis::Z),
    })
}

struct Build<'a> {
    package: Package<'a>,
    models: HashMap<String, Rc<Model>>,
    parts: Vec<RawPart>,
    budget: Budget,
    stretch: Stretch<'a>,
}

impl Build<'_> {
    fn place(
        &mut self,
        model_path: &str,
        placement: &Placement,
        world_from_parent: &Affine,
        names: &mut Vec<String>,
        depth: usize,
    ) -> Result<(), ImportError> {
        let model_path = placement.path.as_deref().unwrap_or(model_path);
        let place = || Place::Item(format!("object {} in {model_path}", placement.object));
        if depth > MAX_DEPTH {
            return Err(too_deep(place()));
        }
        self.stretch.at(0.0)?;
        self.budget.take_node(place)?;
        let model = self.model(model_path)?;
        let Some(object) = model.objects.get(&placement.object) else {
            return Err(ImportError::Damaged {
                place: place(),
                reason: "it is to be placed, but there is no such object".to_owned(),
            });
        };
        let world = world_from_parent.of(&placement.map);
        let n_names = names.len();
        if !object.name.is_empty() {
            names.push(short_name(&object.name));
        }
        if !object.shape.triangles.is_empty() {
            let mut path = names.clone();
            if path.len() == n_names {
                path.push(String::new());
            }
            self.budget.take_shape(&object.shape, &path, place)?;
            self.parts.push(object.shape.placed(&world, path, place)?);
        }
        for component in &object.components {
            self.place(model_path, component, &world, names, depth + 1)?;
        }
        names.truncate(n_names);
        Ok(())
    }

    fn model(&mut self, path: &str) -> Result<Rc<Model>, ImportError> {
        if let Some(model) = self.models.get(path) {
            return Ok(Rc::clone(model));
        }
        let stretch = self.stretch.part("parsing", 0.0, 0.0);
        let model = Rc::new(self.package.model(path, &stretch)?);
        self.models.insert(path.to_owned(), Rc::clone(&model));
        Ok(model)
    }
}
