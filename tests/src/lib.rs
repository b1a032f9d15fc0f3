//! One conformance suite for every door.
//!
//! The cases are data (`tests/conformance/*.json`, described in `README.md` beside them), so that doors in other
//! languages run them too. Here is the runner for doors in Rust: [`cases`] reads them, a [`door::Door`] brings stores
//! to the cases, and [`check::run`] compares.
//!
//! ```no_run
//! use recask_tests::{cases, check, door::MemoryDoor};
//!
//! let door = MemoryDoor;
//! for case in cases::all()? {
//!     println!("{} {}", check::run(&door, &case.test), case.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cases;
pub mod check;
pub mod door;
pub mod folder;
