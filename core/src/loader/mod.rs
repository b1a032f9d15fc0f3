//! The parts of a data loader that need no threads and no clock.
//!
//! A [`Feed`] is what a loader delivers: streams that are read at the same records, in the order of a sampler. It fills the
//! [`Batch`] of any step, on whatever thread it is asked. A [`Schedule`] says which step may start and which batch comes next;
//! doors put it behind a lock, or drive it by themselves. A [`State`] is where a run stands, to go on from there.
//!
//! ```text
//!      Stream  Stream  Stream          Sampler
//!           \    |    /                   |
//!              Feed  -- fill(step, Batch) |          Schedule: claim -> complete -> deliver
//! ```

mod batch;
mod budget;
mod cursor;
mod feed;
mod identity;
mod loss;
mod schedule;
mod state;
mod stream;

pub use batch::{Batch, Columns, StreamBatch};
pub use budget::Budget;
pub use cursor::Cursor;
pub use feed::Feed;
pub use identity::Identity;
pub use loss::{Loss, OnLoss};
pub use schedule::{Claim, Delivery, Order, Schedule, Ticket};
pub use state::State;
pub use stream::Stream;
