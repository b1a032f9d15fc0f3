//! How many tasks a gather makes of its rows: as many as the executor lets copy at once.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use recask_core::Result;
use recask_core::environment::{Access, Environment};
use recask_core::exec::{Executor, Serial};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
use recask_core::storage::{FileId, OpenMode, Storage as _};
use recask_core::table::{ColumnInput, Table};

/// Counts the tasks of every call.
#[derive(Clone)]
struct Counting {
    width: usize,
    copy_width: usize,
    tasks: Arc<Mutex<Vec<usize>>>,
}

impl Executor for Counting {
    fn width(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.width).unwrap()
    }

    fn copy_width(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.copy_width).unwrap()
    }

    fn try_for_each<T, E, F>(&self, tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send,
    {
        self.tasks.lock().unwrap().push(tasks.len());
        Serial.try_for_each(tasks, run)
    }
}

struct Counted;

impl Environment for Counted {
    type Storage = MemoryStorage;
    type Executor = Counting;
    type Place = MemoryPlace;

    fn attach(place: &MemoryPlace, access: Access) -> Result<MemoryStorage> {
        MemoryEnvironment::attach(place, access)
    }

    fn attach_file(place: &MemoryPlace, access: Access) -> Result<MemoryStorage> {
        MemoryEnvironment::attach_file(place, access)
    }

    fn describe(place: &MemoryPlace) -> String {
        MemoryEnvironment::describe(place)
    }

    fn executor() -> Counting {
        Counting { width: 1, copy_width: 1, tasks: Arc::default() }
    }
}

#[test]
fn a_gather_makes_no_more_tasks_than_may_copy_at_once() {
    let values: Vec<i64> = (0..1_000_000).collect();
    let rows: Vec<u64> = (0..1_000_000).rev().collect();
    let place = MemoryPlace::new();
    Table::<MemoryEnvironment>::create(place.clone(), &[ColumnInput::of("x", &values)]).unwrap();
    let tasks_with = |width, copy_width, count: usize| {
        let executor = Counting { width, copy_width, tasks: Arc::default() };
        let file = place.storage().unwrap().open(FileId::Table, OpenMode::Read).unwrap();
        let table = Table::<Counted>::from_file(file, executor.clone()).unwrap();
        let gathered = table.rows(&rows[..count]).unwrap().column("x").unwrap();
        assert!(gathered.values::<i64>().unwrap().iter().eq(values.iter().rev().take(count)));
        assert_eq!(table.rows(..).unwrap().struct_rows().unwrap().len(), 1_000_000);
        let [gather, structs] = executor.tasks.lock().unwrap()[..] else { panic!("two calls were expected") };
        (gather, structs)
    };
    assert_eq!(tasks_with(1, 1, 1_000_000), (1, 1));
    assert_eq!(tasks_with(8, 1, 1_000_000), (1, 1));
    assert_eq!(tasks_with(8, 3, 1_000_000), (3, 3));
    // Twice as many where nothing limits them, so that a slow one delays less.
    assert_eq!(tasks_with(8, 8, 1_000_000), (16, 16));
    // Few rows are not worth many tasks.
    assert_eq!(tasks_with(8, 3, 100), (1, 3));
}
