//! Random cables with known truth: what extraction finds is right, or a warning stands where it is not.
//!
//! `LOOMWRIGHT_CASES=300 cargo test --release --test centerline random -- --nocapture` runs more of them, and
//! `LOOMWRIGHT_SEED=7` others; each case is known by its seed.

mod decimate;
mod judge;
mod make;

use judge::{Verdict, judge};
use loomwright::centerline::{ExtractError, Settings, extract};

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(default)
}

#[test]
fn what_is_found_in_random_cables_is_right_or_warned_of() {
    let n_cases = number("LOOMWRIGHT_CASES", 40);
    let first = number("LOOMWRIGHT_SEED", 1) * 100_000;
    let (mut n_right, mut n_told, mut silent) = (0, 0, Vec::new());
    for seed in first..first + n_cases {
        let case = make::case(seed);
        let verdict = match extract(&case.mesh, &Settings::default(), &|_| true) {
            Ok(graph) => judge(&case, &graph),
            Err(ExtractError::NoCable { reason, .. }) => {
                Verdict::Told(format!("refused: {reason}"))
            }
            Err(ExtractError::Cancelled) => unreachable!("nobody cancels"),
        };
        match verdict {
            Verdict::Right => n_right += 1,
            Verdict::Told(what) => {
                n_told += 1;
                println!("{seed} {}: {what}", case.what);
            }
            Verdict::Silent(what) => silent.push(format!("{seed} {}: {what}", case.what)),
        }
    }
    println!(
        "{n_cases} cases: {n_right} right, {n_told} told, {} silent",
        silent.len()
    );
    // What the method keeps today, not what is aimed at (one silent in 300): of 300 cases of seeds 1, 7 and 9 there were
    // 4, 3 and 5 silent, half of them ends and half simplified meshes, and 27, 13 and 19 told.
    assert!(
        silent.len() as u64 <= 1 + n_cases / 60 && n_told * 6 <= n_cases,
        "{} of {n_cases} wrong without a word, {n_told} told:\n{}",
        silent.len(),
        silent.join("\n")
    );
}
