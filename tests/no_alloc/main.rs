//! A solver that has warmed up allocates nothing in a step but the contacts of its report.

mod counting;

use counting::count;
use loomwright::scene::bench::{Case, case};
use loomwright::solve::{CancelToken, Solver};

/// Plays the case once; returns the steps that allocated more than they may, with the first place of each.
fn play(case: &Case, solver: &mut Solver) -> Vec<String> {
    let cancel = CancelToken::default();
    let mut surplus = Vec::new();
    for (k, targets) in case.targets.iter().enumerate() {
        let (report, allocations) = count(|| solver.step(targets, &cancel, None));
        let lists = [report.contacts.is_empty(), report.rod_contacts.is_empty()];
        let allowed = lists.iter().filter(|empty| !**empty).count();
        if allocations.number > allowed {
            let number = allocations.number;
            let place = allocations.first.map(|at| at.to_string());
            surplus.push(format!(
                "step {k}: {number} allocations, first at\n{}",
                place.unwrap_or_default()
            ));
        }
    }
    surplus
}

/// Plays the case round after round until its memory has grown to what it needs, then once more.
fn check(name: &str, warm_up: usize) {
    let case = case(name).unwrap();
    let mut solver = case.solver.clone();
    let mut last = Vec::new();
    for round in 0..=warm_up {
        last = play(&case, &mut solver);
        println!("{name}, round {round}: {} steps allocate", last.len());
    }
    assert!(last.is_empty(), "{name}: {}", last.join("\n"));
}

#[test]
fn a_free_drag_allocates_nothing() {
    check("p1-5mm", 1);
}

#[test]
fn a_drag_in_contact_allocates_its_report_only() {
    check("cylinder-100", 2);
}

#[test]
fn loops_that_rub_on_each_other_allocate_their_report_only() {
    check("loops", 6);
}

/// Not inlined: without line tables, a place is told by the functions that are left.
#[inline(never)]
fn hundred_bytes() -> Vec<u8> {
    vec![1; 100]
}

#[test]
fn the_counter_counts() {
    let (vector, allocations) = count(hundred_bytes);
    assert_eq!((vector.len(), allocations.number), (100, 1));
    let place = allocations.first.unwrap().to_string();
    assert!(place.contains("hundred_bytes"), "{place}");
}
