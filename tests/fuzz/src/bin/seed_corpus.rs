//! Fills the corpus of every target from the golden data: `cargo run --bin seed_corpus` in this folder.

use std::fs;
use std::io;
use std::path::Path;

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
    let journals = here.join("corpus/journal");
    fs::create_dir_all(&journals)?;
    for (i, bytes) in journals_of_every_state().iter().enumerate() {
        fs::write(journals.join(i.to_string()), bytes)?;
    }
    println!("{written} seeds");
    Ok(())
}

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
