//! A reader that goes away, and Ctrl-C.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use recask::table::ColumnInput;
use recask::{DType, DenseStore, Table};

use crate::support::{Run, Workspace, wrapping};

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let here = Workspace::new();
    let mut store = DenseStore::builder(DType::U8, [64]).create(here.path("x")).unwrap();
    store.append(&vec![7u8; 64 * 20_000]).unwrap();
    store.close().unwrap();
    let numbers: Vec<u64> = (0..200_000).collect();
    Table::create(here.path("n.cstore"), &[ColumnInput::of("n", &numbers)]).unwrap();
    for line in [
        "show x : --json",
        "sample --len 1000 --seed 1 --steps 100000",
        "show x :",
        "query n.cstore --csv",
        "query n.cstore --json",
        "show n.cstore :",
    ] {
        let mut child = here.command(line).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        let run: Run = child.wait_with_output().unwrap().into();
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{line}");
    }
}

/// Sends a signal as a shell would.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A MiB that does not compress.
fn noise() -> Vec<u8> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        wrapping(usize::try_from(state >> 24).unwrap())
    };
    std::iter::repeat_with(next).take(1 << 20).collect()
}

/// Starts an import that takes long, and waits until it has begun.
fn long_import(here: &Workspace) -> Child {
    here.npy("noise.npy", "|u1", &[64 << 10, 1 << 10], &noise().repeat(64));
    let mut command = here.command("import noise.npy noise --codec zstd --level 19");
    let child = command.spawn().unwrap();
    wait_until(|| here.path("noise/0.chunk").metadata().is_ok_and(|chunk| chunk.len() > 0));
    child
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(20), "it never happened");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn ctrl_c_stops_an_import_and_leaves_no_half_store() {
    let here = Workspace::new();
    for name in ["-INT", "-TERM"] {
        let child = long_import(&here);
        signal(&child, name);
        let run: Run = child.wait_with_output().unwrap().into();
        run.fails(130, "interrupted");
        // What was begun is gone; the source is as it was.
        assert!(!here.path("noise").exists());
        assert_eq!(fs::metadata(here.path("noise.npy")).unwrap().len() % (1 << 20), 128);
    }
}

#[test]
fn ctrl_c_stops_a_recode_and_removes_the_copy() {
    let here = Workspace::new();
    let mut store = DenseStore::builder(DType::U8, [1 << 10]).create(here.path("data/noise")).unwrap();
    store.append(&noise().repeat(96)).unwrap();
    store.close().unwrap();
    let child = here.command("recode data a/copy --codec zstd --level 19").spawn().unwrap();
    wait_until(|| here.path("a/copy/noise/0.chunk").exists());
    signal(&child, "-INT");
    let run: Run = child.wait_with_output().unwrap().into();
    run.fails(130, "interrupted");
    assert!(!here.path("a").exists());
    here.text("verify data");
}

#[test]
fn ctrl_c_stops_the_import_of_a_table_and_leaves_the_old_one() {
    let here = Workspace::new();
    here.weather("days.cstore", false);
    fs::write(here.path("n.csv"), "n\n".to_owned() + &"12345678\n".repeat(2_000_000)).unwrap();
    for (table, options) in [("new.cstore", ""), ("days.cstore", " --force")] {
        let child = here.command(&format!("import n.csv {table}{options}")).spawn().unwrap();
        let begun = if options.is_empty() { table.to_owned() } else { format!("{table}.draft") };
        wait_until(|| here.path(&begun).exists());
        signal(&child, "-INT");
        let run: Run = child.wait_with_output().unwrap().into();
        run.fails(130, "interrupted");
        assert!(!here.path(&begun).exists());
    }
    assert_eq!(here.json("info days.cstore")["rows"], 4);
}

#[test]
fn ctrl_c_stops_a_loader_and_keeps_its_state() {
    let here = Workspace::new();
    let mut store = DenseStore::builder(DType::U8, [64]).create(here.path("data/x")).unwrap();
    store.append(&[7u8; 64 * 100]).unwrap();
    store.close().unwrap();
    // In the first step of an hour.
    let line = "load data --batch 10 --consume 3600000 --state run --json";
    let mut child = here.command(line).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut seed = String::new();
    said.read_line(&mut seed).unwrap();
    thread::sleep(Duration::from_millis(300));
    signal(&child, "-INT");
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!(run.status, Some(130));
    assert_eq!(rest, "error[interrupted]: data: stopped on request\n");
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(seed, format!("seed: {}\n", answer["seed"]));
    assert!(answer["batches"].as_u64().unwrap() <= 1, "{answer}");
    let resumed = here.json("load data --state run --steps 2");
    assert_eq!(resumed["seed"], answer["seed"]);
    assert_eq!(resumed["start_step"], answer["next_step"]);
    assert_eq!(answer["next_step"], answer["batches"]);
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let here = Workspace::new();
    let mut child = long_import(&here);
    while child.try_wait().unwrap().is_none() {
        signal_if_there(&child);
        thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    // Whatever was left behind is a store in an old state, or none.
    let run = here.run("verify noise");
    assert!(run.status == Some(0) || run.stderr.contains("store_not_found"), "{run:?} after {said:?}");
}

fn signal_if_there(child: &Child) {
    // It may end between the look and the signal.
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).output();
}
