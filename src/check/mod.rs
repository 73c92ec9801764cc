//! Module check.
