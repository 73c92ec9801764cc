//! Assembly studies and motion: runs them beside the window, and shows what they recorded instead of the document.

use std::path::{Path, PathBuf};

use super::LoomApp;
use crate::app::action::Action;
use crate::app::motion::{Motion, Pace};
use crate::app::panels::messages::Level;
use crate::app::panels::player;
use crate::app::playback::{Playback, PlaybackOrder, Recording, Source};
use crate::disk::{read_bounded, write_atomically};
use crate::exchange::{EnvelopeFormat, envelope_file};
use crate::scene::study::{Envelope, StudyPath, envelope};

/// A redraw that comes later than this goes on as if it had come then, s.
const LONGEST_REDRAW: f32 = 0.25;
/// Height of the drawer for a page of ours, points.
const ROOM: f32 = 330.0;
/// Bytes of a path, at most.
const LARGEST_PATH: u64 = 64 << 20;

impl LoomApp {
    /// Carries out what is asked of studies, motion and playback.
    pub(super) fn play(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::ShowStudy => {
                self.drawer.turn_to_study();
                self.show_drawer();
            }
            Action::ShowMotion => {
                self.drawer.turn_to_motion();
                self.show_drawer();
            }
            Action::OpenStudyPath(path) => match read_path(&path) {
                Ok(read) => self.drawer.study.take_path(read, &self.document),
                Err(why) => self.messages.push(Level::Error, why),
            },
            Action::OpenMotionPath(path) => match read_path(&path) {
                Ok(read) => self.drawer.motion.take_path(&path, read),
                Err(why) => self.messages.push(Level::Error, why),
            },
            Action::SaveStudyPath(made, path) => {
                let write = move |path: &Path| {
                    let text = serde_json::to_vec_pretty(&*made).map_err(|e| e.to_string())?;
                    write_atomically(path, |out| out.write_all(&text)).map_err(|e| e.to_string())
                };
                self.jobs.write("Path", with_ending(path, "json"), write);
            }
            Action::RunStudy(path, step, returns) => {
                let (scene, edit) = (self.document.scene().clone(), self.document.edit_number());
                self.jobs.study(scene, edit, (*path, step), returns);
            }
            Action::Move(order) => {
                self.leave_playback(ctx);
                let scene = self.document.scene().clone();
                self.motion = Some(Motion::start(scene, *order, ctx));
            }
            Action::Pace(pace) => {
                if let Some(motion) = &self.motion {
                    motion.ask(pace);
                }
                if pace != Pace::Stop {
                    // Looked back meanwhile, the newest is shown again.
                    self.follow_motion();
                }
            }
            Action::Playback(order) => self.play_back(order, ctx),
            Action::ShowEnvelopes(source) => {
                if self.view.shows_swept() {
                    self.view.forget_swept();
                } else if let Some(find) = self.envelopes(source) {
                    self.jobs.sweep(find);
                }
            }
            Action::SaveEnvelopes(source, path) => {
                if let Some(find) = self.envelopes(source) {
                    let path = with_ending(path, "stl");
                    let write = move |path: &Path| save_envelopes(path, find);
                    self.jobs.write("Swept envelopes", path, write);
                }
            }
            _ => {}
        }
    }

    /// Shows the drawer, with room for two columns and a plot where it was not open yet.
    fn show_drawer(&mut self) {
        if !self.settings.panes.drawer {
            self.settings.drawer_height = self.settings.drawer_height.max(ROOM);
        }
        self.settings.panes.drawer = true;
        self.keep_settings();
    }

    /// What was recorded from a source.
    fn recording(&self, source: Source) -> Option<&Recording> {
        let found = match source {
            Source::Study => self.drawer.study.recording(),
            Source::Motion => self.motion.as_ref().map(|m| &m.recording),
        };
        found.filter(|r| !r.samples.is_empty())
    }

    /// What is shown instead of the document, and its recording.
    pub fn playback(&self) -> Option<(&Playback, &Recording)> {
        let playback = self.playback.as_ref()?;
        Some((playback, self.recording(playback.source)?))
    }

    /// Work that finds the envelopes of a recording.
    fn envelopes(&self, source: Source) -> Option<impl FnOnce() -> Vec<Envelope> + use<>> {
        let scene = self.document.scene();
        let recording = self.recording(source).filter(|r| r.fits(scene))?;
        let samples = recording.samples.clone();
        let cables = scene
            .cables
            .iter()
            .map(|c| (c.name.clone(), c.edge_radii()));
        let cables: Vec<_> = cables.collect();
        Some(move || {
            let all = cables.iter().enumerate();
            all.filter_map(|(k, (name, radii))| envelope(&samples, k, name, radii))
                .collect()
        })
    }

    fn play_back(&mut self, order: PlaybackOrder, ctx: &egui::Context) {
        let source = match order {
            PlaybackOrder::Close => return self.leave_playback(ctx),
            PlaybackOrder::GoTo(source, _)
            | PlaybackOrder::Forward(source)
            | PlaybackOrder::Back(source) => source,
            _ => match &self.playback {
                Some(playback) => playback.source,
                None => return,
            },
        };
        let mut playback = (self.playback.take())
            .filter(|p| p.source == source)
            .unwrap_or_else(|| Playback::new(source));
        if let Some(recording) = self.recording(source) {
            let samples = &recording.samples;
            match order {
                PlaybackOrder::GoTo(_, at) => playback.go_to(samples, at),
                PlaybackOrder::Forward(_) => playback.start(samples, true),
                PlaybackOrder::Back(_) => playback.start(samples, false),
                PlaybackOrder::Step(by) => {
                    playback.go_to(samples, playback.at.saturating_add_signed(by));
                }
                PlaybackOrder::Speed(speed) => playback.speed = speed,
                PlaybackOrder::Pause | PlaybackOrder::Close => playback.pause(),
            }
            self.playback = Some(playback);
            self.show_played(ctx);
        }
        // Who looks back at a motion does not want it to run on meanwhile.
        if source == Source::Motion
            && let Some(motion) = &self.motion
            && motion.pace() == Pace::Run
            && !matches!(order, PlaybackOrder::Speed(_))
        {
            motion.ask(Pace::Pause);
        }
    }

    /// The newest of the motion is shown.
    fn follow_motion(&mut self) {
        let Some(recording) = self.recording(Source::Motion) else {
            return;
        };
        let speed = self.playback.as_ref().map_or(1.0, |p| p.speed);
        let mut playback = Playback::new(Source::Motion);
        playback.speed = speed;
        playback.go_to(&recording.samples, usize::MAX);
        self.playback = Some(playback);
    }

    /// Takes what the motion has come to, goes on with what is played, and shows it.
    pub(super) fn go_on_playing(&mut self, ctx: &egui::Context) {
        if let Some(motion) = &mut self.motion {
            let before = motion.recording.samples.len();
            // Who looks at the newest goes on with it; who has gone back, or to the document, is left there.
            let follows = match &self.playback {
                Some(playback) => playback.source == Source::Motion && playback.at + 1 >= before,
                None => before == 0,
            };
            if motion.poll() && follows {
                self.follow_motion();
            }
        }
        let Some(mut playback) = self.playback.take() else {
            return;
        };
        let Some(recording) = self.recording(playback.source) else {
            // It was of another document, or is being made anew.
            self.playback = Some(playback);
            return self.leave_playback(ctx);
        };
        if playback.is_going() {
            let seconds = ctx.input(|i| i.stable_dt).min(LONGEST_REDRAW);
            playback.advance(&recording.samples, f64::from(seconds));
            ctx.request_repaint();
        }
        let now = (playback.source, playback.at, self.view.revision());
        self.playback = Some(playback);
        // What is shown already is not built again in every redraw.
        if self.played != Some(now) {
            self.show_played(ctx);
        }
    }

    fn show_played(&mut self, ctx: &egui::Context) {
        let Some((playback, recording)) = self.playback() else {
            return;
        };
        let scene = self.document.scene();
        if !recording.fits(scene) {
            return;
        }
        let Some(sample) = recording.samples.get(playback.at).cloned() else {
            return;
        };
        let shown = (playback.source, playback.at);
        self.view.show_state(self.document.scene(), &sample, ctx);
        self.played = Some((shown.0, shown.1, self.view.revision()));
    }

    /// A study has ended: its path can be played from its beginning.
    pub(super) fn study_ended(&mut self, ctx: &egui::Context) {
        if self.drawer.study.recording().is_some() {
            self.play_back(PlaybackOrder::GoTo(Source::Study, 0), ctx);
        } else if self
            .playback
            .as_ref()
            .is_some_and(|p| p.source == Source::Study)
        {
            self.leave_playback(ctx);
        }
    }

    /// The view shows the document again.
    pub(super) fn leave_playback(&mut self, ctx: &egui::Context) {
        if let Some(motion) = &self.motion
            && motion.pace() == Pace::Run
        {
            motion.ask(Pace::Pause);
        }
        if self.playback.take().is_some() {
            self.view.leave_state();
            self.view.show(self.document.scene(), ctx);
        }
    }

    /// What changes the scene, or is about a place in it, is about the document and not about what is played.
    pub(super) fn leave_playback_for(&mut self, action: &Action, ctx: &egui::Context) {
        let leaves = matches!(
            action,
            Action::Edit(_)
                | Action::EditAll(_)
                | Action::BeginGesture
                | Action::Undo
                | Action::Redo
                | Action::UndoBy(_)
                | Action::RedoBy(_)
                | Action::Settle
                | Action::Import(..)
                | Action::Flexibilise(_)
                | Action::RigidifySelected
                | Action::DuplicateSelected(_)
                | Action::DeleteSelected
                | Action::HideSelected
                | Action::Isolate
                | Action::ShowAll
                | Action::ToggleGhost
                | Action::ZeroTwist(_)
                | Action::ReplacePart(..)
                | Action::UpdateParts(_)
                | Action::Pick(_)
                | Action::Use(_)
                | Action::Enter
        );
        if leaves && self.playback.is_some() {
            self.leave_playback(ctx);
        }
    }

    /// The bar below the view.
    pub(super) fn player_bar(&self, ui: &mut egui::Ui, actions: &mut Vec<Action>) {
        if let Some((playback, recording)) = self.playback() {
            let fits = recording.fits(self.document.scene());
            player::show(ui, playback, recording, fits, actions);
        }
    }
}

fn read_path(path: &Path) -> Result<StudyPath, String> {
    let unread = |why: String| format!("cannot read {}: {why}", path.display());
    let bytes = read_bounded(path, LARGEST_PATH).map_err(|e| unread(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|e| unread(e.to_string()))?;
    StudyPath::parse(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn with_ending(path: PathBuf, ending: &str) -> PathBuf {
    if path.extension().is_some() {
        path
    } else {
        path.with_extension(ending)
    }
}

fn save_envelopes(path: &Path, find: impl FnOnce() -> Vec<Envelope>) -> Result<(), String> {
    let format = EnvelopeFormat::of(path).ok_or_else(|| {
        let file = path.display();
        format!("An envelope is written as .stl or .glb, not as {file}")
    })?;
    let bytes = envelope_file(&find(), format);
    write_atomically(path, |out| out.write_all(&bytes)).map_err(|e| e.to_string())
}
