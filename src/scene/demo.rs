//! Scenes made by code.

use super::Scene;

/// The demo scene.
pub fn demo() -> Scene {
    Scene::default()
}
