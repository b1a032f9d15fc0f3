use super::Table;

/// What is wrong, and where: `(at character 9 of the filter)` is `@9`.
#[test]
fn mistakes_point_at_their_character() {
    let table = Table::default()
        .with("delay", "<i4", [[0u8; 4]])
        .with("ratio", "<f8", [[0u8; 8]])
        .with("name", "S4", [[0u8; 4]])
        .with("ok", "|b1", [[0u8; 1]])
        .with("at", "<M8[ns]", [[0u8; 8]])
        .with("bare", "<M8", [[0u8; 8]])
        .with("took", "<m8[s]", [[0u8; 8]])
        .with("age", "<m8[M]", [[0u8; 8]])
        .with("z", "<c16", [[0u8; 16]]);
    for (text, message) in [
        ("", "the filter is empty"),
        ("  -- nothing", "the filter is empty"),
        ("delay", "the integer column delay is no condition: compare it with something @1"),
        ("delay > 'abc'", "'abc' cannot be compared with the integer column delay @9"),
        ("'abc' = delay", "'abc' cannot be compared with the integer column delay @1"),
        ("delay IN (1, 'abc')", "'abc' cannot be compared with the integer column delay @14"),
        ("delay BETWEEN 1 AND 'x'", "'x' cannot be compared with the integer column delay @21"),
        ("name = 1", "1 cannot be compared with the text column name @8"),
        ("delay > name", "the text column name cannot be compared with the integer column delay @9"),
        ("delay + 1 > name", "the text column name cannot be compared with the integer '\"delay\" + 1' @13"),
        (
            "ok = 1",
            "1 cannot be compared with the boolean column ok: a boolean compares with TRUE and FALSE @6",
        ),
        ("ok > TRUE", "conditions compare with = and <> only @1"),
        ("ok IN (TRUE)", "IN has no use for the boolean column ok: write IS TRUE or IS FALSE @1"),
        ("Delay > 1", "there is no column 'Delay': did you mean 'delay'? names are case-sensitive @1"),
        ("delay > 1 AND dely < 3", "there is no column 'dely' in this table @15"),
        ("\"x y\" > 1", "there is no column 'x y' in this table @1"),
        ("delay >", "expected an expression, found the end @8"),
        ("delay > 1 2", "expected AND, OR or the end, found '2' @11"),
        ("delay > 1)", "expected AND, OR or the end, found ')' @10"),
        ("(delay > 1", "expected ), found the end @11"),
        ("delay >\n  > 1", "expected an expression, found '>' @11"),
        ("delay IN ()", "expected an expression, found ')' @11"),
        ("delay > 1; DROP TABLE x", "';' has no meaning in a filter @10"),
        ("delay[1] = 2", "'[' has no meaning in a filter @6"),
        ("delay = a.b", "there is no column 'a' in this table @9"),
        ("delay = delay.delay", "'.' has no meaning in a filter @14"),
        ("name = 'abc", "unterminated string literal in 'name = 'abc' @8"),
        ("sqrt(delay) > 1", "there is no function 'sqrt': filters have abs, lower, upper and length @1"),
        ("abs(name) > 1", "abs needs a number, not the text column name @5"),
        ("abs(delay, 1) > 1", "abs takes one value @1"),
        ("lower(delay) = 'a'", "lower needs a text, not the integer column delay @7"),
        ("delay LIKE 'a'", "LIKE needs a text, not the integer column delay @1"),
        ("name LIKE name", "the pattern of LIKE must be a constant @11"),
        ("name LIKE 'a' ESCAPE 'xy'", "ESCAPE needs one character, not 'xy' @22"),
        ("delay = NULL", "nothing compares with NULL: write IS NULL for NaN and NaT @9"),
        ("delay + 'a' > 1", "'+' cannot join the integer column delay and 'a' @9"),
        ("name * 2 = 1", "'*' cannot join the text column name and 2 @1"),
        ("-name = 1", "the text column name has no negative @2"),
        ("at > 5", "5 cannot be compared with the time column at @6"),
        ("at > 'monday'", "'monday' is not a time: write it like '2020-01-31 12:30:59.5' @6"),
        (
            "at > DATE '2020-02-30'",
            "'2020-02-30' is not a time: write it like '2020-01-31' or '2020-01-31 12:30:59.5' @6",
        ),
        (
            "took > INTERVAL '5'",
            "'5' is not an interval: write it like INTERVAL '90' SECOND or '1 day 2 hours' @8",
        ),
        (
            "bare > '2020-01-01'",
            "'2020-01-01' cannot be compared with the unitless time column bare: times without a unit have IS NULL only @8",
        ),
        (
            "took > INTERVAL '1 month'",
            "INTERVAL '1 months' cannot be compared with the interval column took: months have no fixed length @8",
        ),
        ("at + at > at", "'+' cannot join the time column at and the time column at @1"),
        ("z = 1", "filters cannot read the column 'z': its type is '<c16' @1"),
        ("(delay, 1) = 2", "a list in parentheses can only follow IN"),
        ("delay > 5L", "'5L' has no meaning in a filter @9"),
        ("ünknown > 1 AND é", "there is no column 'ünknown' in this table @1"),
        ("ok AND 'é' = 'ü' AND ö", "there is no column 'ö' in this table @22"),
    ] {
        let (expected, character) = match message.rsplit_once(" @") {
            Some((message, at)) => {
                (alloc::format!("{message} (at character {at} of the filter)"), at.parse().ok())
            }
            None => (message.into(), None),
        };
        assert_eq!(table.mistake(text), expected, "{text}");
        assert_eq!(table.filter(text).unwrap_err().character(), character, "{text}");
    }
    assert_eq!(table.mask("bare IS NULL"), "0");
}
