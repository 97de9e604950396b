//! A session: what a caller carries between reads, so that a group of calls shares one budget and nothing is told
//! twice (seed 001, read-output.md §7).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::controls::MAX_SAFE;
use super::facts::Served;
use super::render::{self, Count, Format};
use super::told::{self, Card, Code as Fact, LONGEST_IDENTITY, Room, Told};
use super::tree::Ref;
use crate::error::{Code, Error, Result};

/// The smallest group budget; with less than this left a session is exhausted.
pub(super) const MIN_TOKEN_BUDGET: u64 = 256;

/// What a session that begins anew may cost at least: without references rows are told in full again.
const LARGE_ENOUGH: u64 = 4_000;

/// How many served identities a session carries.
pub(super) const MAX_SEEN: usize = 10_000;

/// The fields of a state.
const KEYS: [&str; 5] = ["version", "id", "token_budget", "spent_tokens", "seen_item_ids"];

/// The state of a session before a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Names the session in references.
    pub id: String,
    /// What the whole group may cost.
    pub token_budget: u64,
    /// What it has cost.
    pub spent_tokens: u64,
    /// The items that the caller has already, and codes of what was told of them.
    pub seen: BTreeSet<String>,
    /// The codes.
    pub(super) told: Told,
}

fn portable(text: &str, longest: usize) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= longest
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(b))
}

fn refused(reason: &str) -> Error {
    Error::new(Code::InvalidReadOutputSession, format!("--output-session {reason}"))
        .at("--output-session")
        .fact("field", "outputSession")
        .fact(
            "expected",
            json!({"version": 1, "id": "<id>", "token_budget": 4000, "spent_tokens": 0, "seen_item_ids": []}),
        )
}

/// The JSON Schema of the state.
pub(crate) fn schema() -> Value {
    let whole = |least: u64| json!({"type": "integer", "minimum": least, "maximum": MAX_SAFE});
    json!({
        "type": "object",
        "properties": {
            "version": {"const": 1},
            "id": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$"},
            "token_budget": whole(MIN_TOKEN_BUDGET),
            "spent_tokens": whole(0),
            "seen_item_ids": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_SEEN},
        },
        "required": KEYS,
        "additionalProperties": false,
    })
}

fn safe(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    let whole = value.as_u64().or_else(|| {
        // A number that JavaScript would call an integer: `4000.0`.
        let float = value.as_f64()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole")]
        (float >= 0.0 && float.fract() == 0.0 && float <= MAX_SAFE as f64).then_some(float as u64)
    })?;
    (whole <= MAX_SAFE).then_some(whole)
}

/// What a read adds to a session, whatever the read costs.
#[derive(Debug)]
pub(super) struct Next {
    /// The identities of the next state, in order.
    seen: Value,
    /// Of how many items there was no room for what was told.
    overflow: usize,
    /// How many of the items are new to the session.
    new_items: usize,
}

impl Session {
    /// Reads the JSON text of `--output-session`.
    ///
    /// Errors: `invalid_read_output_session` with the first thing that is wrong.
    pub fn parse(text: &str) -> Result<Session> {
        let shown = || text.chars().take(64).collect::<String>();
        let value: Value = serde_json::from_str(text)
            .map_err(|_| refused("must be a valid JSON object").rejecting(shown()))?;
        Session::from_value(&value).map_err(|error| error.rejecting(shown()))
    }

    /// Reads the object of a library call.
    ///
    /// Errors: as [`Session::parse`].
    pub fn from_value(value: &Value) -> Result<Session> {
        let object = value.as_object().ok_or_else(|| refused("must be a JSON object"))?;
        let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str())).min();
        if let Some(unknown) = unknown {
            return Err(refused(&format!("contains unknown field \"{unknown}\"")));
        }
        if safe(object.get("version")) != Some(1) {
            return Err(refused("version must equal 1"));
        }
        let id = object
            .get("id")
            .and_then(Value::as_str)
            .filter(|id| portable(id, 64))
            .ok_or_else(|| refused("id must be 1-64 portable identifier characters"))?;
        let token_budget = safe(object.get("token_budget"))
            .filter(|n| *n >= MIN_TOKEN_BUDGET)
            .ok_or_else(|| refused("token_budget must be a safe integer of at least 256"))?;
        let spent_tokens =
            safe(object.get("spent_tokens")).filter(|n| *n <= token_budget).ok_or_else(|| {
                refused("spent_tokens must be a non-negative safe integer no larger than token_budget")
            })?;
        let seen = seen(object)
            .ok_or_else(|| refused("seen_item_ids must contain at most 10000 portable item identifiers"))?;
        let told = Told::of(&seen);
        Ok(Session { id: id.to_owned(), token_budget, spent_tokens, seen, told })
    }

    /// What the group may still cost.
    pub fn remaining(&self) -> u64 {
        self.token_budget - self.spent_tokens
    }

    /// The state of a session of the same name that begins anew with a budget of at least so many tokens.
    pub(super) fn anew(&self, tokens: u64) -> Value {
        json!({
            "version": 1, "id": self.id, "token_budget": tokens.max(LARGE_ENOUGH), "spent_tokens": 0,
            "seen_item_ids": [],
        })
    }

    /// The reference that stands for an item the caller has.
    pub fn reference(&self, id: &str) -> Value {
        json!({"id": id, "context_ref": format!("session:{}:{id}", self.id)})
    }

    /// What stays of a row that the caller has, with the reference to what it was.
    pub(super) fn with_reference(&self, mut row: Map<String, Value>, id: &str) -> Value {
        row.insert("context_ref".to_owned(), json!(format!("session:{}:{id}", self.id)));
        Value::Object(row)
    }

    /// What the identities cost that the session brings along, in tokens: every answer hands them on.
    pub(super) fn carried_tokens(&self, format: Format, stripped: bool) -> u64 {
        let bytes = |ids: &[&String]| {
            let (mut count, receipt) = (Count::default(), json!({"next_state": {"seen_item_ids": ids}}));
            render::entry(&mut count, format, stripped, "read_session", Ref::Value(&receipt));
            count.0
        };
        let ids: Vec<&String> = self.seen.iter().collect();
        bytes(&ids).saturating_sub(bytes(&[])).div_ceil(4)
    }

    /// The state after a read that serves this.
    ///
    /// An id never travels without the codes of what it says. Only portable ids may travel in the state; others are
    /// served again in full.
    fn carry_on(&self, served: &Served) -> Next {
        let ids: BTreeSet<&String> = served.identities.iter().chain(served.codes.keys()).collect();
        let mut seen = self.seen.clone();
        let mut room = Room::default();
        for id in self.seen.iter().filter(|identity| !told::holds_codes(identity)) {
            room.id();
            // An id whose card is not known gets one, be it empty.
            if self.told.card(id).is_none() {
                room.card(Card::default());
            }
        }
        let mut facts: BTreeSet<Fact> = BTreeSet::new();
        let mut cards: BTreeMap<&String, Card> = BTreeMap::new();
        let mut overflow = 0;
        for id in ids {
            let is_new = served.identities.contains(id) && !self.seen.contains(id);
            let own = served.codes.get(id);
            if !is_new && own.is_none() {
                continue;
            }
            let more = usize::from(is_new);
            let own_facts = own.map_or(0, |own| own.facts.len());
            let packs = self.told.packs(facts.len() + own_facts, &room);
            if seen.len() + more + packs > MAX_SEEN || !portable(id, LONGEST_IDENTITY) {
                overflow += 1;
                continue;
            }
            let card = own.and_then(|own| own.card);
            if is_new {
                room.id();
                seen.insert(id.clone());
            }
            if is_new || card.is_some() {
                room.card(card.unwrap_or_default());
            }
            if let Some(own) = own {
                facts.extend(&own.facts);
                cards.extend(own.card.map(|card| (id, card)));
            }
        }
        let ids: Vec<&String> = seen.iter().filter(|identity| !told::holds_codes(identity)).collect();
        let codes = self.told.pack(&facts, &ids, &cards);
        if seen.len() + codes.len() <= MAX_SEEN {
            seen.extend(codes);
        }
        let new_items = served.ids.iter().filter(|id| !self.seen.contains(*id)).count();
        Next { seen: seen.into_iter().collect(), overflow, new_items }
    }

    /// The receipt of a read that costs `estimate` tokens; `carried` of them were added to its ceiling.
    pub(super) fn receipt(&self, estimate: u64, served: &Served, carried: u64) -> Value {
        let next = served.next.get_or_init(|| self.carry_on(served));
        let charged = estimate.min(self.remaining());
        let total = self.spent_tokens + charged;
        let remaining = self.token_budget - total;
        let mut receipt = Map::new();
        let mut set = |key: &str, value: Value| receipt.insert(key.to_owned(), value);
        set("contract_version", json!(1));
        set("id", json!(self.id));
        set("measurement_scope", json!("complete_read_envelope"));
        set("estimator", json!("ceil(utf8_bytes / 4)"));
        set("token_budget", json!(self.token_budget));
        set("spent_before_tokens", json!(self.spent_tokens));
        set("spent_this_call_tokens", json!(estimate));
        set("charged_this_call_tokens", json!(charged));
        set("spent_total_tokens", json!(total));
        set("remaining_tokens", json!(remaining));
        set("exhausted", json!(remaining < MIN_TOKEN_BUDGET));
        let items = self.seen.iter().filter(|identity| !told::holds_codes(identity)).count();
        set("seen_before_count", json!(items));
        set("new_item_count", json!(next.new_items));
        set("suppressed_repeat_count", json!(served.repeats));
        if next.overflow > 0 {
            set("seen_item_overflow_count", json!(next.overflow));
        }
        if carried > 0 {
            set("carried_state_tokens", json!(carried));
        }
        set("reference_format", json!("session:<session-id>:<item-id>"));
        set("restore_reference_with", json!("pm get <item-id> --brief"));
        set(
            "next_state",
            json!({
                "version": 1,
                "id": self.id,
                "token_budget": self.token_budget,
                "spent_tokens": total,
                "seen_item_ids": next.seen,
            }),
        );
        Value::Object(receipt)
    }
}

fn seen(object: &Map<String, Value>) -> Option<BTreeSet<String>> {
    let list = object.get("seen_item_ids")?.as_array()?;
    if list.len() > MAX_SEEN {
        return None;
    }
    list.iter().map(|id| id.as_str().filter(|id| portable(id, LONGEST_IDENTITY)).map(str::to_owned)).collect()
}
