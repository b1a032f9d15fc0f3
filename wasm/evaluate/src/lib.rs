//! Evaluates predictions against labels.
