//! Settings of a process and of one table. One test: the settings belong to the process.

use std::num::NonZeroUsize;

use recask::table::{ColumnInput, Table, open, open_with};
use recask::tuning::{Advice, Host, Placement, Tuning};
use recask_core::exec::Executor as _;

fn count(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

#[test]
fn tables_are_opened_with_the_settings_of_the_process_or_their_own() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    let values: Vec<i64> = (0..1_000_000).collect();
    Table::create(&path, &[ColumnInput::of("x", &values)]).unwrap();
    let widths = |table: &Table| {
        let executor = table.executor();
        (executor.width().get(), executor.copy_width().get())
    };

    let before = Tuning::current();
    assert_eq!(before, Tuning::of_this_host());
    let three = Tuning {
        threads: count(3),
        gather_threads: count(2),
        advice: Advice::Random,
        placement: Placement::Local,
    };
    three.set_current();
    assert_eq!(Tuning::current(), three);
    let available = rayon::current_num_threads();
    let expected = (available.min(3), available.min(2));
    let one = Tuning { threads: count(1), gather_threads: count(1), ..three };
    assert_eq!(widths(&open(&path).unwrap()), expected);
    assert_eq!(widths(&Table::open(&path).unwrap()), expected);
    assert_eq!(widths(&open_with(&path, &one).unwrap()), (1, 1));

    // No setting changes a value.
    let every_third: Vec<i64> = (0..300_000).map(|row| row * 3).collect();
    for advice in Advice::ALL {
        for placement in Placement::ALL {
            let table = open_with(&path, &Tuning { advice, placement, ..three }).unwrap();
            assert_eq!(table.column("x").unwrap().values::<i64>().unwrap(), values);
            let scattered = table.rows(&every_third[..]).unwrap().column("x").unwrap();
            assert_eq!(scattered.values::<i64>().unwrap(), every_third);
        }
    }
    let several_nodes = Host::detect().memory_nodes.get() > 1;
    assert_eq!(Placement::Auto.interleaves(), several_nodes && cfg!(target_os = "linux"));
    assert!(!Placement::Local.interleaves());
}
