//! `load`: a dataset as a training program sees it.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Run, Workspace};

/// Bytes of values in a batch of [`mixed`]; no other set of records has as many.
fn bytes_of(batch: &Value) -> u64 {
    batch.as_array().unwrap().iter().map(|record| 16 + 8 + (1 << record.as_u64().unwrap())).sum()
}

#[test]
fn stores_and_tables_of_a_dataset_are_streams() {
    let here = Workspace::new();
    here.mixed("data");
    let answer = here.json("load data --batch 4 --steps 9 --seed 5");
    let stream = |name: &str, kind: &str| json!({ "name": name, "kind": kind });
    let streams = [stream("images", "dense"), stream("tokens", "ragged"), stream("weather", "table")];
    assert_eq!(answer["streams"], json!(streams));
    for (field, value) in [
        ("path", json!("data")),
        ("length", json!(12)),
        ("mode", json!("cyclic")),
        ("seed", json!(5)),
        ("batch", json!(4)),
        ("rank", json!(0)),
        ("world", json!(1)),
        ("workers", json!(2)),
        ("prefetch", json!(4)),
        ("order", json!("step")),
        ("start_step", json!(0)),
        ("next_step", json!(9)),
        ("batches", json!(9)),
        ("records", json!(36)),
        // Three cycles, and each has every record once.
        ("value_bytes", json!(3 * (12 * 24 + 4095))),
        ("lost_records", json!(0)),
        ("skipped_steps", json!(0)),
        ("losses", json!([])),
    ] {
        assert_eq!(answer[field], value, "{field}");
    }
    let figure = |field: &str| answer[field].as_f64().unwrap();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
    assert!(close(figure("batches_per_second") * figure("seconds"), 9.0), "{answer}");
    assert!(close(figure("records_per_second") * figure("seconds"), 36.0), "{answer}");
    let mib = figure("value_bytes") / f64::from(1 << 20);
    assert!(close(figure("mib_per_second") * figure("seconds"), mib), "{answer}");
    assert!(close(figure("waited_share") * figure("seconds"), figure("waited_seconds")), "{answer}");
    assert!((0.0..=1.0).contains(&figure("waited_share")), "{answer}");
    // The largest batch has the four longest records.
    assert!(figure("batch_budget_bytes") >= f64::from(4 * 24 + 2048 + 1024 + 512 + 256), "{answer}");
    assert!(close(figure("budget_bytes"), 7.0 * figure("batch_budget_bytes")), "{answer}");
    if cfg!(target_os = "linux") {
        assert!(figure("peak_bytes") > 100_000.0, "{answer}");
    }
}

#[test]
fn people_get_the_same_figures() {
    let here = Workspace::new();
    here.mixed("data");
    let text =
        here.text("load data --batch 4 --steps 9 --seed 5 --workers 1 --prefetch 2 --rank 0 --world 2");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "data         data, 12 records",
            "streams      images (dense), tokens (ragged), weather (table)",
            "order        cyclic, batch 4, seed 5, rank 0 of 2",
            "loader       1 worker, prefetch 2, in the order of steps",
        ]
    );
    assert!(lines[4].starts_with("loaded       9 batches with 18 records in "), "{text}");
    assert!(lines[4].ends_with(" s; the next step is 9"), "{text}");
    assert!(lines[5].starts_with("rate         ") && lines[5].ends_with(" MiB/s"), "{text}");
    assert!(lines[6].starts_with("waited       ") && lines[6].ends_with("% of the time"), "{text}");
    assert!(lines[7].starts_with("budget       ") && lines[7].contains(": 4 batches of at most "), "{text}");
    assert!(lines[8].starts_with("peak memory  "), "{text}");
    assert_eq!(lines.len(), 9, "{text}");
}

#[test]
fn the_records_of_a_step_are_those_that_sample_prints() {
    let here = Workspace::new();
    here.mixed("data");
    for mode in ["sequential", "cyclic", "iid", "iid_seek"] {
        let order = format!("--mode {mode} --seed 9 --batch 5");
        for ranks in ["", " --rank 1 --world 2"] {
            let steps = here.json_lines(&format!("sample --len 12 {order} --steps 3{ranks}"));
            for (step, batch) in steps.iter().enumerate() {
                let loaded = here.json(&format!("load data {order}{ranks} --step {step} --steps 1"));
                assert_eq!(loaded["value_bytes"], bytes_of(batch), "{mode}, step {step}{ranks}");
                assert_eq!(loaded["start_step"], step);
                assert_eq!(loaded["next_step"], step + 1);
            }
        }
    }
    assert_eq!(here.json("load data --mode sequential --steps 1")["seed"], json!(null));
}

#[test]
fn every_way_of_working_delivers_the_same_records() {
    let here = Workspace::new();
    here.mixed("data");
    let batches = here.json_lines("sample --len 12 --mode cyclic --seed 3 --batch 5 --steps 30");
    let expected: u64 = batches.iter().map(bytes_of).sum();
    for options in ["--workers 0", "--workers 1 --prefetch 0", "--workers 5 --prefetch 9", "--consume 0.5"] {
        let answer = here.json(&format!("load data --seed 3 --batch 5 --steps 30 {options}"));
        assert_eq!(
            (&answer["value_bytes"], &answer["next_step"]),
            (&json!(expected), &json!(30)),
            "{options}"
        );
    }
    // Here the batches may be any, but each is whole.
    let line = "load data --seed 3 --batch 12 --steps 30 --order completed --workers 3";
    let answer = here.json(line);
    assert_eq!((&answer["order"], &answer["batches"]), (&json!("completed"), &json!(30)));
    assert_eq!(answer["value_bytes"], 30 * (12 * 24 + 4095));
    let text = here.text("load data --seed 3 --order completed --workers 0 --steps 1");
    assert!(text.contains("\nloader       no workers, prefetch 4, in the order of completion\n"), "{text}");
}

#[test]
fn a_seed_is_drawn_and_said_when_none_is_given() {
    let here = Workspace::new();
    here.mixed("data");
    let run = here.run("load data --batch 4 --steps 2 --json");
    assert_eq!(run.status, Some(0), "{run:?}");
    let seed: u64 = run.stderr.trim().strip_prefix("seed: ").unwrap().parse().unwrap();
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["seed"], seed);
}

#[test]
fn a_store_or_table_alone_is_one_stream() {
    let here = Workspace::new();
    here.mixed("data");
    fs::create_dir(here.path("days")).unwrap();
    for name in ["days/a.cstore", "days/b.cstore"] {
        fs::copy(here.path("data/weather.cstore"), here.path(name)).unwrap();
    }
    for (path, name, kind, length) in [
        ("data/images", "images", "dense", 12),
        ("data/tokens/", "tokens", "ragged", 12),
        ("data/weather.cstore", "weather", "table", 12),
        ("days", "days", "table", 24),
        ("days/?.cstore", "data", "table", 24),
    ] {
        let answer = here.json(&format!("load {path} --batch 4 --steps 2 --seed 1"));
        assert_eq!(answer["streams"], json!([{ "name": name, "kind": kind }]), "{path}");
        assert_eq!((&answer["length"], &answer["records"]), (&json!(length), &json!(8)), "{path}");
    }
}

#[test]
fn streams_are_picked_by_name_and_order() {
    let here = Workspace::new();
    here.mixed("data");
    let answer = here.json("load data --streams weather,images --batch 4 --steps 3 --seed 1");
    let names: Vec<&Value> =
        answer["streams"].as_array().unwrap().iter().map(|stream| &stream["name"]).collect();
    assert_eq!(names, ["weather", "images"]);
    assert_eq!(answer["value_bytes"], 12 * 24);

    let message = here.run("load data --streams images,labels --seed 1").fails(2, "invalid_argument");
    assert_eq!(message, "data has no stream 'labels'; it has 'images', 'tokens', 'weather'");
    let message = here.run("load data --streams images,images --seed 1").fails(2, "invalid_argument");
    assert_eq!(message, "the stream 'images' is wanted twice");
}

#[test]
fn a_store_and_a_table_of_one_name_are_refused() {
    let here = Workspace::new();
    here.mixed("data");
    fs::copy(here.path("data/weather.cstore"), here.path("data/images.cstore")).unwrap();
    let message = here.run("load data --seed 1").fails(1, "invalid_argument");
    assert!(message.contains("the stream 'images'"), "{message}");
    assert!(message.contains("images.cstore"), "{message}");
}

#[test]
fn streams_of_different_lengths_are_refused_with_their_lengths() {
    let here = Workspace::new();
    here.mixed("data");
    here.text("delete data/tokens 0 1");
    let message = here.run("load data --seed 1").fails(1, "shape_mismatch");
    for length in ["'images' has 12", "'tokens' has 10", "'weather' has 12"] {
        assert!(message.contains(length), "{message}");
    }
    // Those that fit together can be loaded.
    here.json("load data --seed 1 --streams images,weather --steps 1");
}

#[test]
fn ranks_share_every_batch() {
    let here = Workspace::new();
    here.mixed("data");
    let whole = here.json("load data --batch 5 --steps 10 --seed 2");
    let ranks = [0, 1, 2]
        .map(|rank| here.json(&format!("load data --batch 5 --steps 10 --seed 2 --rank {rank} --world 3")));
    // Where it does not divide, the first ranks take one record more.
    assert_eq!(ranks.each_ref().map(|rank| rank["records"].as_u64().unwrap()), [20, 20, 10]);
    let bytes: u64 = ranks.iter().map(|rank| rank["value_bytes"].as_u64().unwrap()).sum();
    assert_eq!(whole["value_bytes"], bytes);
    let message = here.run("load data --seed 1 --rank 3 --world 3").fails(1, "invalid_argument");
    assert!(message.contains("rank 3"), "{message}");
}

#[test]
fn launchers_say_the_rank_on_request() {
    let here = Workspace::new();
    here.mixed("data");
    let load = |options: &str, variables: &[(&str, &str)]| -> Run {
        let mut command = here.command(&format!("load data --batch 6 --steps 1 --seed 1 --json {options}"));
        command.env_remove("RANK").env_remove("WORLD_SIZE").envs(variables.iter().copied());
        command.output().unwrap().into()
    };
    let both = [("RANK", "1"), ("WORLD_SIZE", "4")];
    let answer = load("--ranks-from-env", &both).json();
    assert_eq!([&answer["rank"], &answer["world"], &answer["records"]], [1, 4, 2]);
    for alone in [load("", &both), load("--ranks-from-env", &[])] {
        let answer = alone.json();
        assert_eq!([&answer["rank"], &answer["world"], &answer["records"]], [0, 1, 6]);
    }
    for variables in [
        [("RANK", "one"), ("WORLD_SIZE", "4")],
        [("RANK", "-1"), ("WORLD_SIZE", "4")],
        [("RANK", "4"), ("WORLD_SIZE", "4")],
    ] {
        let message = load("--ranks-from-env", &variables).fails(1, "invalid_argument");
        assert!(message.contains(variables[0].1), "{message}");
    }
    let message = load("--ranks-from-env", &both[..1]).fails(1, "invalid_argument");
    assert!(message.contains("WORLD_SIZE"), "{message}");
    let message = load("--ranks-from-env --world 2", &both).fails(2, "invalid_argument");
    assert!(message.contains("--world"), "{message}");
}

#[test]
fn a_memory_limit_is_compared_with_the_budget_before_the_start() {
    let here = Workspace::new();
    here.mixed("data");
    let line = "load data --batch 4 --steps 2 --seed 1 --state run";
    let budget = here.json(line)["budget_bytes"].as_u64().unwrap();
    fs::remove_file(here.path("run")).unwrap();
    let limit = budget - 1;
    let message = here.run(&format!("{line} --memory-limit {limit}")).fails(1, "too_large");
    assert!(message.contains(&budget.to_string()) && message.contains(&limit.to_string()), "{message}");
    assert!(!here.path("run").exists());
    here.json(&format!("{line} --memory-limit {budget}"));
    here.json(&format!("{line} --memory-limit 1GiB"));
    let message = here.run(&format!("{line} --memory-limit 1lot")).fails(2, "invalid_argument");
    assert!(message.contains("MiB"), "{message}");
}

#[test]
fn a_slow_consumer_waits_less() {
    let here = Workspace::new();
    here.mixed("data");
    let answer = here.json("load data --batch 4 --steps 20 --seed 1 --consume 10");
    let figure = |field: &str| answer[field].as_f64().unwrap();
    assert!(figure("seconds") >= 0.2, "{answer}");
    assert!(figure("waited_seconds") <= figure("seconds") - 0.2, "{answer}");
    here.run("load data --consume -1").fails(2, "invalid_argument");
}

#[test]
fn nothing_to_load_is_an_error() {
    let here = Workspace::new();
    here.text("create dense data/images --dtype u1");
    let message = here.run("load data --seed 1").fails(1, "invalid_argument");
    assert!(message.contains("'images'"), "{message}");
    fs::create_dir(here.path("empty")).unwrap();
    here.run("load empty --seed 1").fails(1, "store_not_found");
    for line in
        ["load data --steps 0", "load data --batch 0", "load data --skip all", "load data --order fast"]
    {
        here.run(line).fails(2, "invalid_argument");
    }
}
