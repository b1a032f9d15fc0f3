//! A state is of its data: a run does not go on with other.

use recask::loader::{LoaderBuilder, State};
use recask::table::ColumnInput;
use recask::{Code, DType, DenseStore, Loader, RaggedStore, Table};
use tempfile::TempDir;

use super::watchdog::watch;

const LENGTH: usize = 20;

/// What three streams hold.
struct Values {
    image: Vec<u8>,
    words: Vec<Vec<u16>>,
    rows: Vec<i64>,
    column: &'static str,
}

impl Values {
    fn new() -> Self {
        Values {
            image: (0..2 * LENGTH).map(|value| u8::try_from(value).unwrap()).collect(),
            words: (0..LENGTH).map(|record| vec![7; 1 + record % 3]).collect(),
            rows: (0..).take(LENGTH).collect(),
            column: "id",
        }
    }

    fn changed(change: impl FnOnce(&mut Values)) -> Streams {
        let mut values = Values::new();
        change(&mut values);
        values.write()
    }

    fn write(&self) -> Streams {
        let folder = tempfile::tempdir().unwrap();
        let mut image = DenseStore::builder(DType::U8, [2]).create(folder.path().join("image")).unwrap();
        image.append(&self.image).unwrap();
        let mut words = RaggedStore::builder(DType::U16).create(folder.path().join("words")).unwrap();
        words.append::<u16, _>(&self.words).unwrap();
        let columns = [ColumnInput::of(self.column, &self.rows)];
        let rows = Table::create(folder.path().join("rows.cstore"), &columns).unwrap();
        Streams { _folder: folder, image, words, rows }
    }
}

struct Streams {
    _folder: TempDir,
    image: DenseStore,
    words: RaggedStore,
    rows: Table,
}

impl Streams {
    fn builder(self) -> LoaderBuilder {
        Loader::builder().stream("image", self.image).stream("words", self.words).stream("rows", self.rows)
    }
}

/// Of a run that has had one batch of the values as they are.
fn state() -> State {
    let mut loader = Values::new().write().builder().batch(4).seed(1).start().unwrap();
    assert!(loader.next().unwrap().is_ok());
    loader.state().unwrap()
}

fn refused(builder: LoaderBuilder, said: &[&str]) {
    let error = builder.resume(state()).start().unwrap_err();
    assert_eq!(error.code(), Code::StateMismatch, "{error}");
    for said in said {
        assert!(error.message().contains(said), "{said} is not in: {error}");
    }
}

#[test]
fn the_same_data_goes_on() {
    let _watchdog = watch("the_same_data_goes_on");
    let mut loader = Values::new().write().builder().resume(state()).start().unwrap();
    assert_eq!(loader.next().unwrap().unwrap().step(), 1);
}

#[test]
fn other_values_are_told_with_their_stream() {
    let _watchdog = watch("other_values_are_told_with_their_stream");
    // The first and the last record are among those that are looked at.
    let changed = Values::changed(|values| values.image[2 * LENGTH - 1] ^= 1);
    refused(changed.builder(), &["'image'", "record 19"]);
    let changed = Values::changed(|values| values.words[0][0] ^= 1);
    refused(changed.builder(), &["'words'", "record 0"]);
    let changed = Values::changed(|values| (values.rows[0], values.image[0]) = (-1, 99));
    refused(changed.builder(), &["'rows'", "'image'", "record 0"]);
}

#[test]
fn another_length_is_told() {
    let _watchdog = watch("another_length_is_told");
    let changed = Values::changed(|values| {
        values.image.extend([1, 2]);
        values.words.push(vec![1]);
        values.rows.push(1);
    });
    refused(changed.builder(), &["20 records", "have 21"]);
}

#[test]
fn another_type_shape_or_column_is_told() {
    let _watchdog = watch("another_type_shape_or_column_is_told");
    let other = tempfile::tempdir().unwrap();
    let with = |image| Streams { image, ..Values::new().write() }.builder();
    let mut image = DenseStore::builder(DType::I8, [2]).create(other.path().join("type")).unwrap();
    image.append(&[0i8; 2 * LENGTH]).unwrap();
    refused(with(image), &["'image'", "|u1 (2,)", "|i1 (2,)"]);
    let mut image = DenseStore::builder(DType::U8, [1, 2]).create(other.path().join("shape")).unwrap();
    image.append(&Values::new().image).unwrap();
    refused(with(image), &["'image'", "(2,)", "(1, 2)"]);
    refused(Values::changed(|values| values.column = "number").builder(), &["'rows'", "'id'", "'number'"]);
}

#[test]
fn another_kind_is_told() {
    let _watchdog = watch("another_kind_is_told");
    let Streams { _folder, image, words, rows } = Values::new().write();
    let builder = Loader::builder().stream("words", image).stream("image", words).stream("rows", rows);
    refused(builder, &["'image' was dense and is ragged", "'words' was ragged and is dense"]);
}

#[test]
fn missing_additional_and_renamed_streams_are_told() {
    let _watchdog = watch("missing_additional_and_renamed_streams_are_told");
    let Streams { _folder, image, words, rows } = Values::new().write();
    let two = Loader::builder().stream("image", image).stream("words", words);
    refused(two, &["no stream 'rows' any more"]);
    let four = Values::new().write().builder().stream("again", rows);
    refused(four, &["'again' was not there"]);
    let Streams { _folder, image, words, rows } = Values::new().write();
    let renamed = Loader::builder().stream("picture", image).stream("words", words).stream("rows", rows);
    refused(renamed, &["no stream 'image' any more", "'picture' was not there"]);
}
