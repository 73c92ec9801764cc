//! Axes of round faces, against the numbers that the faces were made of.

use loomwright::geom::{Mat3, Vec3};
use loomwright::mesh::Axis;
use loomwright::mesh::tessellate::{Frame, Knots, NurbsSurface, Surface};

fn frame() -> Frame {
    Frame::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.2, -0.3, 1.0), None).unwrap()
}

#[test]
fn a_cylinder_has_an_axis_along_its_face_alone() {
    let frame = frame();
    let surface = Surface::Cylinder { frame, radius: 4.0 };
    let ends = [frame.point(4.0, 0.0, 10.0), frame.point(0.0, 4.0, 60.0)];
    let axis = Axis::of(&surface, &ends).unwrap();
    let found = axis.nearest(&frame.point(0.1, 0.2, 30.0)).unwrap();
    assert!((found.point - frame.point(0.0, 0.0, 30.0)).norm() < 1e-12);
    assert!(axis.nearest(&frame.point(0.1, 0.2, 61.0)).is_none());
    assert_eq!(found.radius, 4.0);
    // Twice as large, mirrored and moved.
    let linear = Mat3::from_diagonal(&Vec3::new(2.0, -2.0, 2.0));
    let offset = Vec3::new(7.0, 8.0, 9.0);
    let map = |p: Vec3| linear * p + offset;
    let found = axis.mapped(&linear, &offset).unwrap();
    let found = found.nearest(&map(frame.point(0.1, 0.2, 30.0))).unwrap();
    assert!((found.point - map(frame.point(0.0, 0.0, 30.0))).norm() < 1e-12);
    assert!((found.radius - 8.0).abs() < 1e-12);
    let squeezed = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 1.0));
    assert_eq!(axis.mapped(&squeezed, &offset), None);
}

#[test]
fn a_bend_has_an_arc() {
    let frame = frame();
    let surface = Surface::Torus {
        frame,
        major: 50.0,
        minor: 6.0,
    };
    let on = |angle: f64, out: f64| {
        let (sin, cos) = angle.sin_cos();
        frame.point((50.0 + out) * cos, (50.0 + out) * sin, 0.0)
    };
    // From 100 to 200 degrees, across the jump of the angle.
    let skin: Vec<Vec3> = (0..=20)
        .map(|i| on((100.0 + 5.0 * f64::from(i)).to_radians(), 6.0))
        .collect();
    let axis = Axis::of(&surface, &skin).unwrap();
    for degrees in [100.0_f64, 150.0, 190.0, 200.0] {
        let angle = degrees.to_radians();
        let found = axis.nearest(&on(angle, 0.3)).unwrap();
        assert!((found.point - on(angle, 0.0)).norm() < 1e-11);
    }
    for degrees in [95.0_f64, 205.0, -60.0] {
        assert_eq!(axis.nearest(&on(degrees.to_radians(), 0.3)), None);
    }
}

/// A quarter of a torus as a rational surface: nine points round, three along.
fn rational_bend() -> NurbsSurface {
    let h = 0.5_f64.sqrt();
    let corners = [
        [1.0, 0.0],
        [1.0, 1.0],
        [0.0, 1.0],
        [-1.0, 1.0],
        [-1.0, 0.0],
        [-1.0, -1.0],
        [0.0, -1.0],
        [1.0, -1.0],
        [1.0, 0.0],
    ];
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for (i, [x, z]) in corners.into_iter().enumerate() {
        let own = if i % 2 == 1 { h } else { 1.0 };
        let r = 50.0 + 6.0 * x;
        let row = [[r, 0.0], [r, r], [0.0, r]];
        for (j, [a, b]) in row.into_iter().enumerate() {
            points.push(Vec3::new(a, b, 6.0 * z));
            weights.push(own * if j == 1 { h } else { 1.0 });
        }
    }
    let round = vec![0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0];
    let u = Knots::new(2, round, 9).unwrap();
    let v = Knots::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 3).unwrap();
    NurbsSurface::new(u, v, &points, Some(&weights)).unwrap()
}

#[test]
fn a_swept_circle_has_the_line_that_it_was_swept_along() {
    let surface = rational_bend();
    let skin: Vec<Vec3> = (0..=20)
        .map(|i| surface.at(0.5, f64::from(i) / 20.0).0)
        .collect();
    let axis = Axis::of(&Surface::Nurbs(surface), &skin).unwrap();
    for angle in [0.0_f64, 0.3, 0.8, 1.5] {
        let (sin, cos) = angle.sin_cos();
        let found = axis
            .nearest(&Vec3::new(50.4 * cos, 50.4 * sin, 0.3))
            .unwrap();
        let exact = Vec3::new(50.0 * cos, 50.0 * sin, 0.0);
        assert!((found.point - exact).norm() < 1e-9, "{angle}: {found:?}");
        assert!((found.radius - 6.0).abs() < 1e-9);
    }
    assert_eq!(axis.nearest(&Vec3::new(50.0, -3.0, 0.0)), None);
    // A square section is none.
    let knots = || Knots::new(1, vec![0.0, 0.0, 1.0, 1.0], 2).unwrap();
    let net = [
        Vec3::zeros(),
        Vec3::x(),
        Vec3::y(),
        Vec3::new(1.0, 1.0, 0.0),
    ];
    let flat = NurbsSurface::new(knots(), knots(), &net, None).unwrap();
    assert_eq!(Axis::of(&Surface::Nurbs(flat), &net), None);
}
