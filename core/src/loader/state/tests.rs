use alloc::string::ToString as _;
use alloc::vec;

use proptest::prelude::*;

use super::*;
use crate::error::Code;

fn identity(name: &str, kind: &'static str, layout: &str, samples: &[Option<u32>]) -> Identity {
    Identity { name: name.into(), kind, layout: layout.into(), samples: samples.to_vec() }
}

fn images_and_words() -> Vec<Identity> {
    vec![
        identity("image", "dense", "|u1 (28, 28)", &[Some(0x9f86_d081), None, Some(7)]),
        identity("it's", "table", "'id' <i8", &[Some(1), Some(2), Some(3)]),
    ]
}

fn state() -> State {
    let sampler = Sampler::cyclic(3, 2).seed(u64::MAX).shard(1, 8).build().unwrap();
    State::new(&sampler, &Cursor::new(1000, [1002, 1005]), &images_and_words())
}

const LINE: &str = r#"{"recask_loader": 1, "mode": "cyclic", "seed": "18446744073709551615", "batch": "2", "length": "3", "step": "1000", "done": ["1002", "1005"], "rank": "1", "world": "8", "streams": [{"name": "image", "kind": "dense", "layout": "|u1 (28, 28)", "samples": ["9f86d081", null, "00000007"]}, {"name": "it's", "kind": "table", "layout": "'id' <i8", "samples": ["00000001", "00000002", "00000003"]}]}"#;

#[test]
fn the_text_is_one_line_of_json() {
    assert_eq!(state().to_string(), LINE);
    assert_eq!(LINE.parse::<State>().unwrap(), state());
    serde_json::from_str::<serde_json::Value>(LINE).unwrap();
}

#[test]
fn debug_says_where_it_stands() {
    let text = alloc::format!("{:?}", state());
    assert_eq!(
        text,
        r#"State { step: 1000, done: [1002, 1005], mode: cyclic, seed: 18446744073709551615, batch: 2, length: 3, rank: 1, world: 8, streams: ["image": dense |u1 (28, 28) 9f86d081 lost 00000007, "it's": table 'id' <i8 00000001 00000002 00000003] }"#
    );
}

#[test]
fn the_order_goes_on_with_other_ranks() {
    let sampler = state().sampler(3, 4).unwrap();
    assert_eq!(sampler, Sampler::cyclic(3, 2).seed(u64::MAX).shard(3, 4).build().unwrap());
    assert_eq!(state().sampler(4, 4).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn numbers_and_unknown_keys_are_read_too() {
    let line = LINE
        .replace(r#""18446744073709551615""#, "18446744073709551615")
        .replace(r#""1002""#, "1002")
        .replace(r#""kind": "table""#, r#""kind": "table", "later": [{"x": [1.5, true]}]"#)
        .replace('{', "{\n");
    assert_eq!(line.parse::<State>().unwrap(), state());
}

#[test]
fn wrong_text_is_refused_with_its_place() {
    let number = "is not a whole number from 0 to 2^64 - 1";
    for (from, to, expected) in [
        ("{\"recask", "\u{feff}{\"recask", "it begins with a byte order mark, which JSON has not"),
        ("{\"recask", "\u{e9}\"", "it is not JSON at character 1: a value is expected"),
        ("\"world\"", "world", "it is not JSON at character 156: a key in double quotes is expected"),
        ("\"seed\"", "\"sead\"", "'seed' is missing"),
        ("\"2\"", "\"2.0\"", &["'batch' ", number].concat()),
        ("\"2\"", "2.0", &["'batch' ", number].concat()),
        ("\"2\"", "-2", &["'batch' ", number].concat()),
        ("\"2\"", "\"+2\"", &["'batch' ", number].concat()),
        ("\"2\"", "\"\"", &["'batch' ", number].concat()),
        ("551615", "551616", &["'seed' ", number].concat()),
        ("\"2\"", "0", "a batch of 0 indices never gets anywhere; give a batch of at least 1"),
        ("\"8\"", "\"1\"", "rank 1 does not exist in a world of 1; ranks count from 0"),
        ("cyclic", "shuffled", "'mode' is 'shuffled', not sequential, iid, cyclic or iid_seek"),
        ("\"cyclic\"", "2", "'mode' is not a string"),
        ("\"1005\"", "\"x\"", &["'done[1]' ", number].concat()),
        ("1005", "1002", "'done' does not list steps after 'step' in ascending order, each once"),
        ("1005", "1001", "'done' does not list steps after 'step' in ascending order, each once"),
        ("1002", "1000", "'done' does not list steps after 'step' in ascending order, each once"),
        ("[\"1002\", \"1005\"]", "{}", "'done' is not a list"),
        ("\"it's\"", "\"image\"", "two streams are called 'image'"),
        ("\"it's\"", "\"\\ud800\"", "'streams[1].name' holds half of a surrogate pair"),
        ("table", "frame", "'streams[1].kind' is 'frame', not dense, ragged or table"),
        ("00000002", "0000002", "'streams[1].samples[1]' is neither 8 hexadecimal digits nor null"),
        ("00000002", "+0000002", "'streams[1].samples[1]' is neither 8 hexadecimal digits nor null"),
        ("\"00000002\"", "2", "'streams[1].samples[1]' is neither 8 hexadecimal digits nor null"),
        ("null, ", "", "'streams[0].samples' has 2 entries, for 3 records there are 3"),
        ("[{\"name\"", "[3, {\"name\"", "'streams[0]' is not an object"),
    ] {
        let line = LINE.replacen(from, to, 1);
        assert_ne!(line, LINE, "{from}");
        let error = line.parse::<State>().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{line}");
        assert_eq!(error.message(), ["this is no state of a loader: ", expected].concat());
    }
    assert_eq!(
        "[]".parse::<State>().unwrap_err().message(),
        "this is no state of a loader: it is not an object"
    );
    assert_eq!("{\"a\" 1}".parse::<State>().unwrap_err().character(), Some(6));
}

#[test]
fn other_versions_and_endless_texts_are_refused() {
    let error = r#"{"recask_loader": 2}"#.parse::<State>().unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedVersion);
    let error = " ".repeat((16 << 20) + 1).parse::<State>().unwrap_err();
    assert_eq!(error.code(), Code::TooLarge);
}

#[test]
fn other_data_is_refused_with_everything_that_differs() {
    let state = state();
    let there = images_and_words();
    let differs = |length, identities: &[Identity]| {
        let error = state.check(length, identities).unwrap_err();
        assert_eq!(error.code(), Code::StateMismatch);
        let prefix = "the loader's state was taken from other data: ";
        error.message().strip_prefix(prefix).unwrap().to_string()
    };
    let changed = |change: fn(&mut Vec<Identity>)| {
        let mut identities = there.clone();
        change(&mut identities);
        differs(3, &identities)
    };

    state.check(3, &there).unwrap();
    state.check(3, &[there[1].clone(), there[0].clone()]).unwrap();
    assert_eq!(differs(4, &there), "the streams had 3 records and have 4");
    assert_eq!(changed(|streams| drop(streams.remove(0))), "there is no stream 'image' any more");
    assert_eq!(changed(|streams| streams[0].kind = "ragged"), "the stream 'image' was dense and is ragged");
    assert_eq!(
        changed(|streams| streams[0].layout = "|u1 (28, 29)".into()),
        "the stream 'image' was of the type |u1 (28, 28) and is of |u1 (28, 29)"
    );
    assert_eq!(
        changed(|streams| streams[1].samples[2] = Some(4)),
        "the stream 'it\\'s' has other values in record 2"
    );
    assert_eq!(
        changed(|streams| {
            streams[1].name = "its".into();
            streams[0].samples[0] = Some(4);
        }),
        "the stream 'image' has other values in record 0; there is no stream 'it\\'s' any more; the stream 'its' was not there"
    );

    // What was lost then, or is lost now, is not compared.
    let mut lost = there.clone();
    lost[0].samples = vec![None, Some(5), Some(7)];
    state.check(3, &lost).unwrap();
}

#[test]
fn many_and_long_differences_stay_short() {
    let sampler = Sampler::sequential(1, 1).build().unwrap();
    let columns = |last: &str| (0..1000).map(|i| alloc::format!("'c{i}' <i8, ")).collect::<String>() + last;
    let wide = |layout: &str| [identity("t", "table", layout, &[None])];
    let state = State::new(&sampler, &Cursor::default(), &wide(&columns("'end' <i4")));
    let error = state.check(1, &wide(&columns("'end' <f4"))).unwrap_err();
    assert_eq!(
        error.message(),
        "the loader's state was taken from other data: the stream 't' was of the type … 'c999' <i8, 'end' <i4 and is of \
         … 'c999' <i8, 'end' <f4"
    );

    let many: Vec<_> = (0..100).map(|i| identity(&i.to_string(), "dense", "", &[None])).collect();
    let error = state.check(1, &many).unwrap_err();
    assert!(error.message().ends_with("; 93 more"), "{error}");
}

fn any_identity(length: u64) -> impl Strategy<Value = Identity> {
    let samples = Identity::sampled(length).len();
    let kind = prop::sample::select(vec!["dense", "ragged", "table"]);
    (any::<String>(), kind, any::<String>(), prop::collection::vec(any::<Option<u32>>(), samples))
        .prop_map(|(name, kind, layout, samples)| Identity { name, kind, layout, samples })
}

fn any_state() -> impl Strategy<Value = State> {
    let number = || prop_oneof![1u64..20, 1..=u64::MAX];
    let order = (prop::sample::select(Mode::ALL.to_vec()), number(), number(), any::<u64>());
    let ranks = number().prop_flat_map(|world| (0..world, Just(world)));
    let done = prop::collection::vec(any::<u64>(), 0..5);
    (order, ranks, any::<u64>(), done).prop_flat_map(
        |((mode, length, batch, seed), (rank, world), step, done)| {
            let sampler =
                Sampler::builder(mode, length, batch).seed(seed).shard(rank, world).build().unwrap();
            let cursor = Cursor::new(step, done);
            prop::collection::vec(any_identity(length), 0..4).prop_map(move |mut streams| {
                streams.sort_by(|a, b| a.name.cmp(&b.name));
                streams.dedup_by(|a, b| a.name == b.name);
                State::new(&sampler, &cursor, &streams)
            })
        },
    )
}

proptest! {
    #[test]
    fn the_text_gives_the_state_back(state in any_state()) {
        let line = state.to_string();
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(&line.parse::<State>().unwrap(), &state);
        // And any other reader of JSON understands it.
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let step = state.step().to_string();
        prop_assert_eq!(value["step"].as_str(), Some(step.as_str()));
        prop_assert_eq!(value.to_string().parse::<State>().unwrap(), state);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serde_gives_the_same_document(state in any_state()) {
        let line = state.to_string();
        let value = serde_json::to_value(&state).unwrap();
        prop_assert_eq!(&value, &serde_json::from_str::<serde_json::Value>(&line).unwrap());
        prop_assert_eq!(&serde_json::from_value::<State>(value).unwrap(), &state);
        prop_assert_eq!(&serde_json::from_str::<State>(&line).unwrap(), &state);
        let packed = rmp_serde::to_vec(&state).unwrap();
        prop_assert_eq!(&rmp_serde::from_slice::<String>(&packed).unwrap(), &line);
        prop_assert_eq!(&rmp_serde::from_slice::<State>(&packed).unwrap(), &state);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serde_refuses_with_the_same_sentence(at in 0..LINE.len(), with in "[0-9a-z\\[\\]\", ]{0,3}") {
        let line = [&LINE[..at], &with, &LINE[LINE.len().min(at + with.len())..]].concat();
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&line) else { return Ok(()) };
        match (line.parse::<State>(), serde_json::from_value::<State>(value)) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs),
            (Err(ours), Err(theirs)) => prop_assert_eq!(ours.to_string(), theirs.to_string()),
            (ours, theirs) => prop_assert!(false, "{ours:?} and {theirs:?}"),
        }
    }
}
