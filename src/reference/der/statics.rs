//! Equilibrium by Newton's method, and the quasistatic frame.

use super::band::{Band, Factors};
use super::chain::{Chain, unknown};
use crate::geom::{Pose, Vec3};

/// Residual over the scale of forces at which a solve has converged.
const TOLERANCE: f64 = 1e-8;
/// Iterations without line search, then with one.
const MIXED_ITERATIONS: usize = 60;
const DESCENT_ITERATIONS: usize = 400;
/// Largest way of a node in one iteration, over the length of the rod, and largest turn of an angle, radians: beyond, the
/// quadratic model says nothing, and turns can no longer be counted.
const LARGEST_MOVE: f64 = 0.2;
const LARGEST_TURN: f64 = 1.5;
/// A weak pull to where it is, over EI/L^3: settles motions that cost nothing, such as an arch that turns about the line
/// through its ends. It is not in the gradient, so the equilibrium does not feel it.
const PROXIMAL: f64 = 1e-3;
/// How far a node is pushed off a saddle, over the length of the rod, and how often.
const KICK: f64 = 1e-3;
const KICKS: usize = 8;

/// What a support does to the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// Force on the rod.
    pub force: Vec3,
    /// Moment on the rod about the support's place.
    pub moment: Vec3,
}

/// How a solve ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Whether the residual is below the tolerance.
    pub converged: bool,
    /// Iterations of all kinds.
    pub iterations: usize,
    /// Norm of the unbalanced force (moments over the length).
    pub residual: f64,
    /// Directions in which the energy falls: 0 in a stable equilibrium.
    pub unstable_directions: usize,
    /// The supports, in their order.
    pub reactions: Vec<Reaction>,
}

/// A chain that is brought to rest.
#[derive(Clone, Debug)]
pub struct Statics {
    /// The rod and its state.
    pub chain: Chain,
    /// Whether a saddle is left by the way down. Otherwise it is reported as the equilibrium that it is.
    pub leave_saddles: bool,
}

impl Statics {
    /// Stays on saddles.
    pub fn new(chain: Chain) -> Self {
        Self {
            chain,
            leave_saddles: false,
        }
    }

    /// Takes the supports to new poses and rolls in equal parts, and solves after each.
    ///
    /// The turns of a support are counted by its roll; in one part it may turn by less than half a turn.
    pub fn go(&mut self, targets: &[(Pose, f64)], parts: usize) -> Solution {
        let from: Vec<(Pose, f64)> = self.chain.problem.supports[..targets.len()]
            .iter()
            .map(|s| (s.pose, s.roll))
            .collect();
        let mut iterations = 0;
        let mut last = None;
        for part in 1..=parts {
            let share = part as f64 / parts as f64;
            let between: Vec<(Pose, f64)> = from
                .iter()
                .zip(targets)
                .map(|((a, a_roll), (b, b_roll))| {
                    let pose = Pose {
                        position: a.position.lerp(&b.position, share),
                        rotation: a
                            .rotation
                            .try_slerp(&b.rotation, share, 1e-12)
                            .unwrap_or(b.rotation),
                    };
                    (pose, a_roll + share * (b_roll - a_roll))
                })
                .collect();
            let change = self.chain.move_supports(&between);
            let solution = self.solve_from(&change);
            iterations += solution.iterations;
            last = Some(Solution {
                iterations,
                ..solution
            });
        }
        last.unwrap_or_else(|| self.solve())
    }

    /// Solves with the supports where they are.
    pub fn solve(&mut self) -> Solution {
        self.solve_from(&[])
    }

    /// Solves from a state that is nearly in equilibrium, by Newton's method alone: it ends beside where it began, in an
    /// equilibrium that may be unstable under dead loads, or has not converged.
    pub fn solve_nearby(&mut self) -> Solution {
        let (converged, iterations) = self.mixed(&[]);
        self.solution(converged, iterations)
    }

    fn solve_from(&mut self, change: &[(usize, f64)]) -> Solution {
        let start = self.chain.clone();
        let (mut converged, mut iterations) = self.mixed(change);
        if !converged {
            self.chain = start;
            let mut step = vec![0.0; self.chain.fixed.len()];
            for &(at, by) in change {
                step[at] = by;
            }
            self.chain.advance(&step, 1.0);
            let (good, more) = self.descend();
            (converged, iterations) = (good, iterations + more);
        }
        for _ in 0..KICKS {
            if !(converged && self.leave_saddles && self.kick()) {
                break;
            }
            let (_, more) = self.descend();
            let (good, last) = self.mixed(&[]);
            (converged, iterations) = (good, iterations + more + last);
        }
        self.solution(converged, iterations)
    }

    fn solution(&self, converged: bool, iterations: usize) -> Solution {
        let gradient = self.chain.gradient();
        let reactions = self.chain.problem.supports.iter().map(|support| {
            let (force, moment) = self.chain.reaction(support, &gradient);
            Reaction { force, moment }
        });
        Solution {
            converged,
            iterations,
            residual: self.residual(&gradient),
            unstable_directions: self.unstable_directions(),
            reactions: reactions.collect(),
        }
    }

    /// Rolls one support to `roll` while the centerline stays, and lets the material frames follow. Whether they are found.
    pub fn turn_frames(&mut self, support: usize, roll: f64) -> bool {
        let mut targets: Vec<(Pose, f64)> = self
            .chain
            .problem
            .supports
            .iter()
            .map(|s| (s.pose, s.roll))
            .collect();
        targets[support].1 = roll;
        let mut step = vec![0.0; self.chain.fixed.len()];
        for (at, by) in self.chain.move_supports(&targets) {
            step[at] = by;
        }
        self.chain.advance(&step, 1.0);
        self.settle_frames()
    }

    /// The quasistatic frame (Bergou2008, section 5.1): turns the material frames to the least energy while the
    /// centerline stays. Whether it is found.
    pub fn settle_frames(&mut self) -> bool {
        let held = self.chain.fixed.clone();
        for i in 0..self.chain.x.len() {
            for c in 0..3 {
                self.chain.fixed[unknown(i, c)] = true;
            }
        }
        let (found, _) = self.descend();
        self.chain.fixed = held;
        found
    }

    fn residual(&self, gradient: &[f64]) -> f64 {
        let length = self.chain.problem.length();
        let sum: f64 = gradient
            .iter()
            .enumerate()
            .filter(|(k, _)| !self.chain.fixed[*k])
            .map(|(k, g)| if k % 4 == 3 { g / length } else { *g })
            .map(|g| g * g)
            .sum();
        sum.sqrt()
    }

    /// The tolerance, raised to what rounding of the coordinates leaves of the stretching forces.
    fn tolerance(&self) -> f64 {
        let problem = &self.chain.problem;
        let reach = self.chain.x.iter().map(Vec3::amax).fold(0.0, f64::max);
        let shortest = problem
            .rest_lengths
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let n = problem.rest_lengths.len() as f64;
        let rounding = 4.0 * f64::EPSILON * problem.stiffness.stretch * reach / shortest * n.sqrt();
        (TOLERANCE * problem.force_scale()).max(rounding)
    }

    /// Newton's method without line search, with the tension of each edge as an unknown of its own that is put in from the
    /// step before. A stiff edge does not shorten the steps then: what a node moves across an edge would otherwise raise
    /// its tension beyond all measure.
    fn mixed(&mut self, change: &[(usize, f64)]) -> (bool, usize) {
        let tolerance = self.tolerance();
        let n = self.chain.fixed.len();
        let mut tensions = self.chain.tensions();
        let mut band = Band::zeros(n);
        let mut change = change;
        for iteration in 0..MIXED_ITERATIONS {
            let mut gradient = vec![0.0; n];
            band.clear();
            self.chain
                .assemble(&mut gradient, Some(&mut band), &tensions);
            let residual = self.residual(&gradient);
            if change.is_empty() && residual <= tolerance {
                return (true, iteration);
            }
            if !residual.is_finite() {
                break;
            }
            self.add_proximal(&mut band, 1.0);
            let step = newton_step(&band, &gradient, &self.chain.fixed, change).0;
            let share = if change.is_empty() {
                self.share_of(&step)
            } else {
                1.0
            };
            change = &[];
            for (edge, tension) in tensions.iter_mut().enumerate() {
                if let Some(stretch) = self.chain.stretch(edge) {
                    let e = self.chain.x[edge + 1] - self.chain.x[edge];
                    let de =
                        Vec3::from_fn(|c, _| step[unknown(edge + 1, c)] - step[unknown(edge, c)]);
                    let along = e.normalize().dot(&de) * share;
                    *tension = stretch.tension(&e) + stretch.stiffness / stretch.length * along;
                }
            }
            self.chain.advance(&step, share);
        }
        (false, MIXED_ITERATIONS)
    }

    /// Newton's method on the energy with a line search; where the Hessian has a negative direction, the weak pull grows
    /// until it has none.
    pub(super) fn descend(&mut self) -> (bool, usize) {
        let tolerance = self.tolerance();
        let n = self.chain.fixed.len();
        let mut band = Band::zeros(n);
        let mut pull = 1.0;
        for iteration in 0..DESCENT_ITERATIONS {
            let mut gradient = vec![0.0; n];
            band.clear();
            self.chain.assemble(&mut gradient, Some(&mut band), &[]);
            let residual = self.residual(&gradient);
            if residual <= tolerance {
                return (true, iteration);
            }
            if !residual.is_finite() {
                return (false, iteration);
            }
            pull = f64::max(1.0, pull / 100.0);
            let step = loop {
                let mut pulled = band.clone();
                self.add_proximal(&mut pulled, pull);
                let (step, factors) = newton_step(&pulled, &gradient, &self.chain.fixed, &[]);
                if factors.negative_pivots() == 0 || pull > 1e20 {
                    break step;
                }
                pull *= 10.0;
            };
            let slope: f64 = (step.iter().zip(&gradient)).map(|(s, g)| s * g).sum();
            let before = self.chain.energies().total();
            let start = self.chain.clone();
            let mut share = self.share_of(&step);
            for _ in 0..40 {
                self.chain.advance(&step, share);
                let now = self.chain.energies().total();
                let rounding = 1e-14 * before.abs().max(now.abs());
                if now <= before + 1e-4 * share * slope + rounding {
                    break;
                }
                share *= 0.5;
                self.chain = start.clone();
            }
        }
        (false, DESCENT_ITERATIONS)
    }

    /// How much of a step can be taken.
    fn share_of(&self, step: &[f64]) -> f64 {
        let longest = LARGEST_MOVE * self.chain.problem.length();
        let mut most = 1.0_f64;
        for (k, by) in step.iter().enumerate() {
            let limit = if k % 4 == 3 { LARGEST_TURN } else { longest };
            most = most.max(by.abs() / limit);
        }
        1.0 / most
    }

    /// The weak pull on unknown `k`: EI/L^3 over the length that a node owns, EI/L for an angle.
    fn proximal(&self, k: usize) -> f64 {
        let problem = &self.chain.problem;
        let length = problem.length();
        let n = problem.rest_lengths.len();
        let softest = problem.stiffness.bend[0].min(problem.stiffness.bend[1]);
        let own = (k / 4).saturating_sub(self.chain.first).min(n);
        let share = problem.joint_length(own) / length;
        let unit = if k % 4 == 3 { length * length } else { 1.0 };
        PROXIMAL * softest / length.powi(3) * share * unit
    }

    fn add_proximal(&self, band: &mut Band, times: f64) {
        for k in 0..self.chain.fixed.len() {
            band.add(k, k, times * self.proximal(k));
        }
    }

    /// The factors of the true Hessian with the weak pull: a motion that costs nothing is not unstable.
    fn true_factors(&self) -> Factors {
        let n = self.chain.fixed.len();
        let mut band = Band::zeros(n);
        let mut gradient = vec![0.0; n];
        self.chain.assemble(&mut gradient, Some(&mut band), &[]);
        self.add_proximal(&mut band, 1.0);
        newton_step(&band, &gradient, &self.chain.fixed, &[]).1
    }

    fn unstable_directions(&self) -> usize {
        self.true_factors().negative_pivots()
    }

    /// Leaves a saddle along a direction of negative curvature; false where there is none.
    fn kick(&mut self) -> bool {
        let Some(mut way) = self.true_factors().descent() else {
            return false;
        };
        for (k, v) in way.iter_mut().enumerate() {
            if self.chain.fixed[k] {
                *v = 0.0;
            }
        }
        let length = self.chain.problem.length();
        let most = way.iter().enumerate().map(|(k, v)| {
            let unit = if k % 4 == 3 { length } else { 1.0 };
            v.abs() * unit
        });
        let most = most.fold(f64::MIN_POSITIVE, f64::max);
        self.chain.advance(&way, KICK * length / most);
        true
    }
}

/// Solves H step = -gradient with the held unknowns changed as given, and returns the factors too.
fn newton_step(
    band: &Band,
    gradient: &[f64],
    fixed: &[bool],
    change: &[(usize, f64)],
) -> (Vec<f64>, Factors) {
    let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
    for &(at, by) in change {
        for j in band.neighbours(at) {
            step[j] -= band.get(at, j) * by;
        }
    }
    let mut band = band.clone();
    for (k, fixed) in fixed.iter().enumerate() {
        if *fixed {
            band.fix(k);
            step[k] = 0.0;
        }
    }
    for &(at, by) in change {
        step[at] = by;
    }
    let factors = band.factor();
    factors.solve(&mut step);
    (step, factors)
}
