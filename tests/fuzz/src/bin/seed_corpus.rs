//! Fills the corpus of every target from the golden data: `cargo run --bin seed_corpus` in this folder.

use std::fs;
use std::io;
use std::path::Path;

use recask_core::format::zrecord::Entry;
use recask_fuzz::pack;

/// Larger inputs slow every run of the target down.
const LARGEST: usize = 16 << 10;

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = here.join("../golden/zrecord");
    let mut written = 0;
    for part in ["stores", "bad"] {
        for store in fs::read_dir(golden.join(part))? {
            let store = store?;
            let name = store.file_name().to_string_lossy().into_owned();
            let mut add = |target: &str, bytes: &[u8]| {
                let corpus = here.join("corpus").join(target);
                fs::create_dir_all(&corpus)?;
                written += 1;
                fs::write(corpus.join(&name), bytes)
            };
            let mut files = Vec::new();
            for file in fs::read_dir(store.path())? {
                let file = file?;
                files.push((file.file_name().to_string_lossy().into_owned(), fs::read(file.path())?));
            }
            files.sort();
            for (file, content) in &files {
                match file.as_str() {
                    "meta.zr" => add("meta_header", content)?,
                    "0.loc" => {
                        let meta = files.iter().find(|(name, _)| name == "meta.zr");
                        if let (Some((_, meta)), Some(entry)) = (meta, content.get(..16)) {
                            add("entry", &[meta, [0; 8].as_slice(), entry].concat())?;
                        }
                    }
                    "store.zr" => {
                        add("store_header", content)?;
                        add("identity", content.get(32..).unwrap_or_default())?;
                    }
                    _ => {}
                }
            }
            if let Some(frame) = first_frame(&files) {
                add("frame", &frame)?;
            }
            if let Some(bytes) = pack(files).filter(|bytes| bytes.len() <= LARGEST) {
                add("open_directory", &bytes)?;
            }
        }
    }
    let types = here.join("corpus/dtype_text");
    fs::create_dir_all(&types)?;
    for (i, text) in DTYPES.iter().enumerate() {
        fs::write(types.join(i.to_string()), text)?;
    }
    let states = here.join("corpus/loader_state");
    fs::create_dir_all(&states)?;
    for (i, text) in STATES.iter().enumerate() {
        fs::write(states.join(i.to_string()), text)?;
    }
    let listings = here.join("corpus/listing");
    fs::create_dir_all(&listings)?;
    fs::write(listings.join("0"), LISTING)?;
    let journals = here.join("corpus/journal");
    fs::create_dir_all(&journals)?;
    for (i, bytes) in journals_of_every_state().iter().enumerate() {
        fs::write(journals.join(i.to_string()), bytes)?;
    }
    written += tables(here)?;
    println!("{written} seeds");
    Ok(())
}

/// The first record of a compressed store as the target wants it: whether it needs a dictionary, its length, its frame.
fn first_frame(files: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let content = |wanted: &str| files.iter().find(|(name, _)| name == wanted).map(|(_, content)| content);
    if content("meta.zr")?.get(5) != Some(&1) || content("dict.zr").is_some() {
        return None;
    }
    let entry = Entry::decode(content("0.loc")?.first_chunk()?);
    let length = u16::try_from(entry.decoded).ok()?;
    let start = usize::try_from(entry.offset).ok()?;
    let stored = usize::try_from(entry.stored).ok()?;
    let frame = content("0.chunk")?.get(start..)?.get(..stored)?;
    Some([&[0], length.to_le_bytes().as_slice(), frame].concat())
}

/// Every table of the golden data that is not too large, and filters of every part of the language.
fn tables(here: &Path) -> io::Result<u32> {
    let mut written = 0;
    let mut add = |target: &str, name: &str, bytes: &[u8]| {
        let corpus = here.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        written += 1;
        fs::write(corpus.join(name), bytes)
    };
    for file in fs::read_dir(here.join("../golden/cstore"))? {
        let file = file?;
        let content = fs::read(file.path())?;
        if file.path().extension().is_some_and(|extension| extension == "cstore") && content.len() <= LARGEST
        {
            let name = file.file_name().to_string_lossy().into_owned();
            add("table_open", &name, &content)?;
            add("table_update", &name, &content)?;
        }
    }
    for (number, text) in FILTERS.iter().enumerate() {
        add("table_filter", &number.to_string(), text.as_bytes())?;
    }
    Ok(written)
}

const FILTERS: [&str; 18] = [
    "a > 3 AND b <= 200",
    "a + c * 2 - b / 4 % 3 = 1 OR NOT k",
    "f BETWEEN -1.5 AND 1e3",
    "g <> 0.25 AND h >= 1.5",
    "s = 'a%' OR s LIKE '_!%' ESCAPE '!'",
    "u NOT ILIKE '%z%'",
    "t >= TIMESTAMP '1970-01-01 00:00:05'",
    "w < DATE '1970-02-01'",
    "t - TIMESTAMP '1970-01-01' > INTERVAL '3' SECOND",
    "w + INTERVAL '1 day 2.5 hours' > '1970-01-03'",
    "m = INTERVAL '5' SECOND",
    "d IN (1, 2, 18446744073709551615)",
    "f IS NULL OR t IS NOT NULL",
    "k IS TRUE AND NOT (k IS FALSE)",
    "abs(a) > length(s) AND lower(u) = upper(u)",
    "\"the end\" == -2",
    "c > 9223372036854775806.5",
    "((a = 1) OR (b != 2)) AND (f < g)",
];

/// As loaders of one stream and of three write them.
const STATES: [&str; 2] = [
    r#"{"recask_loader": 1, "mode": "cyclic", "seed": "42", "batch": "256", "length": "60000", "step": "1000", "done": ["1002"], "rank": "0", "world": "8", "streams": [{"name": "image", "kind": "dense", "layout": "|u1 (28, 28)", "samples": ["9f86d081", null, "d081884c", "7d659a2f", "eaa0c55a", "d015a3bf", "4f1b2b0b", "822cd15d"]}]}"#,
    r#"{"recask_loader": 1, "mode": "iid", "seed": "0", "batch": "1", "length": "1", "step": "0", "done": [], "rank": "0", "world": "1", "streams": [{"name": "a", "kind": "ragged", "layout": "<i4", "samples": ["00000000"]}, {"name": "b", "kind": "table", "layout": "'id' <i8, 'label' |S5", "samples": ["ffffffff"]}, {"name": "c", "kind": "dense", "layout": "<f4 ()", "samples": [null]}]}"#,
];

const LISTING: &str = r#"{"format": 1, "streams": [
{"name": "a/b", "kind": "table", "path": "a/b.cstore", "files": {"b.cstore": 4096}},
{"name": "images", "kind": "dense", "path": "images", "files": {"store.zr": 58, "meta.zr": 32, "0.loc": 16, "0.chunk": 784}}
]}
"#;

const DTYPES: [&str; 12] = [
    "|u1",
    "<f8",
    ">i4",
    "<M8[25us]",
    "m8[D]",
    "S5",
    "<U3",
    "|V7",
    "float32",
    "[('x', '<f4', (2, 3)), ('y', 'u1')]",
    "[('p', [('q', '<i2'), ('r', '>i4')]), ('s', 'S3')]",
    "[(('title', 'nm'), '<i4'), ('', '|V7'), (\"it's\", '<c16')]",
];

fn journals_of_every_state() -> Vec<Vec<u8>> {
    use recask_core::format::zrecord::journal::{Appended, BODY, Head, Redo, State};
    use recask_core::format::zrecord::{CodecKind, Entry, Frontier, Header};

    let header = Header::empty(CodecKind::Raw);
    let entry = Entry { offset: 0, stored: 784, decoded: 784, chunk: 0 };
    let redo = Redo { header: header.encode(), entries: vec![(0, entry), (3, entry)] }.encode();
    let tail = Frontier { chunk: 0, offset: 784 };
    let appended = Appended { generation: 1, number: 0, tail, length: 1, digest: 0 }.encode();
    let redo_state = State::Redo { body_len: redo.len() as u64, body_hash: Redo::hash(&redo) };
    [
        (State::Clean, Vec::new()),
        (State::Creating, Vec::new()),
        (State::Appending, appended.to_vec()),
        (redo_state, redo),
    ]
    .into_iter()
    .map(|(state, body)| {
        let mut bytes = Head { state, generation: 1, base: header.encode() }.encode().to_vec();
        bytes.resize(usize::try_from(BODY).unwrap_or(bytes.len()), 0);
        bytes.extend(body);
        bytes
    })
    .collect()
}
