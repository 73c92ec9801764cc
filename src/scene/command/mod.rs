//! Every edit of the document is a command: the window pushes them, a script plays them.

mod addition;
mod apply;
mod branches;
mod cables;
mod duplicate;
mod effect;
mod error;
mod fixings;
mod handles;
mod junctions;
mod names;
mod parts;
mod title;
mod topology;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use addition::Addition;
pub use branches::parse as branch_number;
pub use cables::CableChange;
pub use duplicate::Mirror;
pub use effect::{Effect, Sent, SolverEffect};
pub use error::CommandError;
pub use fixings::{FixingChoice, NewFixing, nearest_on, upright};
pub(super) use handles::{place_body, place_junction};
pub use names::Kind;
pub(super) use names::{delete as delete_named, rename as rename_named};
pub use topology::ClipPlace;

use super::flexibilise::RestChoice;
use super::part::is_default;
use super::topology::CableEnd;
use super::{
    Cable, CableStretch, Exclusion, HandleKind, HandlePlace, Junction, Material, Measurement,
    NamedView, Scene,
};
use crate::centerline::{CenterlineGraph, Correction};
use crate::geom::{MAX_COORDINATE, Pose, Rotation, Vec3, plain};
use crate::mesh::import::{ImportOptions, ImportedFile};

/// One edit, as one JSON line: `{"command":"move_handle","cable":"cable","handle":"end","position":[1,2,3]}`.
///
/// What is left out of a `move` or `change` stays as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Asks a handle to go somewhere; the others of its junction go along.
    MoveHandle {
        /// Name of the cable.
        cable: String,
        /// Name of the handle.
        handle: String,
        /// New position, mm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 3]>,
        /// New orientation, unit quaternion w, x, y, z.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotation: Option<[f64; 4]>,
    },
    /// Adds a handle. Without a pose it holds the cable where it is.
    AddHandle {
        /// Name of the cable.
        cable: String,
        /// Name of the handle; made up when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Where along the cable.
        place: HandlePlace,
        /// What it holds.
        #[serde(default)]
        kind: HandleKind,
        /// Where it is asked to be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pose: Option<Pose>,
    },
    /// Puts a fixing of the library round a cable, on a part or where the cable lies.
    AddFixing(Box<NewFixing>),
    /// Changes what a handle is.
    ChangeHandle {
        /// Name of the cable.
        cable: String,
        /// Name of the handle.
        handle: String,
        /// New name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// New place along the cable.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<HandlePlace>,
        /// New kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<HandleKind>,
        /// Whole turns about its own direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turns: Option<i32>,
        /// The part it moves with; an empty name for none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attached_to: Option<String>,
        /// New target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pose: Option<Pose>,
    },
    /// Says that a handle is right where it is, although the part that it is attached to changed.
    ConfirmReference {
        /// Name of the cable.
        cable: String,
        /// Name of the handle.
        handle: String,
    },
    /// Removes a handle.
    DeleteHandle {
        /// Name of the cable.
        cable: String,
        /// Name of the handle.
        handle: String,
    },
    /// Moves a junction with all cable ends that meet there.
    MoveJunction {
        /// Name of the junction.
        junction: String,
        /// New position, mm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 3]>,
        /// New orientation, unit quaternion w, x, y, z.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotation: Option<[f64; 4]>,
    },
    /// Changes how a junction is held.
    ChangeJunction {
        /// Name of the junction.
        junction: String,
        /// Whether it finds its own place when a branch is pulled; otherwise it moves only when it is dragged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        free: Option<bool>,
        /// Whether its branches turn freely there, as in a tie; otherwise they keep their angles.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branches_turn: Option<bool>,
        /// Mass of what hangs there beside its cables, kg.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mass_kg: Option<f64>,
    },
    /// Hangs something rigid on the end of a cable, which finds its own place from then on: a junction of that end alone.
    HangBody {
        /// Name of the cable.
        cable: String,
        /// Name of the handle at its end.
        handle: String,
        /// Its mass, kg; left out, that of the parts by their volume and density.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mass_kg: Option<f64>,
        /// What it is called; a free name when there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Parts that are it: they go along as one body, and meet parts and cables.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<String>,
        /// Density of the parts where no mass is given, kg/m^3.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        density_kg_m3: Option<f64>,
    },
    /// Cuts a cable in two at the free node nearest to an arc length; a junction holds the pieces together.
    SplitCable {
        /// Name of the cable; the piece with its start keeps it.
        cable: String,
        /// Arc length, mm from the start.
        at: f64,
        /// Name of the other piece; made up when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Takes an end of a cable to an end of another, or of itself, and holds them together by a junction.
    JoinEnds {
        /// Name of the cable whose end comes.
        cable: String,
        /// Which end of it.
        end: CableEnd,
        /// Name of the cable whose end stays.
        to: String,
        /// Which end of that.
        to_end: CableEnd,
    },
    /// Attaches an end of a cable to the middle of another, which is cut there; a junction holds the three.
    BranchOff {
        /// Name of the cable that becomes a branch.
        cable: String,
        /// Which end of it.
        end: CableEnd,
        /// Name of the trunk.
        onto: String,
        /// Arc length of the trunk, mm from its start.
        at: f64,
        /// Name of the piece that is cut off the trunk; made up when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Takes a handle out of its junction; it stays where it is and moves alone from then on.
    Detach {
        /// Name of the cable.
        cable: String,
        /// Name of the handle.
        handle: String,
    },
    /// Moves a junction along its trunk: material of the cable ahead goes to the one behind. Branches follow.
    SlideJunction {
        /// Name of the junction.
        junction: String,
        /// Name of the cable of the trunk that becomes shorter.
        towards: String,
        /// How far, mm.
        by: f64,
    },
    /// Makes a cable longer at one end, or shorter; the rest of it keeps its length.
    ExtendCable {
        /// Name of the cable.
        cable: String,
        /// At which end.
        end: CableEnd,
        /// By how much, mm; negative for shorter.
        by: f64,
    },
    /// Makes one cable of two that meet, under the name of the first.
    MergeCables {
        /// Name of the first cable, which gives name and direction.
        first: String,
        /// Name of the second.
        second: String,
    },
    /// Holds several cables at one place each, as a clip holds a bundle: a handle on each, and a junction that moves them
    /// as one.
    ClipCables {
        /// Name of the clip; made up when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The places.
        places: Vec<ClipPlace>,
    },
    /// Sets the rest length of a cable from seat to seat, mm: with its fittings.
    SetLength {
        /// Name of the cable.
        cable: String,
        /// New rest length, fittings included, mm.
        length: f64,
    },
    /// Gives a cable the shortest length that meets its limits where its handles are, rounded up.
    FitLength {
        /// Name of the cable.
        cable: String,
        /// To multiples of this, mm; 5 when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round_to: Option<f64>,
    },
    /// Turns the handle at the end of a cable so that the cable is not twisted, as hoses must not be.
    ZeroTwist {
        /// Name of the cable.
        cable: String,
    },
    /// Sets the rest length of the span between two handles of a cable, mm; the other spans keep theirs.
    SetSpanLength {
        /// Name of the cable.
        cable: String,
        /// Name of the handle at one end of the span.
        from: String,
        /// Name of the handle at its other end.
        to: String,
        /// New rest length, mm.
        length: f64,
    },
    /// Keeps the length of the stretch between two handles when that of the cable changes, or lets it follow again.
    LockSpan {
        /// Name of the cable.
        cable: String,
        /// Name of the handle at one end of the stretch.
        from: String,
        /// Name of the handle at its other end.
        to: String,
        /// Keep it, or let it follow.
        locked: bool,
    },
    /// Cuts every edge of a cable in two, or in three where a handle sits in the middle of one.
    RefineCable {
        /// Name of the cable.
        cable: String,
    },
    /// Lets a cable find its own length, or keeps the length it has found.
    SetFreeLength {
        /// Name of the cable.
        cable: String,
        /// How straight it pulls itself, 1 or more; left out to fix the length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        straightness: Option<f64>,
    },
    /// Adds a cable, given as in the scene file.
    AddCable {
        /// The cable.
        cable: Box<Cable>,
    },
    /// Lets handles of cables move together from now on, given as in the scene file.
    AddJunction {
        /// The junction.
        junction: Junction,
    },
    /// Adds cables with their junctions and the harness they are, given as in the scene file.
    AddHarness(Box<Addition>),
    /// Changes numbers of a cable.
    ChangeCable(Box<CableChange>),
    /// Says where a cable is thicker or thinner than along the rest of it: sleeves, tape. Replaces what it had.
    SetStretches {
        /// Name of the cable.
        cable: String,
        /// In order and apart from each other; one that names a material and has no section takes that of the material.
        stretches: Vec<CableStretch>,
    },
    /// Gives a cable the stiffness, mass and smallest bend radius of a material.
    SetMaterial {
        /// Name of the cable.
        cable: String,
        /// Name of the material: the scene's own, or of the library.
        material: String,
    },
    /// Reads a mesh file and adds its parts.
    Import {
        /// The file.
        path: PathBuf,
        /// What the parts are to the cables.
        #[serde(default)]
        role: super::PartRole,
        /// Unit, way up and so on, where the file's own are not meant.
        #[serde(default)]
        options: ImportOptions,
        /// The file, where it was read already.
        #[serde(skip)]
        loaded: Option<Arc<ImportedFile>>,
    },
    /// Takes a new revision of a part's mesh; placement, attachments and exclusions stay.
    ReplacePart {
        /// Name of the part.
        part: String,
        /// The new file; the part's own when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<PathBuf>,
        /// The file, where it was read already.
        #[serde(skip)]
        loaded: Option<Arc<ImportedFile>>,
    },
    /// Takes a new revision of the parts of a file: moved parts take the handles that are attached to them along, handles
    /// on changed ones are marked.
    UpdateParts {
        /// The new file.
        path: PathBuf,
        /// Unit, way up and so on, where the file's own are not meant.
        #[serde(default)]
        options: ImportOptions,
        /// Parts that are new in the file stay out.
        #[serde(default)]
        ignore_new: bool,
        /// Parts that are gone from the file are deleted.
        #[serde(default)]
        delete_gone: bool,
        /// The file, where it was read already.
        #[serde(skip)]
        loaded: Option<Arc<ImportedFile>>,
    },
    /// Says what the surface of a part looks like.
    SetFinish {
        /// Name of the part.
        part: String,
        /// Paint, metal, plastic or rubber.
        finish: super::Finish,
    },
    /// Says what clearance cables must have from a part; it judges, and pushes nothing.
    SetClearance {
        /// Name of the part.
        part: String,
        /// What makes it dangerous.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hazard: Option<super::Hazard>,
        /// mm; negative to go by what the part is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        required: Option<f64>,
    },
    /// Puts a part somewhere else; handles attached to it go along.
    MovePart {
        /// Name of the part.
        part: String,
        /// Where the origin of its file goes, mm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 3]>,
        /// How it is turned, unit quaternion w, x, y, z.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotation: Option<[f64; 4]>,
    },
    /// Changes what a part is.
    ChangePart {
        /// Name of the part.
        part: String,
        /// Drawn or not. A hidden part still collides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        visible: Option<bool>,
        /// What it is to the cables.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<super::PartRole>,
        /// New colour, red, green, blue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<[u8; 3]>,
        /// Distance that cables keep from it, mm; negative for the scene's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// Group in the tree, from the outermost name to the innermost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<Vec<String>>,
    },
    /// Corrects the centerlines that were found in a part; kept with the part, and applied before it is made flexible.
    CorrectCenterline {
        /// Name of the part.
        part: String,
        /// What is wrong, with places in the world, mm.
        correction: Correction,
    },
    /// Forgets all corrections of a part's centerlines.
    ClearCorrections {
        /// Name of the part.
        part: String,
    },
    /// Makes stretches of a part, or of several as one harness, flexible: all, some branches, or the way between two
    /// points on the surface.
    Flexibilise {
        /// Name of the part.
        part: String,
        /// Names of other parts of the same harness: segments, sleeves, clips, connectors.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        with: Vec<String>,
        /// Branches, here from 0, in files from 1 or by name; all when neither branches nor points are given.
        #[serde(default, skip_serializing_if = "Vec::is_empty", with = "branches")]
        branches: Vec<usize>,
        /// A point where the stretch begins, mm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<[f64; 3]>,
        /// A point where it ends, mm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<[f64; 3]>,
        /// Name of the material; a taped bundle when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        material: Option<String>,
        /// What the cables are like without load; moulded to the imported shape when left out.
        #[serde(default, skip_serializing_if = "is_default")]
        rest: RestChoice,
        /// The centerlines of the parts, where they were extracted already.
        #[serde(skip)]
        graph: Option<Arc<CenterlineGraph>>,
    },
    /// Makes a cable rigid in the shape it was solved to.
    Rigidify {
        /// Name of the cable.
        cable: String,
    },
    /// Sets how much of its imported shape a cable keeps without load: 1 all of it, 0 it is straight.
    SetRestShare {
        /// Name of the cable.
        cable: String,
        /// Between 0 and 1.
        share: f64,
    },
    /// Gives something another name; what refers to it follows.
    Rename {
        /// What it is.
        kind: Kind,
        /// Its name.
        from: String,
        /// Its new name.
        to: String,
    },
    /// Adds a second cable or part like one that is there: moved, then mirrored.
    Duplicate {
        /// Cable or part.
        kind: Kind,
        /// Its name.
        name: String,
        /// How far it is moved, mm.
        #[serde(default)]
        by: [f64; 3],
        /// The plane that it is mirrored in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mirror: Option<Mirror>,
    },
    /// Removes something, and what refers to it.
    Delete {
        /// What it is.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// Sets the friction coefficient of the scene; 0 switches friction off.
    SetFriction {
        /// New coefficient.
        friction: f64,
    },
    /// Sets gravity, m/s^2.
    SetGravity {
        /// Direction and strength.
        gravity: [f64; 3],
    },
    /// Sets the distance that cables keep from parts that have none of their own, mm.
    SetMargin {
        /// New distance.
        margin: f64,
    },
    /// Sets the clearances that cables must have from hot, moving, sharp and other parts, and from each other, mm.
    SetRequiredClearances {
        /// All of them.
        required: super::RequiredClearances,
    },
    /// Adds a material to the scene, or replaces its namesake.
    SetSceneMaterial {
        /// The material.
        material: Box<Material>,
    },
    /// Lets a stretch of a cable overlap a part; replaces the other stretches of the pair when `only`.
    Exclude {
        /// Cable, part and stretch.
        exclusion: Exclusion,
        /// Whether other stretches of the pair are forgotten.
        #[serde(default)]
        only: bool,
    },
    /// Forgets all exclusions of a cable and a part.
    Include {
        /// Name of the cable.
        cable: String,
        /// Name of the part.
        part: String,
    },
    /// Excludes the stretches of cables that overlap a connector, a clip or the rigid rest of their harness.
    ExcludeEntries,
    /// Switches collisions off for a drag, or on again; what cables cross then is listed. Not kept in the file.
    Ghost {
        /// Whether cables pass through parts.
        on: bool,
    },
    /// Finds the equilibrium once without friction: the route as it is without the way it was dragged.
    Settle,
    /// Keeps a wire that runs through several branches under a name; replaces its namesake, and forgets it where it has no
    /// branches.
    SetWire {
        /// The wire.
        wire: super::Wire,
    },
    /// Keeps a camera place under a name; replaces its namesake.
    SaveView {
        /// The view.
        view: NamedView,
    },
    /// Keeps the distance between two places under a name; replaces its namesake.
    SaveMeasurement {
        /// The measurement.
        measurement: Measurement,
    },
}

const MARGIN: &str = "between 0 and 1000 mm";

fn within(
    what: &'static str,
    must: &'static str,
    value: f64,
    min: f64,
    max: f64,
) -> Result<f64, CommandError> {
    if (min..=max).contains(&value) {
        Ok(value)
    } else {
        Err(bad(what, must, value))
    }
}

fn positive(what: &'static str, must: &'static str, value: f64) -> Result<f64, CommandError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(bad(what, must, value))
    }
}

fn bad(what: &'static str, must: &'static str, value: f64) -> CommandError {
    CommandError::BadNumber { what, must, value }
}

fn find_cable<'a>(scene: &'a mut Scene, name: &str) -> Result<&'a mut Cable, CommandError> {
    match scene.cables.iter().position(|c| c.name == name) {
        Some(k) => Ok(&mut scene.cables[k]),
        None => Err(none_such(scene, Kind::Cable, name)),
    }
}

fn find_part<'a>(scene: &'a mut Scene, name: &str) -> Result<&'a mut super::Part, CommandError> {
    match scene.parts.iter().position(|p| p.name == name) {
        Some(k) => Ok(&mut scene.parts[k]),
        None => Err(none_such(scene, Kind::Part, name)),
    }
}

/// That nothing has that name, with those that there are: they are gathered only when somebody is to be told.
fn none_such(scene: &Scene, kind: Kind, name: &str) -> CommandError {
    names::no_such(kind, name, &names::known(scene, kind))
}

/// `pose` with what is given of it replaced.
fn changed_pose(
    pose: &Pose,
    position: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
) -> Result<Pose, CommandError> {
    let position = position.map(|p| finite_point("position", p)).transpose()?;
    let rotation = rotation.map(unit_rotation).transpose()?;
    Ok(Pose {
        position: position.unwrap_or(pose.position),
        rotation: rotation.unwrap_or(pose.rotation),
    })
}

fn finite_point(what: &'static str, p: [f64; 3]) -> Result<Vec3, CommandError> {
    match p.iter().find(|c| !(c.abs() <= MAX_COORDINATE)) {
        Some(&value) => Err(bad(what, "three numbers of at most 1e9 mm", value)),
        None => Ok(Vec3::from(p)),
    }
}

fn unit_rotation(q: [f64; 4]) -> Result<Rotation, CommandError> {
    let must = "a quaternion w, x, y, z that is not zero";
    plain::rotation_from(q).ok_or_else(|| bad("rotation", must, Vec3::new(q[1], q[2], q[3]).norm()))
}

#[cfg(test)]
mod tests;
