//! The settings of a catalog: key `catalog` of the tracker's settings file, each with a default. None of them turns
//! unverified content on.

use std::collections::BTreeSet;

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::{Map, Value};

use super::status::MajorFacts;
use crate::error::{Code, Error, Result};

/// Entries of a page, unless the settings say otherwise.
const PAGE_SIZE: usize = 100;

/// The most bytes of the entries of a search index, unless the settings say otherwise.
const BUDGET: u64 = 1_048_576;

/// The settings that there are.
const KEYS: [&str; 8] =
    ["source", "out", "page_size", "search_budget_bytes", "base_path", "capability_vocab", "majors", "in_kb"];

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder of the records, from the top of the work tree, without a slash at the end.
    pub source: String,
    /// Where the artifacts go, from the top of the work tree.
    pub out: String,
    /// Entries of a page.
    pub page_size: usize,
    /// The most bytes of the entries of a search index.
    pub search_budget_bytes: u64,
    /// What stands in front of every path of the catalog where it is served: empty, or `/docs`.
    pub base_path: String,
    /// The capabilities that there are, `scheme:*` for all of a scheme; empty for any.
    pub capability_vocab: BTreeSet<String>,
    /// The majors, by number.
    pub majors: Vec<Major>,
    /// Keys that are no settings.
    pub unknown: Vec<String>,
}

/// A major of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Major {
    /// Its number.
    pub major: u32,
    /// The day of its first release.
    pub released_on: Option<Date>,
    /// The day from which on it is not served.
    pub supported_until: Option<Date>,
}

impl Major {
    /// Whether it is written on a day. There is always a first major: the day of its release is only told.
    fn is_served(&self, as_of: Date) -> bool {
        let released = self.major == 1 || self.released_on.is_none_or(|day| day <= as_of);
        released && self.supported_until.is_none_or(|day| as_of < day)
    }
}

/// The first day on which a major may no longer be served, when its successor was released on this one.
pub(super) fn least_end(released: Date) -> Date {
    released.checked_add(12.months()).unwrap_or(Date::MAX)
}

impl Settings {
    /// Those that hold when nobody says anything, for a tracker in this folder.
    pub fn of_tracker(tracker: &str) -> Settings {
        Settings {
            source: format!("{tracker}/runbooks"),
            out: "dist/catalog".to_owned(),
            page_size: PAGE_SIZE,
            search_budget_bytes: BUDGET,
            base_path: String::new(),
            capability_vocab: BTreeSet::new(),
            majors: vec![Major { major: 1, released_on: None, supported_until: None }],
            unknown: Vec::new(),
        }
    }

    /// Reads the bytes of a settings file; what it does not say keeps its default.
    ///
    /// Errors: `catalog_settings_invalid`.
    pub fn read(tracker: &str, bytes: Option<&[u8]>) -> Result<Settings> {
        let mut settings = Settings::of_tracker(tracker);
        let Some(bytes) = bytes else { return Ok(settings) };
        let text = String::from_utf8_lossy(bytes);
        let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|cause| invalid("settings.json", "is no JSON").because(cause))?;
        let Some(own) = document.get("catalog").filter(|own| !own.is_null()) else { return Ok(settings) };
        let own = own.as_object().ok_or_else(|| invalid("catalog", "is no object"))?;
        settings.take(own)?;
        settings.check_majors()?;
        Ok(settings)
    }

    fn take(&mut self, own: &Map<String, Value>) -> Result<()> {
        for (key, value) in own {
            let place = format!("catalog.{key}");
            let text = || value.as_str().ok_or_else(|| invalid(&place, "is no text"));
            let count = |most: u64| {
                let number = value.as_u64().filter(|n| (1..=most).contains(n));
                number.ok_or_else(|| invalid(&place, &format!("is no number from 1 to {most}")))
            };
            match key.as_str() {
                "source" => {
                    self.source = folder(text()?)
                        .ok_or_else(|| invalid(&place, "is no folder below the top of the repository"))?
                }
                "out" => {
                    self.out = folder(text()?)
                        .ok_or_else(|| invalid(&place, "is no folder below the top of the repository"))?
                }
                "page_size" => self.page_size = usize::try_from(count(10_000)?).unwrap_or(PAGE_SIZE),
                "search_budget_bytes" => self.search_budget_bytes = count(1 << 40)?,
                "base_path" => {
                    self.base_path =
                        base_path(text()?).ok_or_else(|| invalid(&place, "is no path such as /docs"))?
                }
                "capability_vocab" => {
                    self.capability_vocab =
                        texts(value).ok_or_else(|| invalid(&place, "is no list of texts"))?
                }
                "majors" => {
                    self.majors = majors(value).ok_or_else(|| {
                        invalid(&place, "is no list of 1 to 9 majors: {major, released_on, supported_until}")
                    })?
                }
                "in_kb" if value.is_boolean() => {}
                "in_kb" => return Err(invalid(&place, "is neither true nor false")),
                other => self.unknown.push(other.to_owned()),
            }
        }
        Ok(())
    }

    /// The majors begin with the first and leave none out; each later one has a day of release, after that of the one
    /// before; and one that has a successor is served for at least 12 months after the successor's release.
    fn check_majors(&self) -> Result<()> {
        let refused = |message: String| {
            let message = format!("`catalog.majors` {message}");
            Err(Error::new(Code::CatalogSettingsInvalid, message).at("catalog.majors"))
        };
        if let Some((n, one)) = self.majors.iter().enumerate().find(|(n, one)| one.major as usize != n + 1) {
            let wanted = n + 1;
            return refused(format!(
                "lists major {} and not major {wanted}; a major that has ended stays in the list, with the day on which it did",
                one.major
            ));
        }
        for pair in self.majors.windows(2) {
            let (old, new) = (&pair[0], &pair[1]);
            let Some(released) = new.released_on else {
                return refused(format!(
                    "gives major {} no `released_on`, so nobody can say how long major {} must be served",
                    new.major, old.major
                ));
            };
            if old.released_on.is_some_and(|before| before >= released) {
                return refused(format!("has major {} released before major {}", new.major, old.major));
            }
            let least = least_end(released);
            if old.supported_until.is_none_or(|until| until < least) {
                let said = old.supported_until.map_or_else(|| "no day".to_owned(), |day| day.to_string());
                return refused(format!(
                    "serves major {} until {said}; major {} was released on {released}, so it must be served until {least} or later",
                    old.major, new.major
                ));
            }
        }
        match self.majors.last().filter(|newest| newest.supported_until.is_some()) {
            None => Ok(()),
            Some(newest) => refused(format!(
                "ends major {}, which has no successor: nothing would be left to serve",
                newest.major
            )),
        }
    }

    /// The numbers of the majors that are written on a day, oldest first; never none.
    pub fn served_majors(&self, as_of: Date) -> Vec<u32> {
        self.majors.iter().filter(|one| one.is_served(as_of)).map(|one| one.major).collect()
    }

    /// The majors as the status tells of them.
    pub fn major_facts(&self, as_of: Date) -> Vec<MajorFacts> {
        let newest = self.served_majors(as_of).into_iter().max();
        let status = |one: &Major| match one.supported_until {
            _ if Some(one.major) == newest => "current",
            _ if one.is_served(as_of) => "supported",
            Some(day) if day <= as_of => "ended",
            _ => "planned",
        };
        let facts = self.majors.iter().map(|one| MajorFacts {
            major: one.major,
            status: status(one).to_owned(),
            released_on: one.released_on.map(|day| day.to_string()),
            supported_until: one.supported_until.map(|day| day.to_string()),
        });
        facts.collect()
    }

    /// Whether the vocabulary has a capability.
    pub fn knows(&self, capability: &str) -> bool {
        let scheme = capability.split(':').next().unwrap_or_default();
        self.capability_vocab.is_empty()
            || self.capability_vocab.contains(capability)
            || self.capability_vocab.contains(&format!("{scheme}:*"))
    }

    /// What is wrong with the settings, but does not stop a build.
    pub fn warnings(&self) -> Vec<String> {
        let warn = |key: &String| {
            let near =
                crate::nearest::words(key, &KEYS).first().map(|near| format!("; the nearest is `{near}`"));
            format!("the settings have a key `catalog.{key}` that means nothing{}", near.unwrap_or_default())
        };
        self.unknown.iter().map(warn).collect()
    }
}

fn invalid(place: &str, problem: &str) -> Error {
    Error::new(Code::CatalogSettingsInvalid, format!("the setting `{place}` {problem}")).at(place)
}

/// A folder below the top; none for a way out of it.
fn folder(text: &str) -> Option<String> {
    let text = text.trim_end_matches('/');
    let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && part != ".git";
    (text.split('/').all(plain) && !text.contains('\\')).then(|| text.to_owned())
}

/// What may stand in front of a path of the catalog: nothing, or folders of the host.
pub(super) fn base_path(text: &str) -> Option<String> {
    let text = text.trim_end_matches('/');
    let legal = |b: u8| b.is_ascii_alphanumeric() || b"/-._~".contains(&b);
    let fits = text.is_empty() || text.starts_with('/') && !text.contains("//") && !text.contains("/.");
    (fits && text.bytes().all(legal)).then(|| text.to_owned())
}

fn texts(value: &Value) -> Option<BTreeSet<String>> {
    value.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect()
}

fn majors(value: &Value) -> Option<Vec<Major>> {
    let day = |one: &Value, key: &str| match one.get(key) {
        None | Some(Value::Null) => Some(None),
        Some(day) => day.as_str()?.parse::<Date>().ok().map(Some),
    };
    let major = |one: &Value| {
        let number = one.get("major")?.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)?;
        let (released_on, supported_until) = (day(one, "released_on")?, day(one, "supported_until")?);
        Some(Major { major: number, released_on, supported_until })
    };
    let mut all: Vec<Major> = value.as_array()?.iter().map(major).collect::<Option<_>>()?;
    all.sort_by_key(|one| one.major);
    let unlike = all.windows(2).all(|pair| pair[0].major != pair[1].major);
    (unlike && (1..=9).contains(&all.len())).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(catalog: &str) -> Result<Settings> {
        Settings::read(".agents/pm", Some(format!("{{\"catalog\": {catalog}}}").as_bytes()))
    }

    #[test]
    fn what_is_said_is_laid_over_the_defaults() {
        let settings =
            of(r#"{"source": "ops/runbooks/", "page_size": 10, "include_untrusted": true}"#).unwrap();
        assert_eq!((settings.source.as_str(), settings.page_size), ("ops/runbooks", 10));
        assert_eq!(settings.search_budget_bytes, BUDGET);
        assert!(settings.warnings()[0].contains("include_untrusted"));
        assert_eq!(Settings::read("x", None).unwrap().source, "x/runbooks");
        for wrong in [
            r#"{"source": "../x"}"#,
            r#"{"out": "/tmp"}"#,
            r#"{"page_size": 0}"#,
            r#"{"base_path": "docs"}"#,
            r#"{"majors": [{"major": 0}]}"#,
            r#"{"majors": []}"#,
            "7",
        ] {
            assert_eq!(of(wrong).unwrap_err().code, Code::CatalogSettingsInvalid, "{wrong}");
        }
    }

    #[test]
    fn an_older_major_is_served_for_twelve_months() {
        let majors = |until: &str| {
            of(&format!(
                r#"{{"majors": [{{"major": 1, "supported_until": {until}}}, {{"major": 2, "released_on": "2027-01-01"}}]}}"#
            ))
        };
        assert!(majors("\"2027-12-30\"").is_err() && majors("null").is_err());
        for open in [
            r#"[{"major": 2, "released_on": "2027-01-01"}]"#,
            r#"[{"major": 1, "supported_until": "2028-01-01"}]"#,
            r#"[{"major": 1, "supported_until": "2029-01-01"}, {"major": 2}]"#,
            r#"[{"major": 1, "supported_until": "2029-01-01"}, {"major": 3, "released_on": "2027-01-01"}]"#,
            r#"[{"major": 1, "released_on": "2027-06-01", "supported_until": "2029-01-01"}, {"major": 2, "released_on": "2027-01-01"}]"#,
        ] {
            let error = of(&format!("{{\"majors\": {open}}}")).unwrap_err();
            assert_eq!(error.code, Code::CatalogSettingsInvalid, "{open}");
        }
        let settings = majors("\"2028-01-01\"").unwrap();
        let served = |day: &str| settings.served_majors(day.parse().unwrap());
        assert_eq!(served("2026-12-31"), [1]);
        assert_eq!(served("2027-02-01"), [1, 2]);
        assert_eq!(served("2028-01-01"), [2]);
        let told: Vec<String> =
            settings.major_facts("2027-02-01".parse().unwrap()).into_iter().map(|one| one.status).collect();
        assert_eq!(told, ["supported", "current"]);
        let first = of(r#"{"majors": [{"major": 1, "released_on": "2030-01-01"}]}"#).unwrap();
        assert_eq!(first.served_majors("2026-01-01".parse().unwrap()), [1], "there is always one");
    }
}
