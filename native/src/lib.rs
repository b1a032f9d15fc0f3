//! native
