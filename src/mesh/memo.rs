//! Results about a mesh, kept with it: each is computed once, and dropped with the mesh.

use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A place for one thing. It is no part of the mesh's value: a copy has an empty one, and all are equal.
#[derive(Default)]
pub struct Memo(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Memo {
    /// What is kept, if it is of that kind.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.get()?).downcast().ok()
    }

    /// Keeps it, unless something is kept already.
    pub fn keep<T: Any + Send + Sync>(&self, found: &Arc<T>) {
        let found: Arc<dyn Any + Send + Sync> = found.clone();
        let _ = self.0.set(found);
    }
}

impl Clone for Memo {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memo")
    }
}
