//! Contact of a chain of capsules with triangle meshes.
//!
//! The stages, in the order of the data: [`Obstacle`] (a mesh with its bounding-volume tree and convex edges),
//! candidates (which triangles are near which edge), distance kernels, active contacts ([`Contact`]), barrier and
//! friction on them, and swept collision, which cuts every motion before anything is passed through.
//! Contact is by distance, never by inside or outside: open sheets and flipped normals make no difference.

pub mod barrier;
mod body_sweep;
mod candidates;
mod cover;
pub mod distance;
mod entry;
mod find;
pub mod friction;
mod margin;
mod nearest;
mod obstacle;
mod opening;
pub mod pair;
mod release;
mod rigid_end;
mod settings;
mod surface;
mod surface_edges;
mod sweep;
mod term;
mod thickness;

pub use body_sweep::BodySweep;
pub use candidates::{Candidates, Ignored};
pub use cover::{Cover, MOST_PIECES, most_turn};
pub use entry::WayIn;
pub use find::{Contact, Feature, Place, Sticky, find_contacts};
pub use margin::{Kept, Margins, Reduced};
pub use nearest::NearestPlace;
pub use obstacle::Obstacle;
pub use opening::{TightFit, tight_fit};
pub use rigid_end::{RigidEnd, RigidEnds, RigidMotion};
pub use settings::ContactSettings;
pub use surface::ConvexEdge;
pub use sweep::{MovingObstacles, Sweep, SweepLimit};
pub use term::{ContactTerm, contact_term, mollified};
pub use thickness::Thickness;
