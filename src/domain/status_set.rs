//! Which statuses a listing shows (surfaces.md §3.2; product.md §4: sets compose).

use crate::domain::filter::values;
use crate::domain::merge::conflicts::STATUS;
use crate::error::{Code, Error, Result};
use crate::model::status::Statuses;

/// A set of statuses; `blocked` brings in whatever waits for an open item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusSet {
    /// Everything that is not over: what a listing shows when it is not asked for more.
    Open,
    /// Everything.
    All,
    /// These.
    Some {
        /// Status ids.
        ids: Vec<String>,
        /// Also items that something holds up, whatever their status says.
        blocked: bool,
        /// Also items with values that a merge could not decide, whatever their status says.
        conflicted: bool,
    },
}

impl StatusSet {
    /// Reads the values of `--status`; none: `default`.
    ///
    /// `open`, `closed` and `canceled` name the parts that the tracker's own statuses play; anything else is a status
    /// id or alias.
    ///
    /// Errors: `invalid_argument_value` for an unknown status, and for `all` beside others.
    pub fn parse(given: &[String], statuses: &Statuses, default: StatusSet) -> Result<StatusSet> {
        if given.is_empty() {
            return Ok(default);
        }
        let tokens = values::split("--status", given)?;
        if tokens.iter().any(|token| token.eq_ignore_ascii_case("all")) {
            return if tokens.len() == 1 {
                Ok(StatusSet::All)
            } else {
                Err(Error::new(
                    Code::InvalidArgumentValue,
                    "`--status all` stands alone: it names every status",
                )
                .at("--status")
                .rejecting(given.join(",")))
            };
        }
        let (mut ids, mut blocked, mut conflicted) = (Vec::new(), false, false);
        for token in &tokens {
            if token.eq_ignore_ascii_case(STATUS) && statuses.resolve(token).is_none() {
                conflicted = true;
                continue;
            }
            let id = resolve(token, statuses)?;
            blocked |= id == statuses.blocked();
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(StatusSet::Some { ids, blocked, conflicted })
    }

    /// Whether the set has items that only their blockers tell.
    pub fn wants_blocked(&self) -> bool {
        matches!(self, StatusSet::Some { blocked: true, .. })
    }

    /// Whether the set has items that only their undecided values tell.
    pub fn wants_conflicted(&self) -> bool {
        matches!(self, StatusSet::Some { conflicted: true, .. })
    }

    /// Whether an item in this status belongs to the set, its blockers left aside.
    pub fn admits(&self, status: &str, statuses: &Statuses) -> bool {
        match self {
            StatusSet::Open => !statuses.is_terminal(status),
            StatusSet::All => true,
            StatusSet::Some { ids, .. } => ids.iter().any(|id| id == status),
        }
    }
}

fn resolve(token: &str, statuses: &Statuses) -> Result<String> {
    let lower = token.to_lowercase();
    let by_part = match lower.as_str() {
        "open" => Some(statuses.open()),
        "closed" => Some(statuses.close()),
        "canceled" | "cancelled" => Some(statuses.canceled()),
        _ => None,
    };
    if let Some(id) = by_part.or_else(|| Some(&statuses.resolve(token)?.id)) {
        return Ok(id.to_owned());
    }
    let mut legal: Vec<&str> = statuses.iter().map(|status| status.id.as_str()).collect();
    legal.extend(["all", STATUS]);
    Err(values::illegal("--status", token, &legal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(given: &[&str]) -> Result<StatusSet> {
        let given: Vec<String> = given.iter().map(|s| (*s).to_owned()).collect();
        StatusSet::parse(&given, &Statuses::default(), StatusSet::Open)
    }

    #[test]
    fn sets_are_read_in_any_spelling() {
        let some = |ids: &[&str], blocked| StatusSet::Some {
            ids: ids.iter().map(|s| (*s).to_owned()).collect(),
            blocked,
            conflicted: false,
        };
        assert_eq!(parse(&[]).unwrap(), StatusSet::Open);
        assert_eq!(parse(&["ALL"]).unwrap(), StatusSet::All);
        assert_eq!(parse(&["open, In-Progress", "open"]).unwrap(), some(&["open", "in_progress"], false));
        assert_eq!(parse(&["cancelled,blocked"]).unwrap(), some(&["canceled", "blocked"], true));
    }

    #[test]
    fn unknown_statuses_are_refused_with_the_nearest_first() {
        let error = parse(&["opne"]).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgumentValue);
        assert_eq!(error.recovery["allowed_values"][0], "open");
        assert_eq!(parse(&["all,open"]).unwrap_err().code, Code::InvalidArgumentValue);
    }
}
