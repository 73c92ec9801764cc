//! The parts of the open scene, made ready for the view in the background.

use std::sync::{Arc, mpsc};

use super::model::PartModel;
use crate::mesh::TriMesh;
use crate::scene::Scene;

/// Parts of fewer triangles are made ready at once: it takes a few ms.
const SMALL: usize = 20_000;

/// Ready parts by mesh.
pub struct Models {
    known: Vec<(Arc<TriMesh>, Option<Arc<PartModel>>)>,
    sender: mpsc::Sender<PartModel>,
    receiver: mpsc::Receiver<PartModel>,
}

impl Default for Models {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            known: Vec::new(),
            sender,
            receiver,
        }
    }
}

impl Models {
    /// Follows the scene: forgets parts that are gone, starts on new ones. Parts that are `held`, by number, keep the mesh
    /// that is given with them; `others` are shown beside the scene.
    pub fn follow(
        &mut self,
        scene: &Scene,
        held: &[(usize, &Arc<TriMesh>)],
        others: &[(String, Arc<TriMesh>)],
        ctx: &egui::Context,
    ) {
        let used = |mesh: &Arc<TriMesh>| {
            let meshes = scene.parts.iter().map(crate::scene::Part::mesh);
            let mut all = meshes
                .chain(held.iter().map(|(_, mesh)| *mesh))
                .chain(others.iter().map(|(_, mesh)| mesh));
            all.any(|m| Arc::ptr_eq(m, mesh))
        };
        self.known.retain(|(mesh, _)| used(mesh));
        let parts = scene.parts.iter().enumerate();
        let free = parts.filter(|(k, _)| !held.iter().any(|(part, _)| part == k));
        let meshes: Vec<_> = free.map(|(_, part)| part.mesh().clone()).collect();
        self.make_ready(meshes, ctx);
    }

    /// Starts on what is shown beside the scene.
    pub fn keep(&mut self, others: &[(String, Arc<TriMesh>)], ctx: &egui::Context) {
        self.make_ready(others.iter().map(|(_, mesh)| mesh.clone()), ctx);
    }

    fn make_ready(&mut self, meshes: impl IntoIterator<Item = Arc<TriMesh>>, ctx: &egui::Context) {
        let mut large = Vec::new();
        for mesh in meshes {
            if self.known.iter().any(|(m, _)| Arc::ptr_eq(m, &mesh)) {
                continue;
            }
            let small = mesh.triangles().len() <= SMALL;
            let ready = small.then(|| Arc::new(PartModel::new(mesh.clone())));
            if !small {
                large.push(mesh.clone());
            }
            self.known.push((mesh, ready));
        }
        if large.is_empty() {
            return;
        }
        let (sender, ctx) = (self.sender.clone(), ctx.clone());
        std::thread::spawn(move || {
            for mesh in large {
                if sender.send(PartModel::new(mesh)).is_err() {
                    return;
                }
                ctx.request_repaint();
            }
        });
    }

    /// Takes what has become ready; says whether something did.
    pub fn poll(&mut self) -> bool {
        let mut changed = false;
        while let Ok(model) = self.receiver.try_recv() {
            let model = Arc::new(model);
            for (mesh, ready) in &mut self.known {
                if Arc::ptr_eq(mesh, &model.mesh) {
                    *ready = Some(model.clone());
                    changed = true;
                }
            }
        }
        changed
    }

    /// The model of a mesh, once it is ready.
    pub fn get(&self, mesh: &Arc<TriMesh>) -> Option<&Arc<PartModel>> {
        self.known
            .iter()
            .find(|(m, _)| Arc::ptr_eq(m, mesh))
            .and_then(|(_, model)| model.as_ref())
    }

    /// How many parts are not ready yet.
    pub fn n_pending(&self) -> usize {
        self.known.iter().filter(|(_, m)| m.is_none()).count()
    }
}
