//! The constants of the solver, in one place. All are ratios: nothing depends on the unit of length or force.

/// Residual at rest, over the rod's force scale.
pub const TOLERANCE: f64 = 1e-6;
/// Residual at rest, over the largest force along the rod: a taut cable is solved to its own scale.
pub const TOLERANCE_OF_TENSION: f64 = 1e-8;
/// Force and moment out of balance at a body at rest, over the largest that acts on it.
pub const BALANCE: f64 = 1e-6;
/// Noise of a computed force in units of (machine epsilon) x (stiffness) x (coordinates).
pub const NOISE: f64 = 8.0;
/// Part of that noise, and of the tolerance of a rod, that is asked of the balance of a body at most.
pub const BODY_NOISE: f64 = 1.0 / 16.0;
/// See [`BODY_NOISE`].
pub const BODY_TOLERANCE: f64 = 1e-4;
/// Way of a node since its rod's Hessian was taken, over the rod's length, up to which a rod that bodies join keeps it. The
/// frames' turn on an arm counts as a way. The stretch that a step of such a rod makes by mistake is a product of two little
/// angles, and is gone after one more step.
pub const KEPT: f64 = 4e-5;
/// Largest rotation of any frame in one iteration, radians.
pub const ROTATION_CAP: f64 = 1.0;
/// Largest way of any node in one iteration, over the cable's length.
pub const WAY_CAP: f64 = 0.15;
/// First and smallest trusted way of a node in one damped iteration, over the cable's length. A step that was cut is
/// followed by one of at most `RETRIED` times what was taken of it; one that went through and used `USED` of the trust by
/// one twice as long.
pub const TRUST: f64 = 0.02;
/// See [`TRUST`].
pub const SMALLEST_TRUST: f64 = 1e-4;
/// See [`TRUST`].
pub const RETRIED: f64 = 4.0;
/// See [`TRUST`].
pub const USED: f64 = 0.25;
/// Iterations in a row that collisions cut to almost nothing, before another way is tried: the fast way, and
/// damped where a shorter way of the handles is left to try.
pub const STALLED: [usize; 2] = [8, 11];
/// Iterations in a row with the smallest trusted way, before a shorter way of the handles is tried: such a run goes to and
/// fro where a contact comes and goes.
pub const CRAWLS: usize = 40;
/// Undamped iterations before the line search sets in.
pub const UNDAMPED: usize = 12;
/// Growth of a correction over the last one from which the line search sets in at once.
pub const GROWN: f64 = 1.5;
/// Steps in a row that the line search may refuse before the run is given up: each is cut to a thousandth, and
/// thousands of them go nowhere.
pub const REFUSED: usize = 20;
/// Way over radius below which a refused step is taken whole, and how many in a row. Contacts fade in and out by rules
/// whose slopes are left out of the forces, and the energy may rise a little along the way to where the forces balance.
pub const LEAP: f64 = 0.01;
/// See [`LEAP`].
pub const LEAPS: usize = 8;
/// Iterations of the fast way before steps are curved: most slips are over by then, and it costs as much as an iteration.
pub const CURVES_AFTER: usize = 20;
/// Fractions of a step that are curved, at most, and corrections of each.
pub const CURVED: usize = 3;
/// See [`CURVED`].
pub const CORRECTIONS: usize = 6;
/// Energy that stretch and contacts gain by a step, over the rise of its merit, from which it is worth curving.
pub const MOSTLY_STIFF: f64 = 0.3;
/// Part of the last step that goes on in the next, against the shift, and the fraction of the last step that must have
/// been taken. In what stays soft beside the shift steps add up to ten times the way.
pub const MOMENTUM: f64 = 0.9;
/// See [`MOMENTUM`].
pub const ROLLS: f64 = 0.25;
/// Fraction of a step below which it was too bold, whatever cut it.
pub const BOLD: f64 = 0.1;
/// Way of a handle over the cable's length, and turn in radians, from which a chunk that finds no rest is first tried
/// with a shorter way.
pub const FAR: f64 = 0.002;
/// See [`FAR`].
pub const FAR_ANGLE: f64 = 0.01;
/// Chunks in a row that take a handle less far than that over radius, after which it counts as stopped.
pub const CREEPS: usize = 6;
/// See [`CREEPS`].
pub const CREEP: f64 = 0.01;
/// Slides in a row that come no nearer than that, after which a handle counts as stopped.
pub const SLIDES: usize = 3;
/// See [`SLIDES`].
pub const NEARER: f64 = 0.98;
/// Iterations of the fast way before the damped one takes over.
pub const ITERATIONS: usize = 60;
/// Iterations of the damped way: enough for a cable that slides off and falls, a few mm an iteration.
pub const DAMPED_ITERATIONS: usize = 1000;
/// Iterations of one step after which no further chunk of a handle's way is begun.
pub const STEP_ITERATIONS: usize = 4000;
/// Iterations that may carry handle motion within one chunk.
pub const PREDICTORS: usize = 6;
/// Largest node motion in a predictor, over the motion of the handles.
pub const PREDICTOR_BOUND: f64 = 4.0;
/// Way of a handle in one chunk, over the cable's length.
pub const CHUNK: f64 = 0.1;
/// Turn of a handle in one chunk, radians.
pub const CHUNK_ANGLE: f64 = 0.5;
/// Smallest part of a chunk that is tried before a handle counts as stopped.
pub const SMALLEST_CHUNK: f64 = 1e-3;
/// Way over the cable's length, and turn in radians, that are rounding and no motion.
pub const NO_WAY: f64 = 1e-12;
/// Distance over the cable's length, and angle, of targets that are the same: what could not be reached is not tried again.
pub const SAME_TARGET: f64 = 1e-9;
/// Progress of a chunk below which it counts as stuck.
pub const STUCK: f64 = 0.02;
/// Way along a face below which a handle that is held by it stays, over radius.
pub const SMALLEST_SLIDE: f64 = 0.05;
/// Chunks in one leg of the handles' way, at most.
pub const CHUNKS: usize = 200;
/// Steps that are found again with what they run into, at most, and the fraction of a step below which that is worth it.
pub const LOOKS: usize = 3;
/// See [`LOOKS`].
pub const SHORT: f64 = 0.5;
/// Gap over barrier distance at which a step is to meet what it runs into: where contacts come to rest.
pub const LANDING: f64 = 0.5;
/// Chords along which the ends of a body that turns are swept, at most, until the one that is taken was swept itself.
pub const CHORDS: usize = 12;
/// Fraction of a handle's way below which what the handle itself meets does not let it go at all.
pub const MET: f64 = 1e-3;
/// Largest strain of an edge with which a run that has not come to rest is on its way and goes on: a snap, or a slide. More
/// is a prediction that went wrong.
pub const SOUND: f64 = 0.01;
/// Axial strain at which a handle stops: the cable is taut.
pub const TAUT: f64 = 0.005;
/// The same over the strain under the cable's whole own weight, where that is more: a soft hose hangs long before it is taut.
pub const HANGING: f64 = 1.5;
/// Part of it that a handle is sent to at most, where the cable between two handles would be straight: more than
/// [`NEARLY`], and not so much that the little that it sags makes it too taut.
pub const AT_REACH: f64 = 0.99;
/// Part of it that is near enough: what is left of the way is micrometres.
pub const NEARLY: f64 = 0.98;
/// Part of it below which a cable counts as slack: where it becomes taut is not known from how taut it is.
pub const SLACK: f64 = 0.5;
/// Curvature below which a state counts as unstable, over EI (pi/L)^4 per length.
pub const UNSTABLE: f64 = 1e-3;
/// Push along an unstable direction, over the cable's length.
pub const KICK: f64 = 3e-3;
/// Pushes in one chunk, at most.
pub const KICKS: usize = 6;
/// Iterations between two looks at whether the barrier is too soft, and the gap over barrier distance that says so.
pub const ADAPT_EVERY: usize = 3;
/// See [`ADAPT_EVERY`].
pub const TIGHT: f64 = 0.05;
/// Forces out of balance, over the heaviest contact with a part, with which a contact counts as loaded. One that a step
/// has run into pushes back with more than it carries, and a stiffer barrier would only make it worse.
pub const LOADED: f64 = 0.3;
/// Iterations after which the barrier is suited to a contact whether it is loaded or not.
pub const PRESSED_AFTER: usize = 30;
/// Part of an edge next to a held node in which a contact with a part is the handle's alone: no barrier can be too soft
/// for it.
pub const AT_NODE: f64 = 0.02;
/// The same between rods, where the edges of both have a node that is held: all of such an edge, whose other end gives way
/// hardly more.
pub const BETWEEN_HANDLES: f64 = 1.0;
/// Iterations after which contacts stick, in case they come and go.
pub const STICK_AFTER: usize = 25;
/// Driving force of a flow that counts as none, over the largest tension (or a tenth of the force scale).
pub const FLOW_TOLERANCE: f64 = 1e-4;
/// Amounts on both sides of the balance that are as good as one, over the stretch that grows.
pub const FLOW_LENGTH: f64 = 1e-5;
/// Ratio of the forces that drive a flow on both sides of its balance from which the middle is tried.
pub const FLOW_LEAP: f64 = 50.0;
/// Length that slides through a handle in one stage, over the shorter of the stretches on both sides.
pub const FLOW_STAGE: f64 = 0.05;
/// Rounds over all flows after each chunk of a handle's way, at most.
pub const FLOW_SWEEPS: usize = 5;
/// Stages of a flow after each chunk of a handle's way, at most.
pub const FLOW_ROUNDS: usize = 30;
/// Resistance of the middle edge against turning about itself where no handle holds the roll, over EI / L. It is in the
/// matrix only, and no force.
pub const SPIN: f64 = 1e-6;
/// Iterations in which the matrix has what makes contacts between rods give way, of how many. It speeds convergence up,
/// but it changes where a contact comes to a node, and an iteration could oscillate over that place for ever.
/// Without it the matrix is never too soft, but only linear convergence is left.
pub const SOFTENING: usize = 30;
/// See [`SOFTENING`].
pub const SOFTENING_EVERY: usize = 40;
