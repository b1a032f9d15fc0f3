//! `xtask-bindgen MODULE FOLDER`: what the `wasm-bindgen` command does, in the version of the library that is linked.
//!
//! A crate of its own, so that other tasks need not wait for it to build.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: xtask-bindgen MODULE FOLDER");
        return ExitCode::FAILURE;
    };
    let mut bindgen = Bindgen::new();
    let generated = bindgen.input_path(module).web(true).and_then(|bindgen| {
        bindgen.typescript(true).remove_name_section(true).remove_producers_section(true).generate(folder)
    });
    match generated {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
