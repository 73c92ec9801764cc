//! Second opinions: models made in another way, whose agreement makes an error bar believable.

pub mod der;
