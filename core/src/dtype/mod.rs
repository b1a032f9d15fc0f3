//! placeholder
pub struct DType;
