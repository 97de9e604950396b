//! Generated answers, for properties of all of them.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// An answer as data, so that it can be asked again.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) parts: Vec<(String, Kind)>,
    pub(super) question: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Value(Value),
    Record(Value),
    Table { rows: Vec<Value>, columns: bool, limit: Option<usize>, newest_last: bool },
    Entries(Vec<Value>),
    Group(Vec<(String, Kind)>),
}

impl Spec {
    pub(super) fn answer(&self) -> Answer<'static> {
        let answer = self.parts.iter().fold(Answer::new(), |answer, (key, kind)| add(answer, key, kind));
        if self.question { answer.question(json!({"q": 1})) } else { answer }
    }

    /// Every collection: its path, its rows, and whether the newest are the last. One that has no rows on a page is none,
    /// unless `asked` says that the call limits all pages itself.
    pub(super) fn collections(&self, asked: bool) -> Vec<(String, Vec<Value>, bool)> {
        let of = |path: String, kind: &Kind| match kind {
            Kind::Table { rows, limit, newest_last, .. } if asked || *limit != Some(0) => {
                Some((path, rows.clone(), *newest_last))
            }
            Kind::Entries(rows) => Some((path, rows.clone(), false)),
            _ => None,
        };
        let inner = |path: &String, kind: &Kind| match kind {
            Kind::Group(parts) => {
                parts.iter().filter_map(|(key, kind)| of(format!("{path}.{key}"), kind)).collect()
            }
            kind => of(path.clone(), kind).into_iter().collect::<Vec<_>>(),
        };
        self.parts.iter().flat_map(|(path, kind)| inner(path, kind)).collect()
    }
}

fn add(answer: Answer<'static>, key: &str, kind: &Kind) -> Answer<'static> {
    match kind {
        Kind::Value(value) => answer.value(key, value.clone()),
        Kind::Record(value) => answer.record(key, value.clone()),
        Kind::Table { rows, columns, limit, newest_last } => {
            let mut table = Rows::values(rows.clone()).limited(*limit);
            if *columns {
                table = table.columns(["id", "title", "priority"]);
            }
            answer.rows(key, if *newest_last { table.newest_last() } else { table })
        }
        Kind::Entries(rows) => {
            let entries = rows.iter().enumerate().map(|(n, row)| (format!("k{n}"), row.clone()));
            answer.rows(key, Rows::entries(entries.collect()))
        }
        Kind::Group(parts) => {
            let inner = parts.iter().fold(Answer::new(), |inner, (key, kind)| add(inner, key, kind));
            answer.group(key, inner)
        }
    }
}

pub(super) fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => "[ -~]{0,20}".prop_map(Value::from),
        1 => "\\PC{0,12}".prop_map(Value::from),
        1 => "[a-zé😀 ]{200,400}".prop_map(Value::from),
        1 => prop_oneof![Just("true"), Just("12"), Just("- x"), Just("a:b"), Just("1e5"), Just("\u{1b}[0m\n\t\u{85}")].prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => any::<f64>().prop_map(|n| json!(n)),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

pub(super) fn nested() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 40, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec(("[a-z][a-z_ -]{0,6}", inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

pub(super) fn rows(most: usize) -> impl Strategy<Value = Vec<Value>> {
    let fields = (
        proptest::option::of(leaf()),
        proptest::option::of(0..5i64),
        proptest::option::weighted(0.1, nested()),
    );
    vec(fields, 0..most).prop_map(|rows| {
        let mut made = Vec::new();
        for (n, (title, priority, extra)) in rows.into_iter().enumerate() {
            let mut row = json!({"id": format!("pm-{n:03}")});
            let fields = [("title", title), ("priority", priority.map(Value::from)), ("extra", extra)];
            for (key, value) in fields.into_iter().filter_map(|(key, value)| Some((key, value?))) {
                row[key] = value;
            }
            made.push(row);
        }
        made
    })
}

fn table() -> impl Strategy<Value = Kind> {
    (rows(60), any::<bool>(), proptest::option::weighted(0.3, 0..70usize), any::<bool>())
        .prop_map(|(rows, columns, limit, newest_last)| Kind::Table { rows, columns, limit, newest_last })
}

pub(super) fn spec() -> impl Strategy<Value = Spec> {
    let other = prop_oneof![
        3 => table(),
        1 => nested().prop_map(Kind::Value),
        1 => rows(2).prop_map(|rows| Kind::Record(rows.into_iter().next().unwrap_or(Value::Null))),
        1 => rows(20).prop_map(Kind::Entries),
        1 => (table(), nested())
            .prop_map(|(nodes, note)| Kind::Group(vec![("nodes".into(), nodes), ("note".into(), Kind::Value(note))])),
    ];
    (table(), vec(("[b-h]", other), 0..3), any::<bool>()).prop_map(|(items, mut others, question)| {
        others.sort_by(|a, b| a.0.cmp(&b.0));
        others.dedup_by(|a, b| a.0 == b.0);
        let mut parts = vec![("items".to_owned(), items)];
        parts.extend(others);
        Spec { parts, question }
    })
}
