//! Module rod.
