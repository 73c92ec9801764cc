//! An allocator that counts what the current thread asks for, and notes where it first did.
#![allow(unsafe_code, reason = "GlobalAlloc is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};

/// What a piece of code asked of the allocator.
pub struct Allocations {
    /// How often it asked; growing counts too, giving back does not.
    pub number: usize,
    /// Where it first did.
    pub first: Option<Backtrace>,
}

/// Runs `f` and counts its allocations.
pub fn count<T>(f: impl FnOnce() -> T) -> (T, Allocations) {
    NUMBER.set(0);
    IS_COUNTING.set(true);
    let result = f();
    IS_COUNTING.set(false);
    let allocations = Allocations {
        number: NUMBER.get(),
        first: FIRST.take(),
    };
    (result, allocations)
}

thread_local! {
    static IS_COUNTING: Cell<bool> = const { Cell::new(false) };
    static NUMBER: Cell<usize> = const { Cell::new(0) };
    static FIRST: RefCell<Option<Backtrace>> = const { RefCell::new(None) };
}

fn note() {
    // Taking a backtrace allocates as well: that does not count.
    if !IS_COUNTING.get() {
        return;
    }
    IS_COUNTING.set(false);
    NUMBER.set(NUMBER.get() + 1);
    if NUMBER.get() == 1 {
        FIRST.set(Some(Backtrace::force_capture()));
    }
    IS_COUNTING.set(true);
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(memory, layout, size) }
    }
}
