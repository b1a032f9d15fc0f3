//! `load` where records cannot be read.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};

use serde_json::{Value, json};

use crate::support::{Run, Workspace};

/// Damages a record of `images`, whose 16 bytes a frame of zstd holds.
fn damage(here: &Workspace, record: usize) {
    let table = fs::read(here.path("data/images/0.loc")).unwrap();
    let entry = record * 16;
    let offset = u32::from_le_bytes(table[entry..entry + 4].try_into().unwrap());
    let chunk = here.path("data/images/0.chunk");
    let mut bytes = fs::read(&chunk).unwrap();
    bytes[usize::try_from(offset).unwrap()] ^= 0xff;
    fs::write(&chunk, bytes).unwrap();
}

#[test]
fn a_record_that_cannot_be_read_is_an_error_with_its_stream() {
    let here = Workspace::new();
    here.mixed("data");
    damage(&here, 4);
    let line = "load data --mode sequential --batch 3 --steps 2 --state run";
    let message = here.run(line).fails(1, "corrupt_record");
    assert!(message.contains("stream images"), "{message}");
    assert!(message.contains("record 4"), "{message}");
    assert!(!here.path("run").exists());
}

/// Cuts `tokens` in its last record, number 11, while the command has it open.
fn cut_while(here: &Workspace, line: &str) -> Run {
    let mut child = here.command(line).spawn().unwrap();
    // The seed is drawn when the streams are open.
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut seed = String::new();
    said.read_line(&mut seed).unwrap();
    assert!(seed.starts_with("seed: "), "{seed}");
    let chunk = fs::File::options().write(true).open(here.path("data/tokens/0.chunk")).unwrap();
    chunk.set_len(chunk.metadata().unwrap().len() - 1).unwrap();
    let mut stderr = String::new();
    said.read_to_string(&mut stderr).unwrap();
    let run: Run = child.wait_with_output().unwrap().into();
    Run { stderr, ..run }
}

#[test]
fn a_store_that_is_cut_is_an_error_with_its_stream_and_record() {
    let here = Workspace::new();
    here.mixed("data");
    let message = cut_while(&here, "load data --batch 12 --steps 100000").fails(1, "truncated_file");
    assert!(message.starts_with("data: "), "{message}");
    assert!(message.contains("stream tokens"), "{message}");
    assert!(message.contains("record 11"), "{message}");
    // Now it does not open.
    let message = here.run("load data --seed 1 --skip records").fails(1, "truncated_file");
    assert!(message.starts_with("data/tokens: "), "{message}");
}

#[test]
fn the_rest_of_a_store_that_is_cut_goes_on_on_request() {
    let here = Workspace::new();
    here.mixed("data");
    let line = "load data --batch 12 --steps 100 --consume 5 --skip records --json";
    let answer = cut_while(&here, line).json();
    let lost = answer["lost_records"].as_u64().unwrap();
    assert!(lost > 0, "{answer}");
    assert_eq!([&answer["batches"], &answer["records"]], [100, 1200 - lost]);
    let losses = answer["losses"].as_array().unwrap();
    let expected = (json!("tokens"), json!(11), json!("truncated_file"));
    let told = |loss: &Value| (loss["stream"].clone(), loss["record"].clone(), loss["code"].clone());
    assert!(losses.iter().all(|loss| told(loss) == expected), "{answer}");
}

#[test]
fn what_cannot_be_read_is_left_out_on_request_and_told() {
    let here = Workspace::new();
    here.mixed("data");
    damage(&here, 4);
    let line = "load data --mode sequential --batch 3 --steps 8";
    let mut answer = here.json(&format!("{line} --skip records"));
    let message = answer["losses"][0].as_object_mut().unwrap().remove("message").unwrap();
    assert!(message.as_str().is_some_and(|message| !message.is_empty()), "{message}");
    assert_eq!(
        answer["losses"][0],
        json!({ "step": 1, "stream": "images", "record": 4, "code": "corrupt_record" })
    );
    assert_eq!(answer["losses"][1]["step"], 5);
    assert_eq!([&answer["batches"], &answer["records"], &answer["next_step"]], [8, 22, 8]);
    assert_eq!([&answer["lost_records"], &answer["skipped_steps"]], [2, 0]);

    let answer = here.json(&format!("{line} --skip steps"));
    assert_eq!([&answer["batches"], &answer["records"], &answer["next_step"]], [8, 24, 11]);
    assert_eq!(answer["skipped_steps"], 3);

    let text = here.text(&format!("{line} --skip records"));
    assert!(text.contains("\nleft out     2 lost records, 0 steps\n"), "{text}");
    assert!(text.contains("\nlost: step 1, stream images, record 4: corrupt_record: "), "{text}");
    // Without losses nothing is listed.
    let text = here.text("load data --mode sequential --batch 3 --steps 1 --skip records");
    assert!(text.ends_with("left out     0 lost records, 0 steps\n"), "{text}");
}

#[test]
fn many_losses_are_counted_and_the_first_are_told() {
    let here = Workspace::new();
    here.mixed("data");
    damage(&here, 0);
    let line = "load data --mode sequential --batch 12 --steps 120 --skip records";
    let answer = here.json(line);
    assert_eq!(answer["lost_records"], 120);
    assert_eq!(answer["losses"].as_array().unwrap().len(), 100);
    let text = here.text(line);
    assert_eq!(text.lines().filter(|line| line.starts_with("lost: step ")).count(), 10, "{text}");
    assert!(text.ends_with("\nlost: 110 more\n"), "{text}");
}
