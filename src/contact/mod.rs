//! Module contact.
