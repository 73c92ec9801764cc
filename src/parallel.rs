//! Work that is shared out over the processor's cores, with the same result on any number of them.

use std::num::NonZeroUsize;
use std::sync::{Mutex, OnceLock};
use std::thread;

/// Both results; the second is worked out on another core where there is one.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    if n_cores() <= 1 {
        return (first(), second());
    }
    thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        match second.join() {
            Ok(second) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// `work` of each number below `n`, in order: in stretches of `at_least` or more, so that a thread is worth it.
pub fn map_range<R: Send>(n: usize, at_least: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let n_chunks = (n / at_least.max(1)).clamp(1, 4 * n_cores());
    if n_cores() <= 1 || n_chunks == 1 {
        return (0..n).map(work).collect();
    }
    let chunks: Vec<std::ops::Range<usize>> = (0..n_chunks)
        .map(|i| n * i / n_chunks..n * (i + 1) / n_chunks)
        .collect();
    let done = map(chunks, |chunk| chunk.map(&work).collect::<Vec<R>>());
    done.into_iter().flatten().collect()
}

/// How many threads there may be. Asked of the system once: it reads files to answer.
fn n_cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    #[cfg(test)]
    if let Some(n) = tests::CORES.get() {
        return n;
    }
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZeroUsize::get))
}

/// `work` of each item, in the items' order.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let n_threads = n_cores().min(items.len());
    if n_threads <= 1 {
        return items.into_iter().map(work).collect();
    }
    let n_items = items.len();
    let queue = Mutex::new(items.into_iter().enumerate());
    let results = Mutex::new((0..n_items).map(|_| None).collect::<Vec<Option<R>>>());
    let share = || {
        loop {
            // A panic of `work` poisons no lock: none is held while it runs.
            let next = queue.lock().ok().and_then(|mut q| q.next());
            let Some((i, item)) = next else { break };
            let result = work(item);
            if let Ok(mut results) = results.lock() {
                results[i] = Some(result);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(share);
        }
        // This thread too: the others may be late, when the machine has other work.
        share();
    });
    let results = results
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // The scope has ended: every item is done, or the panic of its thread has gone on to our caller.
    results.into_iter().flatten().collect()
}

/// Has this thread share out its work as if there were so many cores.
#[cfg(test)]
pub fn pretend_cores(n: usize) {
    tests::CORES.set(Some(n));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Pretended number of cores, in this thread.
        pub static CORES: Cell<Option<usize>> = const { Cell::new(None) };
    }

    #[test]
    fn order_is_kept() {
        pretend_cores(3);
        let squares: Vec<usize> = (0..1000).map(|i| i * i).collect();
        assert_eq!(map((0..1000).collect(), |i: usize| i * i), squares);
        assert_eq!(map_range(1000, 10, |i| i * i), squares);
        assert_eq!(map_range(1000, 5000, |i| i * i), squares);
        assert_eq!(map_range(0, 10, |i| i), Vec::<usize>::new());
        assert_eq!(both(|| 1, || 2), (1, 2));
    }
}
