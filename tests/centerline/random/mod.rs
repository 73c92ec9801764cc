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

fn verdict(case: &make::Case) -> Verdict {
    match extract(&case.mesh, &Settings::default(), &|_| true) {
        Ok(graph) => judge(case, &graph),
        Err(ExtractError::NoCable { reason, .. }) => Verdict::Told(format!("refused: {reason}")),
        Err(ExtractError::Cancelled) => unreachable!("nobody cancels"),
    }
}

#[test]
fn a_line_ends_in_the_middle_of_its_cap_or_rim_behind_a_bend_that_goes_on_to_the_end() {
    // Rough caps, open rims, one with holes beside it, and few rings in the last bend: the lines were up to 0.36 radii aside.
    for seed in [
        100_196, 700_209, 900_092, 900_187, 900_194, 300_030, 500_159,
    ] {
        let case = make::case(seed);
        let what = match verdict(&case) {
            Verdict::Right => continue,
            Verdict::Told(what) | Verdict::Silent(what) => what,
        };
        panic!("{seed} {}: {what}", case.what);
    }
}

#[test]
fn few_vertices_on_one_side_do_not_make_a_simplified_tube_thicker() {
    // In its bends the circles through five or six vertices were up to a fifth too large, at a confidence of 0.96.
    let case = make::case(3_100_104);
    let graph = extract(&case.mesh, &Settings::default(), &|_| true).unwrap();
    let radius = case.lines[0][0].radius;
    for point in &graph.branches[0].curve {
        let ratio = point.radius / radius;
        let is_near = (ratio - 1.0).abs() < 0.1;
        assert!(is_near, "{ratio:.3} at {:.1}", point.position);
    }
}

#[test]
fn what_is_found_in_random_cables_is_right_or_warned_of() {
    let n_cases = number("LOOMWRIGHT_CASES", 40);
    let first = number("LOOMWRIGHT_SEED", 1) * 100_000;
    let (mut n_right, mut n_told, mut silent) = (0, 0, Vec::new());
    for seed in first..first + n_cases {
        let case = make::case(seed);
        match verdict(&case) {
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
    // Of 300 cases each of the seeds 1, 3, 5, 7, 9, 11 and 13 there were 6 silent in all, and 17 to 24 told in each.
    assert!(
        silent.len() as u64 <= n_cases.div_ceil(300) && n_told * 6 <= n_cases,
        "{} of {n_cases} wrong without a word, {n_told} told:\n{}",
        silent.len(),
        silent.join("\n")
    );
}
