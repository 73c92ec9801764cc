//! Why a command could not be carried out.

use super::Kind;
use crate::mesh::MeshError;
use crate::mesh::import::ImportError;
use crate::scene::flexibilise::FlexibiliseError;

/// Why a command could not be carried out; the scene is then unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// Nothing of that kind has that name.
    #[error("there is no {kind} \"{name}\"; the scene has: {known}")]
    NoSuch {
        /// What was looked for.
        kind: Kind,
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The cable has no such handle.
    #[error("cable \"{cable}\" has no handle \"{name}\"; it has: {known}")]
    NoHandle {
        /// The cable.
        cable: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Something else has that name already.
    #[error("there is a {kind} \"{name}\" already; choose another name")]
    NameTaken {
        /// What has the name.
        kind: Kind,
        /// The name.
        name: String,
    },
    /// A name that would not be seen.
    #[error("a {kind} needs a name")]
    NoName {
        /// What would have it.
        kind: Kind,
    },
    /// The cable has a handle there.
    #[error("cable \"{cable}\" has a handle at its {place} already")]
    PlaceTaken {
        /// The cable.
        cable: String,
        /// Where, in words.
        place: &'static str,
    },
    /// The cable was never solved, so nobody knows where it is.
    #[error("cable \"{cable}\" has no shape yet: give the handle a pose, or solve the scene first")]
    NoShape {
        /// The cable.
        cable: String,
    },
    /// A number is outside what makes sense.
    #[error("{what} must be {must}, but is {value}")]
    BadNumber {
        /// Which number.
        what: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is.
        value: f64,
    },
    /// A mesh file could not be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A file has several parts, and none of the name that is to be replaced.
    #[error("the file has no part \"{name}\"; it has: {known}")]
    NoSuchPartInFile {
        /// The name looked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A mesh would leave the numbers.
    #[error("part \"{part}\" cannot be put there: {reason}")]
    BadPlacement {
        /// The part.
        part: String,
        /// What is wrong.
        reason: MeshError,
    },
    /// A part could not be made flexible, or a cable rigid.
    #[error(transparent)]
    Flexibilise(#[from] FlexibiliseError),
    /// The scene could not be solved any more.
    #[error("{0}")]
    Impossible(String),
    /// A cable as it is described cannot be.
    #[error("{0}")]
    BadCable(String),
}
