use super::Table;
use crate::dtype::{TimeUnit, Unit};
use crate::table::filter::{Instant, Parameters, Span, col};

const DAY_NS: i64 = 86_400_000_000_000;

/// The expected values are NumPy's.
#[test]
fn instants_are_those_of_numpy() {
    for (text, seconds) in [
        ("0001-01-01", -62_135_596_800),
        ("1600-02-29", -11_670_998_400),
        ("1969-12-31", -86_400),
        ("2000-02-29", 951_782_400),
        ("9999-12-31", 253_402_214_400),
        ("-0044-03-15", -63_549_360_000),
        ("2024-02-29T12:30:59", 1_709_209_859),
        ("2024-02-29 12:30:59Z", 1_709_209_859),
        ("2000", 946_684_800),
        ("2000-02", 949_363_200),
    ] {
        let expected = Instant::from_ticks(seconds, TimeUnit::of(Unit::Second));
        assert_eq!(Instant::parse(text), expected, "{text}");
        assert_eq!(expected.and_then(|instant| Instant::parse(&alloc::format!("{instant}"))), expected);
    }
    let month = Instant::from_ticks(-23_993, TimeUnit::of(Unit::Month));
    assert_eq!(month, Instant::from_ticks(-730_273, TimeUnit::of(Unit::Day)));
}

#[test]
fn what_is_no_time_is_refused() {
    for text in [
        "",
        "20",
        "2020-13-01",
        "2020-02-30",
        "2021-02-29",
        "1900-02-29",
        "2020-1-1",
        "2020-01-01 24:00",
        "2020-01-01 12:60",
        "2020-01-01 12:30:60",
        "2020-01 12:00",
        "2020-01-01-01",
        "2020-01-01 1:00",
        "2020-01-01 12:00:00.",
        "99999999999999",
        "9999999999999-01-01",
        "2020-01-01 12:00:00.1234567890123456789",
        "now",
        "٢٠٢٠-01-01",
    ] {
        assert_eq!(Instant::parse(text), None, "{text}");
    }
    for text in
        ["", "1", "day", "1 dag", "1 day 1 month", "1.5 months", "1.0000000001 ns", "--1 day", "1 day,"]
    {
        assert_eq!(Span::parse(text, None), None, "{text}");
    }
    assert_eq!(Instant::from_ticks(i64::MIN, TimeUnit::of(Unit::Day)), None);
    assert_eq!(Instant::from_ticks(i64::MAX, TimeUnit::of(Unit::Year)), None);
}

#[test]
fn spans_print_what_they_are_read_from() {
    for (text, unit, ticks) in [
        ("90 seconds", Unit::Second, 90),
        ("1 day 2.5 hours", Unit::Minute, 1_590),
        ("-3 days 4 hours", Unit::Hour, -68),
        ("0 s", Unit::Day, 0),
        ("-1 as", Unit::Attosecond, -1),
        ("2 years 1 month", Unit::Month, 25),
        ("1500 us", Unit::Microsecond, 1_500),
    ] {
        let span = Span::parse(text, None);
        assert_eq!(span, Span::from_ticks(ticks, TimeUnit::of(unit)), "{text}");
        let printed = alloc::format!("{}", span.unwrap());
        assert_eq!(Span::parse(&printed, None), span, "{printed}");
    }
    for unit in Unit::ALL {
        for ticks in [1, -1, 12_345_678_901, -98_765_432_109_876] {
            let span = Span::from_ticks(ticks, TimeUnit::of(unit)).unwrap();
            assert_eq!(Span::parse(&alloc::format!("{span}"), None), Some(span));
        }
    }
}

/// The expected values are NumPy's.
#[test]
fn times_compare_exactly_in_every_unit() {
    let new_year = 18_262 * DAY_NS;
    let table = Table::default()
        .with("ns", "<M8[ns]", [new_year, i64::MIN, new_year - 1, -DAY_NS].map(i64::to_le_bytes))
        .with("y", ">M8[Y]", [49i64, 50, 51, i64::MIN].map(i64::to_be_bytes))
        .with("t", "<M8[25us]", [0i64, 1, 599, -1].map(i64::to_le_bytes))
        .with("far", "<M8[W]", [i64::MAX, i64::MIN + 1, i64::MIN, 0].map(i64::to_le_bytes));
    for (text, mask) in [
        ("ns < DATE '2020-01-01'", "0011"),
        ("ns <= DATE '2020-01-01'", "1011"),
        ("ns > DATE '2020-01-01'", "0000"),
        ("ns >= TIMESTAMP '2020-01-01 00:00:00'", "1000"),
        ("ns = '2020-01-01'", "1000"),
        ("'2020-01-01' <> ns", "0111"),
        ("ns = '2019-12-31 23:59:59.999999999'", "0010"),
        ("ns >= '2019-12-31 23:59:59.9999999985'", "1010"),
        ("ns BETWEEN '1969' AND '2019-12-31'", "0001"),
        ("ns NOT BETWEEN '1969' AND '2019-12-31'", "1110"),
        ("ns IN ('2020-01-01', DATE '1969-12-31', '2020-01-01 00:00:00.0000000001')", "1001"),
        ("ns NOT IN ('2020-01-01')", "0111"),
        ("ns IS NULL", "0100"),
        ("ns IS NOT NULL", "1011"),
        ("y < '2020-06-15'", "1100"),
        ("y = '2020-01-01'", "0100"),
        ("y >= '2020-01-01T00:00:01'", "0010"),
        ("y <> '2020-01-01T00:00:01'", "1111"),
        ("t >= '1970-01-01T00:00:00.000030'", "0010"),
        ("t = '1970-01-01T00:00:00.000025'", "0100"),
        ("t < '1970-01-01'", "0001"),
        ("y <= ns", "1000"),
        ("y > ns", "0010"),
        ("far > '9999-01-01'", "1000"),
        ("far < '-9999-01-01'", "0100"),
        ("far > ns", "1001"),
        ("far <> ns", "1111"),
        ("far < t", "0100"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
    let given = Parameters::new().push(Instant::from_ticks(18_262, TimeUnit::of(Unit::Day)).unwrap());
    assert_eq!(table.with_parameters("ns = ?", &given).unwrap(), "1000");
    assert_eq!(table.with_parameters("ns = ?", &Parameters::new().push("2020-01-01")).unwrap(), "1000");
}

#[test]
fn intervals_compare_and_add() {
    let table = Table::default()
        .with("start", "<M8[s]", [0i64, 100, 200, i64::MIN].map(i64::to_le_bytes))
        .with("stop", "<M8[ms]", [90_000i64, 190_001, i64::MIN, 0].map(i64::to_le_bytes))
        .with("took", "<m8[s]", [90i64, -90, i64::MIN, 0].map(i64::to_le_bytes))
        .with("age", "<m8[Y]", [1i64, 2, i64::MIN, -1].map(i64::to_le_bytes));
    for (text, mask) in [
        ("took = INTERVAL '90' SECOND", "1000"),
        ("took >= INTERVAL '1.5 minutes'", "1000"),
        ("took < INTERVAL '0 s'", "0100"),
        ("took <> INTERVAL '90 s'", "0111"),
        ("took IN (INTERVAL '90 s', INTERVAL '0 s')", "1001"),
        ("-took = INTERVAL '90 s'", "0100"),
        ("took > INTERVAL '-90' SECONDS", "1001"),
        ("took > -INTERVAL '90 s'", "1001"),
        ("took IS NULL", "0010"),
        ("stop - start = INTERVAL '90' SECOND", "1000"),
        ("stop - start > INTERVAL '90' SECOND", "0100"),
        ("stop - start <> INTERVAL '90' SECOND", "0111"),
        ("stop - start IS NULL", "0011"),
        ("start + took = stop", "1000"),
        ("start + INTERVAL '1 day' > '1970-01-02'", "0110"),
        ("age > INTERVAL '18 months'", "0100"),
        ("age = INTERVAL '1' YEAR", "1000"),
        ("age + age = INTERVAL '2' YEARS", "1000"),
    ] {
        assert_eq!(table.mask(text), mask, "{text}");
    }
    let span = Span::from_ticks(90, TimeUnit::of(Unit::Second)).unwrap();
    assert_eq!(table.built((col("stop") - col("start")).gt(span)), "0100");
}
