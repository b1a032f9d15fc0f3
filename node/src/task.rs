//! The one way in which calls of JavaScript are run: at once, or on the thread pool of Node.js behind a promise.
//!
//! No panic gets to JavaScript from here: it becomes the error `panicked`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi::{Env, ScopedTask};
use recask::{Code, Error, Result};

use crate::error::thrown;

/// Runs a call at once.
///
/// # Errors
/// What the call says, to be thrown.
pub(crate) fn now<T>(run: impl FnOnce() -> Result<T>) -> napi::Result<T> {
    guarded(run).map_err(thrown)
}

/// Runs a call on the thread pool: `run` there, then `give` on the thread of JavaScript, where it makes the value of the
/// promise. Whatever JavaScript gave must have been copied, or be something that stays.
pub(crate) fn later<T, R, G>(run: R, give: G) -> AsyncTask<Job<T>>
where
    T: Send + 'static,
    R: FnOnce() -> Result<T> + Send + 'static,
    G: for<'e> FnOnce(&'e Env, T) -> napi::Result<Unknown<'e>> + Send + 'static,
{
    AsyncTask::new(Job { run: Some(Box::new(run)), give: Some(Box::new(give)) })
}

/// A call on its way through the thread pool.
pub struct Job<T: Send + 'static> {
    run: Option<Run<T>>,
    give: Option<Give<T>>,
}

type Run<T> = Box<dyn FnOnce() -> Result<T> + Send>;
type Give<T> = Box<dyn for<'e> FnOnce(&'e Env, T) -> napi::Result<Unknown<'e>> + Send>;

impl<'task, T: Send + 'static> ScopedTask<'task> for Job<T> {
    type Output = T;
    type JsValue = Unknown<'task>;

    fn compute(&mut self) -> napi::Result<T> {
        let run = self.run.take();
        now(|| run.map_or_else(|| Err(once()), |run| run()))
    }

    fn resolve(&mut self, env: &'task Env, output: T) -> napi::Result<Unknown<'task>> {
        let give = self.give.take();
        catch_unwind(AssertUnwindSafe(|| give.map_or_else(|| Err(thrown(once())), |give| give(env, output))))
            .unwrap_or_else(|panic| Err(thrown(panicked(&*panic))))
    }
}

fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    // What a panic leaves half done is behind locks, which are poisoned, or given up.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let said = panic.downcast_ref::<&str>().copied();
    let said =
        said.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word");
    Error::new(Code::Panicked, format!("a fault of Recask, please report it: it panicked ({said})"))
}

fn once() -> Error {
    Error::new(Code::Panicked, "a fault of Recask, please report it: a call was run twice")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let failed = guarded(|| -> Result<()> { panic!("its own words") });
        std::panic::set_hook(quiet);
        let error = failed.unwrap_err();
        assert_eq!(error.code(), Code::Panicked);
        assert!(error.to_string().contains("its own words"), "{error}");
    }
}
