//! Evaluates predictions against labels.

fn main() {}
