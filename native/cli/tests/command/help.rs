//! `--help`, `--version`, `completions`.

use crate::support::Workspace;

const COMMANDS: [&str; 24] = [
    "demo",
    "info",
    "create",
    "import",
    "export",
    "head",
    "tail",
    "show",
    "query",
    "sample",
    "append",
    "delete",
    "compact",
    "concat",
    "recode",
    "train-dict",
    "stats",
    "verify",
    "eval",
    "index",
    "bench",
    "load",
    "calibrate",
    "completions",
];

#[test]
fn the_help_lists_every_command_and_where_to_start() {
    let here = Workspace::new();
    let help = here.text("--help");
    let listed: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed[..COMMANDS.len()], COMMANDS);
    assert_eq!(listed[COMMANDS.len()..], ["help"]);
    for text in ["recask demo", "Exit status:", "130", "error[code]", "--json"] {
        assert!(help.contains(text), "{text} is missing in {help}");
    }
}

#[test]
fn every_command_has_examples_that_begin_with_its_name() {
    let here = Workspace::new();
    for command in COMMANDS {
        let help = here.text(&format!("{command} --help"));
        assert!(help.contains("Examples:\n"), "{command}: {help}");
        assert!(help.contains(&format!("\n  recask {command}")), "{command}: {help}");
    }
}

#[test]
fn help_states_the_contracts() {
    let here = Workspace::new();
    for (command, text) in [
        ("info", "\"item_shape\""),
        ("show", "\"nan\", \"inf\", \"-inf\""),
        ("verify", "\"faults\":["),
        ("stats", "\"live_bytes\""),
        ("sample", "one line a step"),
        ("delete", "the last record of the store moves into the hole"),
        ("import", "MNIST IDX"),
        ("create", "datetime64[ns]"),
        ("recode", "--train-dict"),
        ("info", "\"file_records\""),
        ("query", "\"found\""),
        ("load", "\"waited_share\""),
    ] {
        let help = here.text(&format!("{command} --help"));
        assert!(help.contains(text), "{command}: {help}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let here = Workspace::new();
    assert_eq!(here.text("--version"), format!("recask {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_the_commands() {
    let here = Workspace::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = here.text(&format!("completions {shell}"));
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    here.run("completions tcsh").fails(2, "invalid_argument");
}
