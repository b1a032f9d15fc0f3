//! The npm package around the modules for browsers: TypeScript as JavaScript, and what npm wants.

use std::fs;

use crate::npm;
use crate::process::run;
use crate::report::Result;
use crate::webassembly::module::{is_module_folder, package_folder};
use crate::workspace::root;

/// Brings everything but the modules to the folder of the package, and takes away what an earlier build left.
pub(super) fn build() -> Result {
    let (sources, package) = (root().join("wasm"), package_folder());
    fs::create_dir_all(&package)?;
    for entry in fs::read_dir(&package)? {
        let path = entry?.path();
        if is_module_folder(&path) {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    npm::script(&sources, "build")?;
    fs::copy(sources.join("README.md"), package.join("README.md"))?;
    fs::copy(root().join("LICENSE"), package.join("LICENSE"))?;
    // In the folder of the sources the package is a folder further down.
    let description = fs::read_to_string(sources.join("package.json"))?.replace("./pkg/", "./");
    fs::write(package.join("package.json"), description)?;
    let development = ["pkg", "delete", "private", "scripts", "devDependencies", "files"];
    run(npm::command("npm", &package)?.args(development))
}
