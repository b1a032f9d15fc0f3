//! Any text of a listing: an error, or a listing that survives writing and reading and does not lead out of its folder.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recask_core::listing::Listing;

fuzz_target!(|text: &[u8]| {
    if let Ok(listing) = Listing::parse(text) {
        assert_eq!(Listing::parse(listing.to_string().as_bytes()).unwrap(), listing);
        for path in listing.streams().iter().map(|stream| stream.path()).filter(|path| *path != ".") {
            assert!(path.split('/').all(|part| !["", ".", ".."].contains(&part)), "{path:?}");
        }
    }
});
