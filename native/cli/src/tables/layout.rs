//! The options that say how a new table is laid out.

use clap::{Args, ValueEnum};
use recask::core::format::cstore::Layout;
use recask::table::WriteOptions;

/// Releases of colstore, by what their files look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutName {
    /// For colstore 0.3 and Recask
    #[value(name = "0.3")]
    V03,
    /// For colstore 0.5 and Recask
    #[value(name = "0.5")]
    V05,
}

/// How a new table is laid out.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LayoutArgs {
    /// Which release of colstore can read the table [default: 0.3; 0.5 with --statistics]
    #[arg(long, value_enum)]
    layout: Option<LayoutName>,
    /// Keep the extremes of every column in every record, so that filters can skip records
    #[arg(long)]
    statistics: bool,
}

impl LayoutArgs {
    pub(crate) fn options(self) -> WriteOptions {
        let layout = match self.layout {
            Some(LayoutName::V05) => Layout::V05,
            Some(LayoutName::V03) => Layout::V03,
            None if self.statistics => Layout::V05,
            None => Layout::V03,
        };
        WriteOptions { layout, statistics: self.statistics }
    }

    /// The options, and which of them are given.
    pub(crate) fn given(self) -> [(&'static str, bool); 2] {
        [("--layout", self.layout.is_some()), ("--statistics", self.statistics)]
    }
}
