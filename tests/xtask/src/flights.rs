//! Three million real flights from npm, read beside pyarrow.

use crate::debian;
use crate::peer;
use crate::process::{run, works};
use crate::report::{Result, say};
use crate::workspace::{cargo, kept, program};

const PACKAGE: &str = "vega-datasets@3.2.1";
const ARCHIVE: &str = "vega-datasets-3.2.1.tgz";

pub(crate) fn check() -> Result {
    let folder = kept("flights");
    let file = folder.join("package/data/flights-3m.parquet");
    if !file.is_file() {
        if !works(program("npm").arg("--version")) {
            say("npm is missing");
            debian::ensure(&["npm"])?;
        }
        std::fs::create_dir_all(&folder)?;
        run(program("npm").args(["pack", "--silent", PACKAGE, "--pack-destination"]).arg(&folder))?;
        run(program("tar").arg("-xzf").arg(folder.join(ARCHIVE)).arg("-C").arg(&folder))?;
    }
    let mut command = cargo("test");
    command.args(["--package", "recask", "--all-features", "--test", "table_convert"]);
    command.args(["flights::", "--", "--ignored"]);
    run(command.env("RECASK_FLIGHTS_3M", file).env(peer::PYARROW.variable, peer::PYARROW.ensure()?))
}
