//! Files that JavaScript has open and that answer at once: those of the origin private file system in a worker, or memory.
//!
//! An object of JavaScript belongs to the thread that has it. So the objects stay in a list of that thread, and what the core
//! holds is their number: on another thread it leads nowhere, and says so.

mod folder;
mod objects;

pub(crate) use self::folder::{JsDirectory, LiveFile, LiveFolder};
pub(crate) use self::objects::Kept;
