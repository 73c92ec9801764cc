//! The numbers after the header of a PLY file, one at a time.

use super::header::{Header, Scalar};
use crate::mesh::import::ImportError;
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::{parse_number, shown};
use crate::mesh::import::words::Words;

/// A source of numbers.
pub trait Numbers {
    /// The next number. `element` and `i` say whose it is, for an error.
    fn next(&mut self, scalar: Scalar, element: &[u8], i: usize) -> Result<f64, ImportError>;
    /// Bytes not read yet.
    fn n_left(&self) -> u64;
    /// Whether numbers are text.
    fn is_text(&self) -> bool;
    /// Where element `i` (from 0) is that is being read.
    fn place(&self, element: &[u8], i: usize) -> Place;
}

/// Numbers as text.
pub struct Text<'a> {
    words: Words<'a>,
    n_bytes: usize,
}

impl<'a> Text<'a> {
    /// After the header.
    pub fn new(bytes: &'a [u8], header: &Header) -> Self {
        let text = &bytes[header.n_bytes..];
        let mut words = Words::new(text);
        words.line = header.n_lines;
        Self {
            words,
            n_bytes: text.len(),
        }
    }
}

impl Numbers for Text<'_> {
    fn next(&mut self, _: Scalar, element: &[u8], i: usize) -> Result<f64, ImportError> {
        match self.words.next() {
            Some(word) => parse_number(word, self.words.line),
            None => Err(cut_off(self.place(element, i))),
        }
    }

    fn n_left(&self) -> u64 {
        (self.n_bytes - self.words.at) as u64
    }

    fn is_text(&self) -> bool {
        true
    }

    fn place(&self, _: &[u8], _: usize) -> Place {
        Place::Line(self.words.line)
    }
}

fn cut_off(place: Place) -> ImportError {
    ImportError::Damaged {
        place,
        reason: "the file ends here, before all that its header announces".to_owned(),
    }
}

/// Numbers in binary.
pub struct Binary<'a, const BIG: bool> {
    bytes: &'a [u8],
    at: usize,
}

/// Least significant byte first.
pub type LittleEndian<'a> = Binary<'a, false>;
/// Most significant byte first.
pub type BigEndian<'a> = Binary<'a, true>;

impl<'a, const BIG: bool> Binary<'a, BIG> {
    /// After the header.
    pub fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self {
            bytes,
            at: header.n_bytes,
        }
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes: [u8; N] = self.bytes.get(self.at..self.at + N)?.try_into().ok()?;
        self.at += N;
        if BIG {
            bytes.reverse();
        }
        Some(bytes)
    }
}

impl<const BIG: bool> Numbers for Binary<'_, BIG> {
    fn next(&mut self, scalar: Scalar, element: &[u8], i: usize) -> Result<f64, ImportError> {
        let number = match scalar {
            Scalar::I8 => self.take().map(|b| f64::from(i8::from_le_bytes(b))),
            Scalar::U8 => self.take().map(|b| f64::from(u8::from_le_bytes(b))),
            Scalar::I16 => self.take().map(|b| f64::from(i16::from_le_bytes(b))),
            Scalar::U16 => self.take().map(|b| f64::from(u16::from_le_bytes(b))),
            Scalar::I32 => self.take().map(|b| f64::from(i32::from_le_bytes(b))),
            Scalar::U32 => self.take().map(|b| f64::from(u32::from_le_bytes(b))),
            Scalar::F32 => self.take().map(|b| f64::from(f32::from_le_bytes(b))),
            Scalar::F64 => self.take().map(f64::from_le_bytes),
        };
        number.ok_or_else(|| cut_off(self.place(element, i)))
    }

    fn n_left(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    fn is_text(&self) -> bool {
        false
    }

    fn place(&self, element: &[u8], i: usize) -> Place {
        Place::Item(format!("{} {i} (byte {})", shown(element), self.at))
    }
}
