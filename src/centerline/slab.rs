//! Thick slices, for tubes with ribs: bellows, corrugated and spiral hoses.

use super::circle::{self, Sample};
use super::section::Section;
use super::shell::Shell;
use super::slice::{Plane, Vec2};
use crate::geom::{Mat3, Vec3};

/// Half the thickness, in radii.
const HALF: f64 = 1.2;
/// Surface between these parts of the radius counts.
const BAND: [f64; 2] = [0.6, 1.5];
/// Least distance of the axis' eigenvalue from the other two, over the sum of all.
const SEPARATION: f64 = 0.06;

/// The section with center, axis and radius of the surface round it, over a length of several ribs.
///
/// Round the axis of a ribbed tube the second moment of the normals, Σ A n nᵀ, has two equal eigenvalues; the axis is
/// the eigenvector to the third, the least where ribs are low and the greatest where their flanks are steep.
pub fn ribbed(shell: &Shell, section: &Section) -> Option<Section> {
    let mut direction = section.direction;
    let mut center = section.center;
    let mut found = None;
    for _ in 0..2 {
        let (circle_center, radius, axis) = fit(shell, center, direction, section.radius)?;
        let axis = axis.map(|a| if a.dot(&direction) < 0.0 { -a } else { a });
        let turned = axis.unwrap_or(direction);
        if turned.dot(&section.direction) < 0.7
            || (circle_center - section.center).norm() > 0.35 * section.radius
        {
            return None;
        }
        center = circle_center;
        direction = turned;
        found = Some(Section {
            center,
            radius,
            axis,
            is_ribbed: true,
            ..*section
        });
    }
    found
}

/// Center, radius, and the axis where the normals tell it.
fn fit(
    shell: &Shell,
    center: Vec3,
    direction: Vec3,
    radius: f64,
) -> Option<(Vec3, f64, Option<Vec3>)> {
    let plane = Plane::new(center, direction);
    let half = HALF * radius;
    let mut points: Vec<Sample> = Vec::new();
    let mut moment = Mat3::zeros();
    let reach = (half * half + (BAND[1] * radius).powi(2)).sqrt();
    shell.bvh.visit_ball(&center, reach, |t| {
        let middle = shell.corners(t).iter().sum::<Vec3>() / 3.0;
        let height = (middle - center).dot(&direction);
        let flat = plane.to_plane(&middle);
        let is_in_band = (BAND[0] * radius..BAND[1] * radius).contains(&flat.norm());
        if height.abs() >= half || !is_in_band {
            return;
        }
        let fade = (0.5 * std::f64::consts::PI * height / half).cos();
        let weight = shell.areas[t as usize] * fade * fade;
        points.push((flat, weight));
        let n = shell.normals[t as usize];
        moment += n * n.transpose() * weight;
    });
    if circle::coverage(points.iter().map(|p| p.0)) < 0.6 {
        return None;
    }
    let circle = circle::fit(&points)?;
    let axis = distinct_axis(&moment, &direction);
    let to_space = |q: &Vec2| plane.to_space(q);
    Some((to_space(&circle.center), circle.radius, axis))
}

/// The eigenvector along `direction`, where its eigenvalue stands apart from the other two.
fn distinct_axis(moment: &Mat3, direction: &Vec3) -> Option<Vec3> {
    let eigen = moment.symmetric_eigen();
    let axis = |i: usize| -> Vec3 { eigen.eigenvectors.column(i).into_owned() };
    let along = (0..3).max_by(|&i, &j| {
        let cosine = |i: usize| axis(i).dot(direction).abs();
        cosine(i).total_cmp(&cosine(j))
    })?;
    let sum = eigen.eigenvalues.sum();
    let stands_apart = (0..3)
        .filter(|&i| i != along)
        .all(|i| (eigen.eigenvalues[i] - eigen.eigenvalues[along]).abs() > SEPARATION * sum);
    stands_apart
        .then(|| axis(along))
        .and_then(|a| a.try_normalize(1e-9))
}
