//! Undo and redo by snapshots. Meshes are shared, so a snapshot is cheap, and going back is exact.

/// How many undo points are kept.
const MAX_UNDO: usize = 200;

/// The states before and after the present one.
#[derive(Clone, Debug)]
pub struct History<S> {
    undo: Vec<S>,
    redo: Vec<S>,
    gesture: Gesture,
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
        self.undo.pop_if(|_| changed)
    }

    /// Something was changed, from this state; says whether it is a new undo point (the first of a gesture is).
    pub fn changed(&mut self, before: S) -> bool {
        if self.gesture == Gesture::Changed {
            return false;
        }
        self.undo.push(before);
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
        let to = self.undo.pop();
        to.map(|to| self.redo.push(swap(to))).is_some()
    }

    /// The state to go forward to again.
    pub fn redo(&mut self, swap: impl FnOnce(S) -> S) -> bool {
        self.end_gesture();
        let to = self.redo.pop();
        to.map(|to| self.undo.push(swap(to))).is_some()
    }
}
