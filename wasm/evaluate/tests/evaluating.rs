//! From stores and tables to a result.

mod support;

use recask::core::dtype::bytes_of_slice;
use recask::core::table::ColumnInput;
use recask::{Code, Codec, DType, DenseStore, RaggedStore, Table};
use recask_evaluate::scores::Meaning;
use recask_evaluate::{Request, Task, evaluate};
use support::Workspace;

#[test]
fn classes_of_any_integer_type_are_evaluated() {
    let here = Workspace::new();
    here.dense("a", "|u1", &[], &[0, 1, 2, 2]);
    here.dense("b", ">i4", &[1], &[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2]);
    here.dense("c", "|b1", &[], &[0, 1, 1, 0]);
    let report = evaluate(&here.request("a", "b"), &()).unwrap();
    let json = concat!(
        r#"{"format":1,"task":"classification","records":4,"classes":3,"scores":null,"correct":3,"accuracy":0.75,"#,
        r#""top_k":null,"macro_average":{"precision":0.8333333333333334,"recall":0.8333333333333334,"f1":0.7777777777777777},"#,
        r#""micro_average":{"precision":0.75,"recall":0.75,"f1":0.75},"#,
        r#""weighted_average":{"precision":0.875,"recall":0.75,"f1":0.75},"log_loss":null,"brier_score":null,"calibration":null,"#,
        r#""per_class":[{"class":0,"support":1,"predicted":1,"correct":1,"precision":1.0,"recall":1.0,"f1":1.0},"#,
        r#"{"class":1,"support":1,"predicted":2,"correct":1,"precision":0.5,"recall":1.0,"f1":0.6666666666666666},"#,
        r#"{"class":2,"support":2,"predicted":1,"correct":1,"precision":1.0,"recall":0.5,"f1":0.6666666666666666}],"#,
        r#""confusion_matrix":[[1,0,0],[0,1,0],[0,1,1]]}"#,
        "\n"
    );
    assert_eq!(report.to_json().unwrap(), json);
    let bools = evaluate(&here.request("c", "c"), &()).unwrap();
    assert_eq!(bools.classification().unwrap().accuracy, Some(1.0));
}

#[test]
fn scores_come_from_dense_and_ragged_stores_and_from_columns() {
    let here = Workspace::new();
    here.dense("labels", "|u1", &[], &[0, 1, 1]);
    let scores = [0.75f32, 0.25, 0.5, 0.5, 0.0, 1.0];
    here.dense("dense", "<f4", &[2], bytes_of_slice(&scores));
    let mut ragged = RaggedStore::builder(DType::F32).codec(Codec::zstd()).create(here.at("ragged")).unwrap();
    ragged.append(scores.as_chunks::<2>().0).unwrap();
    ragged.close().unwrap();
    let halves = scores.as_chunks::<2>().0.iter().map(|[a, b]| (*a, f64::from(*b)));
    let (zero, one): (Vec<f32>, Vec<f64>) = halves.unzip();
    let columns = [
        ColumnInput::of("label", &[0i16, 1, 1]),
        ColumnInput::of("zero", &zero),
        ColumnInput::of("one", &one),
    ];
    Table::create(here.at("table.cstore"), &columns).unwrap();

    let expected = evaluate(&here.request("labels", "dense"), &()).unwrap().to_json().unwrap();
    assert!(expected.contains(r#""scores":"probabilities","correct":2,"#), "{expected}");
    assert_eq!(evaluate(&here.request("labels", "ragged"), &()).unwrap().to_json().unwrap(), expected);
    let mut request = here.request("table.cstore", "table.cstore");
    request.labels.columns = vec!["label".into()];
    request.predictions.columns = vec!["zero".into(), "one".into()];
    assert_eq!(evaluate(&request, &()).unwrap().to_json().unwrap(), expected);
}

#[test]
fn floats_are_a_regression_and_so_are_classes_when_told() {
    let here = Workspace::new();
    here.dense("whole", "<i8", &[], bytes_of_slice(&[1i64, 2, 3]));
    here.dense("real", "<f2", &[], &[0x00, 0x3c, 0x00, 0x40, 0x00, 0x44]);
    let report = evaluate(&here.request("whole", "real"), &()).unwrap();
    assert_eq!(report.regression().unwrap().overall.max_error, Some(1.0));
    let json = report.to_json().unwrap();
    let start = r#"{"format":1,"task":"regression","records":3,"values":1,"mae":0.3333333333333333,"mse":0.3333333333333333,"rmse":0.5773502691896257,"#;
    assert!(json.starts_with(start), "{json}");
    // One float is no score for each class, whatever its shape.
    here.dense("column", "<f4", &[1], bytes_of_slice(&[1.0f32, 2.0, 4.0]));
    assert!(evaluate(&here.request("whole", "column"), &()).unwrap().to_json().unwrap().starts_with(start));
    let request = Request { task: Some(Task::Regression), ..here.request("whole", "whole") };
    assert_eq!(evaluate(&request, &()).unwrap().regression().unwrap().overall.mae, Some(0.0));
    let request = Request { task: Some(Task::Classification), ..here.request("whole", "real") };
    assert_eq!(evaluate(&request, &()).unwrap_err().code(), Code::ShapeMismatch);
}

#[test]
fn batches_change_nothing() {
    let here = Workspace::new();
    let numbers: Vec<u32> = (0..2500u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let labels: Vec<u8> = numbers.iter().map(|number| u8::try_from(number % 5).unwrap()).collect();
    let logits: Vec<f64> = numbers
        .iter()
        .flat_map(|number| (1..6).map(move |k| f64::from(number >> k) / 1e6 * f64::from(k)))
        .collect();
    here.dense("labels", "|u1", &[], &labels);
    here.dense("logits", "<f8", &[5], bytes_of_slice(&logits));
    here.dense("values", "<f8", &[], bytes_of_slice(&logits[..2500]));
    let mut request = here.request("labels", "logits");
    request.classification.scores = Meaning::Logits;
    for (task, request) in [("scores", request), ("values", here.request("labels", "values"))] {
        let evaluated = |batch: Option<u64>| {
            let records = here.at(&format!("{task}-{batch:?}.cstore"));
            let request = Request { batch, records: Some(records.clone()), ..request.clone() };
            (evaluate(&request, &()).unwrap().to_json().unwrap(), std::fs::read(records).unwrap())
        };
        let whole = evaluated(None);
        for batch in [1, 7, 1000] {
            assert!(evaluated(Some(batch)) == whole, "{task} in batches of {batch}");
        }
    }
}

#[test]
fn every_record_is_a_row() {
    let here = Workspace::new();
    here.dense("labels", "|u1", &[], &[0, 1]);
    here.dense("scores", "<f8", &[2], bytes_of_slice(&[0.25f64, 0.75, 0.5, 0.5]));
    here.dense("pairs", "<f8", &[2], bytes_of_slice(&[1.25f64, 0.75, 0.5, 2.5]));
    let rows = |request: &Request| {
        let request = Request { records: Some(here.at("records.cstore")), ..request.clone() };
        evaluate(&request, &()).unwrap();
        let table = Table::open(here.at("records.cstore")).unwrap();
        std::fs::remove_file(here.at("records.cstore")).unwrap();
        table
    };
    let table = rows(&here.request("labels", "scores"));
    let names: Vec<_> = table.all().columns_selected().map(|column| column.name().to_owned()).collect();
    let expected = [
        "record",
        "label",
        "prediction",
        "correct",
        "label_rank",
        "confidence",
        "label_probability",
        "loss",
        "brier",
    ];
    assert_eq!(names, expected);
    assert_eq!(table.column("record").unwrap().values::<u64>().unwrap(), [0, 1]);
    assert_eq!(table.column("prediction").unwrap().values::<u64>().unwrap(), [1, 0]);
    assert_eq!(table.column("correct").unwrap().values::<bool>().unwrap(), [false, false]);
    assert_eq!(table.column("label_rank").unwrap().values::<u64>().unwrap(), [1, 1]);
    assert_eq!(table.column("label_probability").unwrap().values::<f64>().unwrap(), [0.25, 0.5]);
    assert_eq!(
        table.column("loss").unwrap().values::<f64>().unwrap(),
        [1.3862943611198906, std::f64::consts::LN_2]
    );
    assert_eq!(table.file_records(), 1);

    let table = rows(&here.request("scores", "pairs"));
    assert_eq!(table.column("mean_error").unwrap().values::<f64>().unwrap(), [0.5, 1.0]);
    assert_eq!(table.column("mean_squared_error").unwrap().values::<f64>().unwrap(), [0.5, 2.0]);
    assert_eq!(table.column("max_error").unwrap().values::<f64>().unwrap(), [1.0, 2.0]);
}

#[test]
fn a_failed_evaluation_leaves_no_table() {
    let here = Workspace::new();
    here.dense("labels", "|i1", &[], &[0, 1, 0xff]);
    here.dense("classes", "|u1", &[], &[0, 1, 1]);
    let request = Request {
        records: Some(here.at("records.cstore")),
        batch: Some(1),
        ..here.request("labels", "classes")
    };
    let error = evaluate(&request, &()).unwrap_err();
    assert_eq!((error.code(), error.record()), (Code::IndexOutOfRange, Some(2)));
    assert!(error.place().unwrap().ends_with("labels"), "{error}");
    assert!(!here.at("records.cstore").exists());
    // Nor does one destroy a table that is there.
    here.dense("good", "|u1", &[], &[0, 1, 1]);
    std::fs::write(here.at("records.cstore"), "mine").unwrap();
    let request = Request { records: request.records, ..here.request("good", "classes") };
    assert_eq!(evaluate(&request, &()).unwrap_err().code(), Code::StoreExists);
    assert_eq!(std::fs::read(here.at("records.cstore")).unwrap(), b"mine");
}

#[test]
fn what_does_not_fit_is_refused() {
    let here = Workspace::new();
    here.dense("labels", "|u1", &[], &[0, 1, 1]);
    here.dense("short", "|u1", &[], &[0, 1]);
    here.dense("text", "|S1", &[], b"abc");
    here.dense("nan", "<f4", &[2], bytes_of_slice(&[0.5f32, 0.5, f32::NAN, 0.5, 0.5, 0.5]));
    here.dense("three", "<f4", &[3], bytes_of_slice(&[0.5f32; 9]));
    let columns = [ColumnInput::of("label", &[0i16, 1, 1])];
    Table::create(here.at("table.cstore"), &columns).unwrap();
    let mut uneven = RaggedStore::builder(DType::F32).create(here.at("uneven")).unwrap();
    uneven.append(&[vec![0.5f32, 0.5], vec![0.5, 0.25, 0.25], vec![1.0]]).unwrap();
    uneven.close().unwrap();
    let fails = |predictions: &str, code: Code, text: &str| {
        let error = evaluate(&here.request("labels", predictions), &()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    fails("short", Code::ShapeMismatch, "3 labels");
    fails("short", Code::ShapeMismatch, "2 predictions");
    fails("text", Code::DTypeMismatch, "|S1");
    fails("nan", Code::InvalidArgument, "record 1");
    fails("three", Code::InvalidArgument, "sum to 1.5");
    fails("uneven", Code::ShapeMismatch, "record 1");
    fails("missing", Code::StoreNotFound, "missing");
    fails("missing.cstore", Code::StoreNotFound, "missing.cstore");
    fails("table.cstore", Code::InvalidArgument, "'label'");
    let mut request = here.request("labels", "table.cstore");
    request.predictions.columns = vec!["nothing".into()];
    assert_eq!(evaluate(&request, &()).unwrap_err().code(), Code::ColumnNotFound);
    request.predictions = here.request("labels", "labels").predictions;
    request.predictions.columns = vec!["label".into()];
    assert_eq!(evaluate(&request, &()).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn empty_stores_have_no_figures() {
    let here = Workspace::new();
    DenseStore::builder(DType::U8, ()).create(here.at("labels")).unwrap().close().unwrap();
    DenseStore::builder(DType::F32, [2]).create(here.at("scores")).unwrap().close().unwrap();
    RaggedStore::builder(DType::F32).create(here.at("ragged")).unwrap().close().unwrap();
    for predictions in ["labels", "scores", "ragged"] {
        let request = Request {
            records: Some(here.at(&format!("{predictions}.cstore"))),
            ..here.request("labels", predictions)
        };
        let report = evaluate(&request, &()).unwrap();
        assert_eq!(report.classification().unwrap().accuracy, None, "{predictions}");
        assert!(report.to_json().unwrap().contains(r#""accuracy":null"#));
        assert!(!report.summary().is_empty());
        assert!(Table::open(here.at(&format!("{predictions}.cstore"))).unwrap().is_empty());
    }
}

#[test]
fn people_get_a_table() {
    let here = Workspace::new();
    here.dense("labels", "|u1", &[], &[0, 1]);
    here.dense("scores", "<f8", &[2], bytes_of_slice(&[0.75f64, 0.25, 0.5, 0.5]));
    let expected = "\
records                     2
classes                     2
accuracy                    0.5000
top-5 accuracy              1.0000
log loss                    0.4904
Brier score                 0.3125
expected calibration error  0.3750
maximum calibration error   0.5000

   class  precision  recall      F1  records
       0     0.5000  1.0000  0.6667        1
       1     0.0000  0.0000  0.0000        1
   macro     0.2500  0.5000  0.3333        2
weighted     0.2500  0.5000  0.3333        2
";
    assert_eq!(evaluate(&here.request("labels", "scores"), &()).unwrap().summary(), expected);
}
