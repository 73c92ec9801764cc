//! Work that is shared out over the processor's cores, with the same result on any number of them.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread;

/// `work` of each item, in the items' order.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let n_threads = thread::available_parallelism()
        .map_or(1, NonZeroUsize::get)
        .min(items.len());
    if n_threads <= 1 {
        return items.into_iter().map(work).collect();
    }
    let n_items = items.len();
    let queue = Mutex::new(items.into_iter().enumerate());
    let results = Mutex::new((0..n_items).map(|_| None).collect::<Vec<Option<R>>>());
    thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                loop {
                    // A panic of `work` poisons no lock: none is held while it runs.
                    let next = queue.lock().ok().and_then(|mut q| q.next());
                    let Some((i, item)) = next else { break };
                    let result = work(item);
                    if let Ok(mut results) = results.lock() {
                        results[i] = Some(result);
                    }
                }
            });
        }
    });
    let results = results
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    // The scope has ended: every item is done, or the panic of its thread has gone on to our caller.
    results.into_iter().flatten().collect()
}
