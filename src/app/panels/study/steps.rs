//! The path of a study: key poses of a part, and what is let go or unplugged between them.

use std::sync::Arc;

use egui::{DragValue, Grid, RichText, TextEdit, Ui};

use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::document::Document;
use crate::app::selection::{Selection, Thing};
use crate::geom::{Pose, Vec3};
use crate::scene::study::{KeyPose, PathStep, STEP, StudyPath};
use crate::scene::{Command, Scene};

/// How far a pose may be typed, mm.
const FARTHEST: f64 = 1e6;
/// How far a connector is unplugged to begin with, mm.
const UNPLUG: f64 = 30.0;

/// A path that is being made.
pub struct Steps {
    path: StudyPath,
    /// Where the parts of the path are installed.
    homes: Vec<Pose>,
    /// Way between two samples, mm.
    step: f64,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            path: StudyPath::default(),
            homes: Vec::new(),
            step: STEP,
        }
    }
}

impl Steps {
    /// A path whose parts are installed where the scene has them.
    pub fn of(path: StudyPath, scene: &Scene) -> Self {
        let placed = |name: &String| scene.part(name).map(|p| *p.placement());
        Self {
            homes: path.parts.iter().filter_map(placed).collect(),
            path,
            ..Self::default()
        }
    }

    /// The list, and what can be added to it.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        selection: &Selection,
        actions: &mut Vec<Action>,
    ) {
        let scene = document.scene();
        self.head(ui, scene, selection, actions);
        if self.path.parts.is_empty() {
            ui.weak("Select the part that is to be taken out, and press \"Path of the selection\"; or open the file of a path.");
            return;
        }
        let Some(home) = self.homes.first().copied() else {
            ui.label(format!("The scene has no part \"{}\".", self.path.parts[0]));
            return;
        };
        self.list(ui, &home);
        self.additions(ui, scene, selection, &home);
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Sample every");
            let field = DragValue::new(&mut self.step)
                .range(0.5..=1000.0)
                .speed(0.5)
                .max_decimals(1)
                .suffix(" mm");
            ui.add(field)
                .labelled_by(label.id)
                .on_hover_text("Way of the part between two states that are looked at");
            let some = !(self.path.steps.is_empty() && self.path.cases.is_empty());
            let run = ui.add_enabled(some, egui::Button::new("Run the study"));
            let tip = "Plays the path from where the part is installed, in the background; the scene stays as it is";
            if run.on_hover_text(tip).clicked() {
                let returns = self.returns(scene);
                let path = Box::new(self.path.clone());
                actions.push(Action::RunStudy(path, self.step, returns));
            }
        });
    }

    /// What moves, and where paths come from and go to.
    fn head(
        &mut self,
        ui: &mut Ui,
        scene: &Scene,
        selection: &Selection,
        actions: &mut Vec<Action>,
    ) {
        ui.horizontal_wrapped(|ui| {
            let chosen = parts_of(scene, selection);
            let button = egui::Button::new("Path of the selection");
            let tip = "Begins a path of the selected part, group or body: where it stands now is where it is installed";
            let button = ui.add_enabled(!chosen.is_empty(), button);
            if button.on_hover_text(tip).clicked() {
                let path = StudyPath {
                    parts: chosen,
                    ..StudyPath::default()
                };
                *self = Self::of(path, scene);
            }
            let tip = "Key poses and steps as JSON, or key poses or load cases as CSV";
            if ui.button("Open path ...").on_hover_text(tip).clicked() {
                actions.push(Action::AskRead(Purpose::StudyPath));
            }
            let some = !self.path.parts.is_empty();
            let save = ui.add_enabled(some, egui::Button::new("Save path ..."));
            let tip = "As JSON, for here and for loomwright study path";
            if save.on_hover_text(tip).clicked() {
                let path = Arc::new(self.path.clone());
                actions.push(Action::AskWrite(Purpose::SaveStudyPath(path)));
            }
        });
        if !self.path.parts.is_empty() {
            let words = format!("Path of {}", self.path.parts.join(", "));
            ui.label(RichText::new(words).strong());
        }
    }

    /// The steps, one a row.
    fn list(&mut self, ui: &mut Ui, home: &Pose) {
        let mut gone = None;
        let steps = self.path.steps.iter_mut().enumerate();
        Grid::new("steps of the path")
            .striped(true)
            .spacing([8.0, 3.0])
            .show(ui, |ui| {
                for (k, step) in steps {
                    let n = k + 1;
                    match step {
                        PathStep::Move(pose) => {
                            ui.label(format!("{n}. Move to"));
                            pose_fields(ui, n, pose, home);
                        }
                        PathStep::Release { cable, handle } => {
                            ui.label(format!("{n}. Release"));
                            ui.label(format!("fixing {handle} of {cable}"));
                        }
                        PathStep::Unplug { part, by, .. } => {
                            let label = ui.label(format!("{n}. Unplug"));
                            ui.horizontal(|ui| {
                                ui.label(&*part);
                                let field = mm(by);
                                ui.add(field).labelled_by(label.id).on_hover_text(
                                    "How far along its axis, towards the cable that is fixed to it",
                                );
                            });
                        }
                    }
                    let delete = ui.small_button("Delete");
                    delete.widget_info(|| {
                        let full = format!("Delete step {n}");
                        egui::WidgetInfo::labeled(egui::Role::Button, true, full)
                    });
                    if delete.clicked() {
                        gone = Some(k);
                    }
                    ui.end_row();
                }
                for case in &mut self.path.cases {
                    ui.label("Load case");
                    pose_fields(ui, 0, case, home);
                    ui.end_row();
                }
            });
        if let Some(k) = gone {
            self.path.steps.remove(k);
        }
    }

    /// What can be added: a pose, a fixing that is released, a connector that is unplugged.
    fn additions(&mut self, ui: &mut Ui, scene: &Scene, selection: &Selection, home: &Pose) {
        let now = scene.part(&self.path.parts[0]).map(|p| *p.placement());
        ui.horizontal_wrapped(|ui| {
            let tip = "Adds a pose where the part stands now: drag it there first, or type the numbers afterwards";
            if ui.button("Add pose").on_hover_text(tip).clicked() {
                let pose = now.unwrap_or(*home);
                let moves = self.path.steps.iter();
                let n = moves.filter(|s| matches!(s, PathStep::Move(_))).count() + 1;
                self.path
                    .steps
                    .push(PathStep::Move(key_pose(n, &pose, home)));
            }
            let release = match selection.last() {
                Some(Thing::Handle(id)) => scene.cables.get(id.cable).and_then(|cable| {
                    let handle = cable.handles.get(id.handle)?.name.clone();
                    let cable = cable.name.clone();
                    Some(PathStep::Release { cable, handle })
                }),
                _ => None,
            };
            let button = egui::Button::new("Release the selected fixing");
            let button = ui.add_enabled(release.is_some(), button);
            let tip = "From there on the path, the fixing that is selected holds its cable no longer";
            if button.on_hover_text(tip).clicked() {
                self.path.steps.extend(release);
            }
            let other = match selection.last() {
                Some(Thing::Part(k)) => scene.parts.get(k).map(|p| &p.name),
                _ => None,
            };
            let other = other.filter(|name| !self.path.parts.contains(name));
            let button = egui::Button::new("Unplug the selected part");
            let button = ui.add_enabled(other.is_some(), button);
            let tip = "Pulls the selected connector along its axis before the path goes on";
            if button.on_hover_text(tip).clicked()
                && let Some(part) = other.cloned()
            {
                self.path.steps.push(PathStep::Unplug {
                    part,
                    by: UNPLUG,
                    axis: None,
                });
            }
        });
        let returns = self.returns(scene);
        if !returns.is_empty() {
            ui.horizontal_wrapped(|ui| {
                ui.weak(
                    "The part is not where it is installed: the study begins there all the same.",
                );
            });
        }
    }

    /// The edits that bring the parts back to where they are installed; none when they are there.
    fn returns(&self, scene: &Scene) -> Vec<Command> {
        let parts = self.path.parts.iter().zip(&self.homes);
        parts
            .filter_map(|(name, home)| {
                let now = scene.part(name)?.placement();
                let off = (now.position - home.position).norm()
                    + 100.0 * now.rotation.angle_to(&home.rotation);
                let q = home.rotation;
                (off > 1e-6).then(|| Command::MovePart {
                    part: name.clone(),
                    position: Some(home.position.into()),
                    rotation: Some([q.w, q.i, q.j, q.k]),
                })
            })
            .collect()
    }
}

/// Names of the parts that are selected, or that a selected junction carries.
fn parts_of(scene: &Scene, selection: &Selection) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for thing in selection.things() {
        let more = match *thing {
            Thing::Part(k) => scene.parts.get(k).map(|p| vec![p.name.clone()]),
            Thing::Junction(k) => scene.junctions.get(k).map(|j| j.carries.clone()),
            _ => None,
        };
        for name in more.unwrap_or_default() {
            if !names.contains(&name) && scene.part(&name).is_some() {
                names.push(name);
            }
        }
    }
    // Those that are one body with another go with it anyway.
    let mut own: Vec<String> = Vec::new();
    for name in names {
        if !own.iter().any(|n| scene.body_of(n).contains(&name)) {
            own.push(name);
        }
    }
    own
}

/// Where a part stands, as a pose of the path.
fn key_pose(number: usize, pose: &Pose, home: &Pose) -> KeyPose {
    let turned = pose.rotation.angle_to(&home.rotation) > 1e-9;
    let q = pose.rotation;
    KeyPose {
        name: format!("pose {number}"),
        by: Some((pose.position - home.position).into()),
        rotation: turned.then_some([q.w, q.i, q.j, q.k]),
        ..KeyPose::default()
    }
}

fn mm(value: &mut f64) -> DragValue<'_> {
    DragValue::new(value)
        .range(-FARTHEST..=FARTHEST)
        .speed(0.5)
        .max_decimals(2)
        .suffix(" mm")
}

/// Name and displacement of a pose.
fn pose_fields(ui: &mut Ui, number: usize, pose: &mut KeyPose, home: &Pose) {
    ui.horizontal(|ui| {
        let name = TextEdit::singleline(&mut pose.name).desired_width(64.0);
        let name = ui.add(name);
        name.widget_info(|| {
            egui::WidgetInfo::labeled(
                egui::Role::TextInput,
                true,
                format!("Name of step {number}"),
            )
        });
        // Shown as a displacement, in whichever way the file has it.
        let at = pose.position.map(|at| Vec3::from(at) - home.position);
        let shown = at.or(pose.by.map(Vec3::from)).unwrap_or_else(Vec3::zeros);
        let mut by = shown;
        for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
            // The row is narrow: which step it is stands at its beginning, and here for those who hear the screen.
            let label = ui.label(letter);
            label.widget_info(|| {
                let full = format!("{letter} of step {number}");
                egui::WidgetInfo::labeled(egui::Role::Label, true, full)
            });
            ui.add(mm(&mut by[axis]))
                .labelled_by(label.id)
                .on_hover_text("From where the part is installed");
        }
        if by != shown {
            (pose.position, pose.by) = (None, Some(by.into()));
        }
        if pose.rotation.is_some() {
            ui.weak("turned");
        }
    });
}
