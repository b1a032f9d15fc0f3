//! The figures beside those of scikit-learn, and beside a plain model.

use proptest::prelude::*;
use recask::Code;
use recask_evaluate::classification::{Classification, ClassificationReport, Options};
use recask_evaluate::regression::{Regression, RegressionReport};
use recask_evaluate::scores::{LEAST_PROBABILITY, Meaning};

const RECORDS: usize = 500;
const CLASSES: usize = 4;

/// The numbers of which the expected values were computed: the upper 24 bits of a linear congruential generator.
fn sample(count: usize) -> Vec<u32> {
    let mut state = 12_345u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 40).unwrap()
    };
    (0..count).map(|_| next()).collect()
}

/// Labels, and four scores for each with the label's a little larger.
fn scored() -> (Vec<u64>, Vec<[f64; CLASSES]>) {
    let numbers = sample(RECORDS * (CLASSES + 1));
    let (labels, scores) = numbers.split_at(RECORDS);
    let labels: Vec<u64> = labels.iter().map(|number| u64::from(number % 4)).collect();
    let scores = scores.as_chunks().0.iter().zip(&labels).map(|(chunk, &label)| {
        let mut scores: [f64; CLASSES] = chunk.map(|number| f64::from(number) / f64::from(1 << 24));
        scores[usize::try_from(label).unwrap()] += 0.4;
        scores
    });
    let scores = scores.collect();
    (labels, scores)
}

fn normalised(scores: [f64; CLASSES]) -> [f64; CLASSES] {
    let sum: f64 = scores.iter().sum();
    scores.map(|score| score / sum)
}

fn classified(options: Options, change: impl Fn([f64; CLASSES]) -> [f64; CLASSES]) -> ClassificationReport {
    let (labels, scores) = scored();
    let mut evaluation = Classification::of_scores(CLASSES as u64, &options).unwrap();
    for (label, scores) in labels.into_iter().zip(scores) {
        evaluation.add_scores(label, &mut change(scores)).unwrap();
    }
    evaluation.report()
}

#[track_caller]
fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn a_classification_is_that_of_scikit_learn() {
    // Of scikit-learn 1.9: accuracy_score, precision_recall_fscore_support, confusion_matrix, log_loss, top_k_accuracy_score.
    let report = classified(Options { top_k: 2, ..Options::default() }, normalised);
    assert_eq!((report.records, report.classes, report.correct), (500, 4, 332));
    assert_near(report.accuracy, 0.664);
    assert_near(report.top_k.unwrap().accuracy, 0.854);
    for (average, [precision, recall, f1]) in [
        (report.macro_average, [0.6616502423260927, 0.6634535254119344, 0.662127540430492]),
        (report.weighted_average, [0.6651977206424853, 0.664, 0.6641344154312852]),
        (report.micro_average, [0.664, 0.664, 0.664]),
    ] {
        let average = average.unwrap();
        assert_near(Some(average.precision), precision);
        assert_near(Some(average.recall), recall);
        assert_near(Some(average.f1), f1);
    }
    let matrix = vec![vec![97, 18, 16, 16], vec![15, 72, 13, 15], vec![10, 13, 88, 11], vec![14, 15, 12, 75]];
    assert_eq!(report.confusion_matrix.unwrap(), matrix);
    let supports: Vec<_> = report.per_class.iter().map(|class| class.support).collect();
    assert_eq!(supports, [147, 115, 122, 116]);
    assert_near(Some(report.per_class[2].precision), 88.0 / 129.0);
    assert_near(Some(report.per_class[2].recall), 88.0 / 122.0);
    assert_near(report.log_loss, 1.0034436994305551);
    // NumPy: mean of ((p - eye[labels]) ** 2).sum(1).
    assert_near(report.brier_score, 0.555789138639485);
}

#[test]
fn calibration_is_as_guo_and_others_define_it() {
    let calibration = classified(Options::default(), normalised).calibration.unwrap();
    let records: Vec<_> = calibration.bins.iter().map(|bin| bin.records).collect();
    assert_eq!(records, [0, 0, 0, 1, 75, 180, 129, 58, 34, 9, 9, 2, 3, 0, 0]);
    assert_near(calibration.expected_error, 0.2466822086764292);
    assert_near(calibration.maximum_error, 0.3739879698211771);
    let bin = calibration.bins[3];
    assert_eq!((bin.above, bin.up_to), (0.2, 4.0 / 15.0));
    assert_eq!(calibration.bins[0].accuracy, None);
}

#[test]
fn logits_are_taken_for_logarithms() {
    let logits = Options { scores: Meaning::Logits, ..Options::default() };
    let report = classified(logits, |scores| scores.map(|score| 5.0 * score));
    assert_near(report.log_loss, 0.8036313461703988);
    assert_near(report.brier_score, 0.4472879383173845);
    // A constant changes nothing, however large.
    let mut evaluation = Classification::of_scores(2, &logits).unwrap();
    evaluation.add_scores(0, &mut [-1e300, -1e300]).unwrap();
    assert_eq!(evaluation.report().log_loss, Some(std::f64::consts::LN_2));
    evaluation.add_scores(0, &mut [0.0, 1e300]).unwrap();
    assert_eq!(evaluation.report().log_loss, Some(5e299));
}

#[test]
fn a_ranking_gives_no_probabilities() {
    let report = classified(Options { scores: Meaning::Ranking, ..Options::default() }, |scores| scores);
    assert_eq!(report.correct, 332);
    assert_eq!((report.log_loss, report.brier_score, report.calibration), (None, None, None));
}

#[test]
fn equal_scores_are_taken_in_their_order() {
    let options = Options { scores: Meaning::Ranking, top_k: 2, ..Options::default() };
    let mut evaluation = Classification::of_scores(4, &options).unwrap();
    let ranks = [0, 1, 2, 3].map(|label| {
        let judgement = evaluation.add_scores(label, &mut [0.5, 0.7, 0.5, 0.7]).unwrap();
        assert_eq!(judgement.prediction, 1);
        judgement.before_label
    });
    assert_eq!(ranks, [2, 0, 3, 1]);
    assert_eq!(evaluation.report().top_k.unwrap().accuracy, Some(0.5));
}

#[test]
fn no_record_costs_more_than_the_least_probability() {
    let mut evaluation = Classification::of_scores(2, &Options::default()).unwrap();
    evaluation.add_scores(0, &mut [0.0, 1.0]).unwrap();
    assert_near(evaluation.report().log_loss, -LEAST_PROBABILITY.ln());
    // What rounding makes of 1 is 1.
    evaluation.add_scores(1, &mut [0.0, 1.0 + 1e-7]).unwrap();
    let report = evaluation.report();
    assert_near(report.log_loss, -LEAST_PROBABILITY.ln() / 2.0);
    assert_eq!(report.calibration.unwrap().bins[14].confidence, Some(1.0));
}

#[test]
fn scores_that_make_no_sense_are_refused() {
    for (scores, label, code) in [
        ([0.5, f64::NAN], 0, Code::InvalidArgument),
        ([f64::INFINITY, 0.0], 0, Code::InvalidArgument),
        ([0.5, 0.6], 0, Code::InvalidArgument),
        ([1.5, -0.5], 0, Code::InvalidArgument),
        ([0.5, 0.5], 2, Code::IndexOutOfRange),
    ] {
        let mut evaluation = Classification::of_scores(2, &Options::default()).unwrap();
        assert_eq!(evaluation.add_scores(label, &mut scores.clone()).unwrap_err().code(), code, "{scores:?}");
        assert_eq!(evaluation.report().records, 0);
    }
    let mut evaluation = Classification::of_scores(2, &Options::default()).unwrap();
    assert_eq!(evaluation.add_scores(0, &mut [1.0]).unwrap_err().code(), Code::ShapeMismatch);
    for options in [
        Options { bins: 0, ..Options::default() },
        Options { top_k: 0, ..Options::default() },
        Options { classes: Some(3), ..Options::default() },
    ] {
        assert_eq!(Classification::of_scores(2, &options).unwrap_err().code(), Code::InvalidArgument);
    }
}

#[test]
fn classes_have_a_bound() {
    let mut evaluation = Classification::of_classes(&Options::default()).unwrap();
    evaluation.add_class(1023, 0).unwrap();
    assert_eq!(evaluation.report().confusion_matrix.unwrap()[1023][0], 1);
    evaluation.add_class(65_535, 1023).unwrap();
    let report = evaluation.report();
    assert_eq!((report.classes, report.records), (65_536, 2));
    assert_eq!(report.confusion_matrix, None);
    assert_eq!(evaluation.add_class(65_536, 0).unwrap_err().code(), Code::TooLarge);
    assert_eq!(evaluation.add_class(0, u64::MAX).unwrap_err().code(), Code::TooLarge);
    let mut told = Classification::of_classes(&Options { classes: Some(3), ..Options::default() }).unwrap();
    assert_eq!(told.add_class(3, 0).unwrap_err().code(), Code::IndexOutOfRange);
    assert_eq!(told.report().classes, 3);
}

#[test]
fn nothing_is_computed_of_no_records() {
    let report = Classification::of_scores(2, &Options::default()).unwrap().report();
    assert_eq!((report.accuracy, report.log_loss, report.macro_average), (None, None, None));
    assert_eq!(report.calibration.unwrap().expected_error, None);
    let report = Regression::new(1).report();
    assert_eq!((report.overall.mae, report.overall.max_error, report.overall.r2), (None, None, None));
}

fn regressed(labels: &[f64], predictions: &[f64]) -> RegressionReport {
    let mut evaluation = Regression::new(1);
    for (label, prediction) in labels.iter().zip(predictions) {
        evaluation.add(&[*label], &[*prediction]).unwrap();
    }
    evaluation.report()
}

#[test]
fn a_regression_is_exact_far_from_zero() {
    let numbers = sample(400);
    let labels: Vec<f64> =
        numbers[..200].iter().map(|&number| f64::from(number) / f64::from(1 << 20) + 1e6).collect();
    let errors = numbers[200..].iter().map(|&number| f64::from(number) / f64::from(1 << 24) - 0.45);
    let predictions: Vec<f64> = labels.iter().zip(errors).map(|(label, error)| label + error).collect();
    let figures = regressed(&labels, &predictions).overall;
    // Of Python's fractions, where scikit-learn loses digits.
    assert_near(figures.mae, 0.2540096961893141);
    assert_near(figures.mse, 0.08852340975238315);
    assert_near(figures.rmse, 0.08852340975238315f64.sqrt());
    assert_near(figures.r2, 0.9959902739021662);
    assert_near(figures.max_error, 0.5463264465797693);
    assert_near(figures.bias, 0.060289369570091365);
    assert_near(figures.pearson, 0.9981312868405727);
}

#[test]
fn constants_have_no_spread() {
    let figures = regressed(&[0.1; 10], &[0.1; 10]).overall;
    assert_eq!((figures.mae, figures.r2, figures.pearson), (Some(0.0), None, None));
    let figures = regressed(&[0.1, 0.2], &[0.3, 0.3]).overall;
    assert!(figures.r2.is_some());
    assert_eq!(figures.pearson, None);
}

#[test]
fn what_overflows_is_not_reported() {
    let figures = regressed(&[1e200, -1e200], &[-1e200, 1e200]).overall;
    assert_eq!((figures.mae, figures.mse, figures.r2), (Some(2e200), None, None));
}

#[test]
fn every_output_is_evaluated_alone_and_with_the_others() {
    let mut evaluation = Regression::new(2);
    evaluation.add(&[1.0, 10.0], &[2.0, 10.0]).unwrap();
    evaluation.add(&[2.0, 30.0], &[3.0, 20.0]).unwrap();
    let report = evaluation.report();
    assert_eq!((report.records, report.values), (2, 2));
    assert_eq!(report.overall.mae, Some(3.0));
    let outputs = report.per_output.unwrap();
    assert_eq!([outputs[0].mae, outputs[1].mae], [Some(1.0), Some(5.0)]);
    assert_eq!([outputs[0].bias, outputs[1].bias], [Some(1.0), Some(-5.0)]);
    assert_eq!(Regression::new(257).report().per_output, None);
    assert_eq!(evaluation.add(&[1.0], &[1.0]).unwrap_err().code(), Code::ShapeMismatch);
    assert_eq!(evaluation.add(&[1.0, f64::NAN], &[1.0, 1.0]).unwrap_err().code(), Code::InvalidArgument);
}

proptest! {
    #[test]
    fn counts_are_those_of_a_plain_count(pairs in prop::collection::vec((0u64..6, 0u64..7), 1..200)) {
        let mut evaluation = Classification::of_classes(&Options::default()).unwrap();
        for &(label, prediction) in &pairs {
            evaluation.add_class(label, prediction).unwrap();
        }
        let report = evaluation.report();
        let count = |of: &dyn Fn(&(u64, u64)) -> bool| pairs.iter().filter(|pair| of(pair)).count();
        let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (mut sum, mut present) = (0.0, 0);
        for class in &report.per_class {
            let support = count(&|&(label, _)| label == class.class);
            let predicted = count(&|&(_, prediction)| prediction == class.class);
            let correct = count(&|&pair| pair == (class.class, class.class));
            prop_assert_eq!((class.support, class.predicted, class.correct), (support as u64, predicted as u64, correct as u64));
            prop_assert_eq!(class.precision, ratio(correct, predicted));
            prop_assert_eq!(class.recall, ratio(correct, support));
            prop_assert_eq!(class.f1, ratio(2 * correct, support + predicted));
            present += usize::from(support + predicted > 0);
            sum += class.f1;
        }
        let macro_f1 = report.macro_average.unwrap().f1;
        prop_assert!((macro_f1 - sum / present as f64).abs() < 1e-14);
        let matrix = report.confusion_matrix.unwrap();
        for (label, row) in (0..).zip(&matrix) {
            for (prediction, &found) in (0..).zip(row) {
                prop_assert_eq!(found, count(&|&pair| pair == (label, prediction)) as u64);
            }
        }
    }

    /// Over eighths, of which integers give every sum exactly.
    #[test]
    fn errors_are_those_of_exact_arithmetic(
        pairs in prop::collection::vec((-100_000i64..100_000, -100_000i64..100_000), 2..100),
        shift in prop::sample::select(vec![0i64, 1 << 30, -(1 << 40)]),
    ) {
        let eighths = |number: i64| (number + shift) as f64 / 8.0;
        let (labels, predictions): (Vec<_>, Vec<_>) = pairs.iter().map(|&(y, p)| (eighths(y), eighths(p))).unzip();
        let found = regressed(&labels, &predictions).overall;
        let n = pairs.len() as i128;
        let sum = |of: &dyn Fn(i128, i128) -> i128| pairs.iter().map(|&(y, p)| of(y.into(), p.into())).sum::<i128>();
        let near = |found: Option<f64>, exact: f64| {
            found.is_some_and(|found| (found - exact).abs() <= 1e-12 * exact.abs().max(1e-3))
        };
        let squares = sum(&|y, p| (p - y) * (p - y));
        prop_assert!(near(found.mae, sum(&|y, p| (p - y).abs()) as f64 / 8.0 / n as f64));
        prop_assert!(near(found.mse, squares as f64 / 64.0 / n as f64));
        prop_assert!(near(found.bias, sum(&|y, p| p - y) as f64 / 8.0 / n as f64));
        // All times n, so that the means are whole; the shift drops out.
        let spread = n * sum(&|y, _| y * y) - sum(&|y, _| y).pow(2);
        let of_predictions = n * sum(&|_, p| p * p) - sum(&|_, p| p).pow(2);
        let both = n * sum(&|y, p| y * p) - sum(&|y, _| y) * sum(&|_, p| p);
        if spread > 0 {
            prop_assert!(near(found.r2, (spread - n * squares) as f64 / spread as f64));
        } else {
            prop_assert_eq!(found.r2, None);
        }
        if spread > 0 && of_predictions > 0 {
            let exact = both as f64 / ((spread as f64).sqrt() * (of_predictions as f64).sqrt());
            let found = found.pearson.unwrap();
            prop_assert!((found - exact).abs() < 1e-9, "{found} is not {exact}");
        }
    }
}
