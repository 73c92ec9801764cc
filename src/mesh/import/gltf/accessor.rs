//! Numbers of a glTF by the accessor that describes them.

use gltf_json::Root;
use gltf_json::accessor::{Accessor, ComponentType, Type};
use gltf_json::validation::Checked;

use super::buffers::Buffers;
use super::no_such;
use crate::mesh::import::ImportError;
use crate::mesh::import::error::Place;
use crate::mesh::import::tree::Budget;

/// The source of accessors.
pub struct Accessors<'r, 'b, 'a> {
    /// The description.
    pub root: &'r Root,
    /// The data.
    pub buffers: &'b mut Buffers<'a>,
    /// Room for what is read.
    pub budget: &'b mut Budget,
}

/// Where a row of numbers stands in a buffer.
struct Rows {
    buffer: usize,
    start: usize,
    stride: usize,
    count: usize,
}

impl<'r> Accessors<'r, '_, '_> {
    /// Vectors of three numbers.
    pub fn vectors(&mut self, number: usize) -> Result<Vec<[f64; 3]>, ImportError> {
        let accessor = self.accessor(number)?;
        let (Checked::Valid(kind), Checked::Valid(Type::Vec3)) =
            (accessor.component_type, accessor.type_)
        else {
            return Err(damaged(
                number,
                "positions must be vectors of three numbers",
            ));
        };
        let count = self.count(number, accessor.count.0, 24)?;
        let mut vectors = vec![[0.0; 3]; count];
        let scale = if accessor.normalized {
            range(kind.0)
        } else {
            1.0
        };
        let read = |bytes: &[u8], at: usize| {
            [0, 1, 2].map(|k| component(bytes, at + k * kind.0.size(), kind.0) / scale)
        };
        let size = 3 * kind.0.size();
        if let Some(view) = accessor.buffer_view {
            let offset = accessor.byte_offset.unwrap_or_default().0;
            let rows = self.rows(number, view.value(), offset, size, count)?;
            let bytes = self.buffers.get(self.root, rows.buffer)?;
            for (i, v) in vectors.iter_mut().enumerate() {
                *v = read(&bytes, rows.start + i * rows.stride);
            }
        }
        if let Some(sparse) = &accessor.sparse {
            // Some of them are replaced.
            let n = self.count(number, sparse.count.0, 4)?;
            let Checked::Valid(index_kind) = sparse.indices.component_type else {
                return Err(damaged(number, "its sparse indices are no whole numbers"));
            };
            let indices = self.whole_numbers(
                number,
                sparse.indices.buffer_view.value(),
                sparse.indices.byte_offset.0,
                index_kind.0,
                n,
            )?;
            let view = sparse.values.buffer_view.value();
            let rows = self.rows(number, view, sparse.values.byte_offset.0, size, n)?;
            let bytes = self.buffers.get(self.root, rows.buffer)?;
            for (i, index) in indices.into_iter().enumerate() {
                let v = vectors
                    .get_mut(index as usize)
                    .ok_or_else(|| damaged(number, "a sparse index is out of range"))?;
                *v = read(&bytes, rows.start + i * rows.stride);
            }
        }
        Ok(vectors)
    }

    /// Whole numbers, such as the corners of triangles.
    pub fn indices(&mut self, number: usize) -> Result<Vec<u32>, ImportError> {
        let accessor = self.accessor(number)?;
        let (Checked::Valid(kind), Checked::Valid(Type::Scalar), Some(view), None) = (
            accessor.component_type,
            accessor.type_,
            accessor.buffer_view,
            &accessor.sparse,
        ) else {
            return Err(damaged(number, "indices must be single whole numbers"));
        };
        let offset = accessor.byte_offset.unwrap_or_default().0;
        let count = self.count(number, accessor.count.0, 4)?;
        self.whole_numbers(number, view.value(), offset, kind.0, count)
    }

    fn accessor(&self, number: usize) -> Result<&'r Accessor, ImportError> {
        let n = self.root.accessors.len();
        let found = self.root.accessors.get(number);
        found.ok_or_else(|| no_such("accessor", number, n))
    }

    /// The number of elements, when there is room for them.
    fn count(&mut self, number: usize, count: u64, size: u64) -> Result<usize, ImportError> {
        let place = || Place::Item(format!("accessor {number}"));
        self.budget.take(count.saturating_mul(size), place)?;
        Ok(count as usize)
    }

    fn whole_numbers(
        &mut self,
        number: usize,
        view: usize,
        offset: u64,
        kind: ComponentType,
        count: usize,
    ) -> Result<Vec<u32>, ImportError> {
        if !matches!(
            kind,
            ComponentType::U8 | ComponentType::U16 | ComponentType::U32
        ) {
            return Err(damaged(number, "indices must be unsigned whole numbers"));
        }
        let rows = self.rows(number, view, offset, kind.size(), count)?;
        let bytes = self.buffers.get(self.root, rows.buffer)?;
        let place = |i: usize| rows.start + i * rows.stride;
        Ok((0..rows.count)
            .map(|i| component(&bytes, place(i), kind) as u32)
            .collect())
    }

    /// Where `count` elements of `size` bytes stand; all of them inside their view and buffer.
    fn rows(
        &mut self,
        number: usize,
        view_number: usize,
        offset: u64,
        size: usize,
        count: usize,
    ) -> Result<Rows, ImportError> {
        let n_views = self.root.buffer_views.len();
        let view = self
            .root
            .buffer_views
            .get(view_number)
            .ok_or_else(|| no_such("bufferView", view_number, n_views))?;
        let stride = view.byte_stride.map_or(size, |s| s.0);
        // Elements that overlap could be many more than there are bytes.
        if stride < size {
            return Err(damaged(number, "its elements overlap"));
        }
        let buffer = view.buffer.value();
        let n_bytes = self.buffers.get(self.root, buffer)?.len() as u64;
        let start = view.byte_offset.unwrap_or_default().0.checked_add(offset);
        let needed = match count {
            0 => Some(0),
            n => ((n - 1) as u64)
                .checked_mul(stride as u64)
                .and_then(|last| last.checked_add(size as u64)),
        };
        let fits = |start: u64, needed: u64| {
            let end_in_view = offset.checked_add(needed)?;
            let end = start.checked_add(needed)?;
            (end_in_view <= view.byte_length.0 && end <= n_bytes).then_some(start)
        };
        let start = start.zip(needed).and_then(|(s, n)| fits(s, n));
        let start = start.ok_or_else(|| {
            let reason = format!("its {count} elements reach beyond their buffer");
            damaged(number, &reason)
        })?;
        Ok(Rows {
            buffer,
            start: start as usize,
            stride,
            count,
        })
    }
}

fn damaged(accessor: usize, reason: &str) -> ImportError {
    ImportError::Damaged {
        place: Place::Item(format!("accessor {accessor}")),
        reason: reason.to_owned(),
    }
}

/// One number; the caller has checked that it is there.
fn component(bytes: &[u8], at: usize, kind: ComponentType) -> f64 {
    fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
        let mut taken = [0; N];
        taken.copy_from_slice(&bytes[at..at + N]);
        taken
    }
    match kind {
        ComponentType::I8 => f64::from(i8::from_le_bytes(take(bytes, at))),
        ComponentType::U8 => f64::from(u8::from_le_bytes(take(bytes, at))),
        ComponentType::I16 => f64::from(i16::from_le_bytes(take(bytes, at))),
        ComponentType::U16 => f64::from(u16::from_le_bytes(take(bytes, at))),
        ComponentType::U32 => f64::from(u32::from_le_bytes(take(bytes, at))),
        ComponentType::F32 => f64::from(f32::from_le_bytes(take(bytes, at))),
    }
}

/// The number that stands for 1 in normalized components.
fn range(kind: ComponentType) -> f64 {
    match kind {
        ComponentType::I8 => f64::from(i8::MAX),
        ComponentType::U8 => f64::from(u8::MAX),
        ComponentType::I16 => f64::from(i16::MAX),
        ComponentType::U16 => f64::from(u16::MAX),
        ComponentType::U32 => f64::from(u32::MAX),
        ComponentType::F32 => 1.0,
    }
}
