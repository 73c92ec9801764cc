//! Undo and redo by snapshots. Meshes are shared, so a snapshot is cheap, and going back is exact.

/// How many undo points are kept.
const MAX_UNDO: usize = 200;

/// The states before and after the present one.
#[derive(Clone, Debug)]
pub struct History<S> {
    undo: Vec<Step<S>>,
    redo: Vec<Step<S>>,
    gesture: Gesture,
}

/// A change and the state on its other side.
#[derive(Clone, Debug)]
struct Step<S> {
    title: String,
    state: S,
}

/// A change that goes on while the mouse is down: one undo point in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gesture {
    #[default]
    None,
    /// Begun, nothing changed yet.
    Begun,
    /// Something changed; the undo point is there.
    Changed,
}

impl<S> Default for History<S> {
    fn default() -> Self {
        Self {
            undo: Vec::new(),
            redo: Vec::new(),
            gesture: Gesture::None,
        }
    }
}

impl<S> History<S> {
    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// What can be undone, the last change first.
    pub fn undo_titles(&self) -> impl Iterator<Item = &str> {
        self.undo.iter().rev().map(|step| step.title.as_str())
    }

    /// What can be redone, the next change first.
    pub fn redo_titles(&self) -> impl Iterator<Item = &str> {
        self.redo.iter().rev().map(|step| step.title.as_str())
    }

    /// Gives the last change another title: it has become more than it began with.
    pub fn retitle(&mut self, title: impl Into<String>) {
        if let Some(last) = self.undo.last_mut() {
            last.title = title.into();
        }
    }

    /// Starts a change whose edits share one undo point.
    pub fn begin_gesture(&mut self) {
        self.gesture = Gesture::Begun;
    }

    /// Whether such a change goes on.
    pub fn is_in_gesture(&self) -> bool {
        self.gesture != Gesture::None
    }

    /// Ends it and keeps what was done.
    pub fn end_gesture(&mut self) {
        self.gesture = Gesture::None;
    }

    /// Ends it; the state from before it when something was changed.
    pub fn cancel_gesture(&mut self) -> Option<S> {
        let changed = std::mem::take(&mut self.gesture) == Gesture::Changed;
        self.undo.pop_if(|_| changed).map(|step| step.state)
    }

    /// Something was changed, from this state; says whether it is a new undo point (the first of a gesture is).
    pub fn changed(&mut self, before: S, title: impl Into<String>) -> bool {
        if self.gesture == Gesture::Changed {
            return false;
        }
        self.undo.push(Step {
            title: title.into(),
            state: before,
        });
        if self.undo.len() > MAX_UNDO {
            self.undo.remove(0);
        }
        self.redo.clear();
        if self.gesture == Gesture::Begun {
            self.gesture = Gesture::Changed;
        }
        true
    }

    /// The state to go back to; `swap` puts it in the place of the present one, which it returns.
    pub fn undo(&mut self, swap: impl FnOnce(S) -> S) -> bool {
        self.end_gesture();
        let Some(Step { title, state }) = self.undo.pop() else {
            return false;
        };
        let state = swap(state);
        self.redo.push(Step { title, state });
        true
    }

    /// The state to go forward to again.
    pub fn redo(&mut self, swap: impl FnOnce(S) -> S) -> bool {
        self.end_gesture();
        let Some(Step { title, state }) = self.redo.pop() else {
            return false;
        };
        let state = swap(state);
        self.undo.push(Step { title, state });
        true
    }
}
