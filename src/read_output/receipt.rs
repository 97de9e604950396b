//! What was done to an answer, as the caller sees it; nothing is said that is not due (read-output.md §5).

use serde_json::{Map, Value, json};

use super::chain::Continuation;
use super::controls::{Amount, BudgetSource, MAX_SAFE};
use super::cut::Cut;
use super::facts::Served;
use super::frame::Turn;
use super::render::Format;
use super::run::{Around, Run};
use super::tree::Tree;
use crate::error::Result;

/// An object of facts. A terse one leaves out what says nothing: an absent list is empty, an absent signal false.
struct Receipt {
    map: Map<String, Value>,
    terse: bool,
}

impl Receipt {
    fn of(terse: bool) -> Receipt {
        Receipt { map: Map::new(), terse }
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        let silent = value.as_array().is_some_and(Vec::is_empty) || value == Value::Bool(false);
        if !(self.terse && silent) {
            self.must(key, value);
        }
    }

    /// Sets what is told even when it says nothing.
    fn must(&mut self, key: &str, value: impl Into<Value>) {
        self.map.insert(key.to_owned(), value.into());
    }
}

/// The finite budget with which a cut answer is whole, rule v1; none when it has to be unbounded.
///
/// `binding` is the ceiling that cut it, `measured` what the whole measured; both in tokens. A quarter more than the
/// larger of the two, rounded up to a hundred: always more than what cut it.
///
/// ```
/// use pm::read_output::resolve_read_output_recovery_budget;
///
/// assert_eq!(resolve_read_output_recovery_budget(4_500, 5_650), Some(7_100));
/// assert_eq!(resolve_read_output_recovery_budget(600, 10), Some(800));
/// assert_eq!(resolve_read_output_recovery_budget(u64::MAX, 1), None);
/// ```
pub fn resolve_read_output_recovery_budget(binding: u64, measured: u64) -> Option<u64> {
    let base = binding.checked_add(1)?.max(measured);
    let wide = base.checked_mul(5)?.div_ceil(4);
    let rounded = wide.div_ceil(100).checked_mul(100)?;
    (rounded <= MAX_SAFE && base.checked_mul(5)? <= MAX_SAFE).then_some(rounded)
}

/// A budget as each transport takes it.
fn bindings(budget: Option<u64>) -> Value {
    let value = budget.map_or(json!("unbounded"), |n| json!(n));
    let text = budget.map_or("unbounded".to_owned(), |n| n.to_string());
    json!({
        "cli": format!("--output-budget {text}"), "sdk": {"outputBudget": value}, "mcp": {"outputBudget": value},
    })
}

impl Run<'_, '_> {
    /// Everything that stands around the parts, with this estimate written into it, as a session was served and as parts
    /// were cut.
    pub(super) fn around(&self, estimate: u64, served: &Served, cut: &Cut) -> Result<Around> {
        let mut around = Around::default();
        let cursor = match self.surface.retrieval {
            Some(_) => self.offset_keys(&mut around, cut)?,
            None => self.page_keys(&mut around, cut)?,
        };
        let tail = &mut around.tail;
        tail.extend(self.warnings());
        let degraded = self.applied_depth.is_some() && self.surface.retrieval.is_none();
        if (self.is_full() || degraded) && !self.frame.omissions.is_empty() {
            tail.push(("omission_receipt", self.omission_receipt()));
        }
        if self.is_full() {
            tail.extend(self.context_intent(estimate).map(|told| ("context_intent", told)));
            tail.extend(self.continuation_contract().map(|told| ("continuation_contract", told)));
        }
        if self.due(cut) {
            tail.push(("read_output", self.read_output(estimate, cut, &mut around.named)));
        }
        if let Some(session) = &self.controls.session {
            let mut receipt = session.receipt(estimate, served, self.binding.carried);
            if self.surface.retrieval.is_some() {
                receipt["restore_reference_with"] = json!("pm kb get <uri>");
                receipt["reference_format"] = json!("session:<session-id>:<served-identity>");
            }
            tail.push(("read_session", receipt));
        }
        if cut.any() {
            self.truncation(&mut around, cut, cursor.is_some())?;
        }
        if self.controls.row_contract {
            around.tail.push(("row_contract", self.row_contract()));
        }
        Ok(around)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.frame.doc.root.iter().any(|(name, _)| name == key)
    }

    /// `count` to `completeness`; gives the item cursor of the page when it has one.
    fn page_keys(&self, around: &mut Around, cut: &Cut) -> Result<Option<String>> {
        let full = self.is_full();
        let mut keys: Vec<(&'static str, Value)> = Vec::new();
        let more = self.more();
        let item = self.item_cursor(&more)?;
        let next = match &item {
            Some(item) => Some(item.clone()),
            None => self.chain_cursor(cut)?,
        };
        if let Some(counted) = self.frame.counted {
            let table = &self.frame.tables[counted];
            let shown = self.frame.doc.lists[counted].shown;
            keys.push(("count", json!(shown)));
            keys.push(("total", json!(table.rows.total)));
            let limit = match self.controls.limit {
                Some(Amount::Some(n)) => Some(json!(n)),
                Some(Amount::Unbounded) => None,
                None => table.rows.limit.map(|n| json!(n)),
            };
            if full && let Some(limit) = limit {
                keys.push(("applied_limit", if cut.has_table(counted) { json!(shown) } else { limit }));
            }
        }
        // The cursor of a command may also lead to what comes later (`events`).
        let goes_on = !more.is_empty() || item.is_none() && next.is_some();
        if goes_on || full && self.frame.counted.is_some() {
            keys.push(("has_more", json!(goes_on)));
            if full {
                keys.push(("truncated", json!(goes_on)));
            }
        }
        match &next {
            Some(next) => keys.push(("next_cursor", json!(next))),
            None if full && self.frame.counted.is_some() => keys.push(("next_cursor", Value::Null)),
            None => {}
        }
        if more.len() > 1 || self.frame.tables.iter().any(|table| table.turn == Turn::Elsewhere) {
            // Those that the budget cut are in its disclosure.
            let limited = more.iter().filter(|table| !cut.has_table(**table));
            let all = limited.map(|table| self.continuation(*table, cut)).collect::<Result<Vec<_>>>()?;
            let all: Vec<Value> = all.iter().flatten().map(Continuation::value).collect();
            if !all.is_empty() {
                keys.push(("continuations", Value::from(all)));
            }
        }
        if let Some(Amount::Some(n)) = self.controls.limit
            && self.bounded()
        {
            keys.push(("applied_bound", json!({"kind": "output_limit", "source": "explicit", "value": n})));
        }
        keys.extend(self.completeness().map(|told| ("completeness", told)));
        keys.retain(|(key, _)| !self.has(key));
        around.middle = keys;
        Ok(item)
    }

    /// Where the page stands: `offset`, and `next_offset` when there is more; a cursor only where the ceiling cut it.
    fn offset_keys(&self, around: &mut Around, cut: &Cut) -> Result<Option<String>> {
        let Some(table) = self.frame.tables.first() else { return Ok(None) };
        let start = table.base + table.start;
        let end = start + self.frame.doc.lists[table.list].shown;
        let more = if end < table.rows.total && end > start { json!(end) } else { Value::Null };
        // An offset beyond the end is told as it was asked for.
        let offset = if self.controls.continued { start } else { table.rows.offset };
        around.paging = vec![("offset", json!(offset)), ("next_offset", more)];
        if cut.any()
            && let Some(cursor) = self.chain_cursor(cut)?
        {
            around.tail.push(("next_cursor", json!(cursor)));
        }
        Ok(None)
    }

    /// Whether the canonical limit left rows out.
    fn bounded(&self) -> bool {
        self.frame.tables.iter().any(|table| table.is_bounded() && table.limited)
    }

    fn omission_receipt(&self) -> Value {
        let groups: Vec<Value> = self
            .frame
            .omissions
            .iter()
            .map(|group| json!({"name": group.name, "restore_with": group.restore_with}))
            .collect();
        json!({
            "has_omissions": !groups.is_empty(),
            "omitted_field_group_count": groups.len(),
            "omitted_field_groups": groups,
        })
    }

    /// Whether the envelope has a receipt, which has to be measured.
    pub(super) fn has_receipt(&self) -> bool {
        self.due(&self.cut_as_told()) || self.is_full() && self.controls.want.intent.is_some()
    }

    /// Whether the answer was shaped in a way that has to be said.
    fn due(&self, cut: &Cut) -> bool {
        let controls = self.controls;
        controls.include_given
            || controls.session.is_some()
            || controls.continued
            || controls.row_contract
            || controls.limit.is_some() && self.bounded()
            || controls.is_retrieval()
                && controls.limit.is_some()
                && controls.legacy_used.contains(&"--limit")
            || self.applied_depth.is_some()
            || cut.any()
            || cut.strings
    }

    fn read_output(&self, estimate: u64, cut: &Cut, named: &mut i64) -> Value {
        let toon = self.controls.format == Format::Toon;
        // What a receipt takes from a cut answer is taken from its rows. Where fields were chosen, both spellings of
        // the choice are told, also when one was not used.
        let terse = toon || cut.any() && !self.controls.include_given;
        let mut receipt = self.receipt_head(terse, true);
        let within = self.binding.tokens.is_none_or(|most| estimate <= most);
        receipt.must("estimated_tokens", estimate);
        receipt.must("within_budget", within);
        receipt.set("strings_compacted", cut.strings);
        receipt.set("rows_compacted", cut.any());
        if !toon {
            receipt.must("result_omitted", false);
        }
        // In TOON the disclosure names them, once.
        if cut.any() && !toon {
            receipt.set("compacted_row_paths", cut.paths());
            *named += 1;
        }
        if let Some(depth) = self.applied_depth {
            receipt.set("applied_depth", depth);
            receipt.set("degradation_reason", "output_budget_reached");
            if !self.restore.is_empty() {
                receipt.set("restore_with", self.restore.as_str());
            }
        }
        Value::Object(receipt.map)
    }

    fn receipt_head(&self, terse: bool, provenance: bool) -> Receipt {
        let controls = self.controls;
        let mut receipt = Receipt::of(terse);
        receipt.set("contract_version", 1);
        receipt.set("command", self.surface.surface);
        receipt.set("requested_dimensions", controls.requested.clone());
        if let (BudgetSource::Default, Some(tokens)) = (self.binding.source, self.binding.tokens) {
            receipt.set("budget_source", "default");
            receipt.set("budget_tokens", tokens);
        }
        receipt.must("precedence", vec!["canonical", "legacy", "intent", "default"]);
        if !controls.canonical_used.is_empty() {
            receipt.set("canonical_options_used", controls.canonical_used.clone());
        }
        let (aliases, hints) = match provenance {
            true => (controls.legacy_used.clone(), controls.migration_hints.clone()),
            false => (Vec::new(), Vec::new()),
        };
        receipt.set("legacy_aliases_used", aliases);
        receipt.set("migration_hints", hints);
        receipt
    }

    /// What the budget took, and how to go on.
    fn truncation(&self, around: &mut Around, cut: &Cut, has_item: bool) -> Result<()> {
        let mut continuations = self.nested_continuations(cut)?;
        let mut all_go_on = !cut.inside();
        for (number, table) in self.frame.tables.iter().enumerate().filter(|(n, _)| cut.has_table(*n)) {
            let own = match &table.group {
                Some(_) => self.group_continuation(number, cut)?,
                None => self.continuation(number, cut)?,
            };
            all_go_on &= own.is_some() || table.group.is_some();
            continuations.extend(own);
        }
        let rebased = has_item && self.frame.counted.is_some_and(|n| cut.has_table(n));
        let kind = match (rebased, continuations.is_empty()) {
            (true, _) => "producer_cursor",
            (false, false) => "output_cursor",
            (false, true) => "none",
        };
        around.tail.push(("continuation_kind", json!(kind)));
        let binding = self.binding.tokens.unwrap_or_default();
        let mut receipt = Receipt::of(true);
        receipt.set("reason", "output_budget_reached");
        receipt.set("budget_source", self.binding.source.as_str());
        receipt.set("budget_tokens", binding);
        let overridden = self.controls.limit == Some(Amount::Unbounded);
        receipt.set("overridden_dimensions", if overridden { vec!["amount"] } else { vec![] });
        if let Some(asked) = self.controls.overridden_budget {
            receipt.set("overridden_dimensions", vec!["cost"]);
            receipt.set("overridden_budget", asked.number().map_or(json!("unbounded"), |n| json!(n)));
        }
        // A path that goes on is named by its continuation.
        if !all_go_on {
            receipt.set("compacted_row_paths", cut.paths());
            around.named += 1;
        }
        receipt.set("continuation_cursor_rebased", rebased);
        receipt.set("continuation_available", !continuations.is_empty());
        match continuations.first() {
            Some(first) => {
                receipt.set("recovery_budget_multiplier", 1);
                around.continued = continuations.len();
                receipt
                    .set("continuations", continuations.iter().map(Continuation::value).collect::<Value>());
                receipt.set("restore_with", "recovery");
                // What comes next, which is the first of them unless another page left a table.
                let next = self.chain_cursor(cut)?.unwrap_or_else(|| first.cursor.clone());
                let recovery = json!({
                    "cursor": next, "cli": "--output-cursor", "sdk": "outputCursor",
                    "mcp": "outputCursor",
                });
                receipt.set("recovery", recovery);
                if let Some(rows) = self.rows_cost.filter(|_| !all_go_on) {
                    let budget = resolve_read_output_recovery_budget(binding, rows);
                    receipt.set("nested_recovery", bindings(budget));
                }
            }
            None => self.finite_recovery(&mut receipt, binding),
        }
        around.tail.push(("output_budget_truncation", Value::Object(receipt.map)));
        Ok(())
    }

    fn finite_recovery(&self, receipt: &mut Receipt, binding: u64) {
        let budget =
            resolve_read_output_recovery_budget(binding, self.whole.or(self.rows_cost).unwrap_or(binding));
        let text = budget.map_or("unbounded".to_owned(), |n| n.to_string());
        #[expect(clippy::cast_precision_loss, reason = "a ratio for information")]
        let multiplier = budget.map_or(Value::Null, |n| json!(n as f64 / binding.max(1) as f64));
        receipt.set("recovery_budget_multiplier", multiplier);
        // What is left of a session binds whatever the call asks for.
        let how = match self.binding.source {
            BudgetSource::Session => format!("without --output-session and with --output-budget {text}"),
            _ => format!("with --output-budget {text}"),
        };
        receipt
            .set("restore_with", format!("Retry {how} because no declared row collection can be continued."));
        receipt.set("recovery", bindings(budget));
    }

    /// The envelope of a result that could not be served at all.
    pub(super) fn omission(&self, estimate: u64, useful: u64) -> Around {
        let mut around = Around::default();
        let tail = &mut around.tail;
        let restore = match &self.controls.session {
            Some(session) if self.binding.source == BudgetSource::Session => {
                let whole = resolve_read_output_recovery_budget(session.remaining(), useful);
                format!("--output-session '{}'", session.anew(whole.unwrap_or(MAX_SAFE)))
            }
            // Of a page in the midst of a walk all the rest would be more than what is missing.
            _ if self.controls.rows_cursor.is_some() || self.controls.item_cursor.is_some() => {
                format!("--output-budget {}", useful.div_ceil(100).saturating_mul(100))
            }
            _ => "--output-budget unbounded".to_owned(),
        };
        tail.push((
            "output_budget_exceeded",
            json!({
                "omitted_result": true, "reason": "requested_budget_infeasible",
                "restore_with": restore, "recovery": {"outputBudget": "unbounded"},
            }),
        ));
        let mut receipt = self.receipt_head(self.controls.format == Format::Toon, false);
        receipt.must("estimated_tokens", estimate);
        receipt.must("within_budget", false);
        receipt.set("strings_compacted", false);
        receipt.set("rows_compacted", false);
        receipt.set("result_omitted", true);
        if self.controls.session.is_none() {
            receipt.set("omitted_result_estimated_tokens", useful);
        }
        tail.push(("read_output", Value::Object(receipt.map)));
        if let Some(session) = &self.controls.session {
            tail.push(("read_session", session.receipt(estimate, &Served::default(), self.binding.carried)));
        }
        around
    }

    /// Where the rows are, for programs that ask.
    fn row_contract(&self) -> Value {
        let there = |path: &&&str| self.frame.tables.iter().any(|table| table.path == ***path);
        let keys: Vec<&str> = match self.surface.row_keys {
            [] => self.frame.tables.iter().map(|table| table.path.as_str()).collect(),
            declared => declared.iter().filter(there).copied().collect(),
        };
        let mut contract = Map::new();
        let mut set = |key: &str, value: Value| contract.insert(key.to_owned(), value);
        set("command", json!(self.surface.surface));
        set("row_kind", json!(if keys.is_empty() { "none" } else { "collection" }));
        set("row_keys", json!(keys));
        let others =
            self.frame.tables.iter().map(|table| table.path.as_str()).filter(|path| !keys.contains(path));
        let nested = self.nested.iter().filter(|nested| self.is_shown(nested));
        let nested = nested.filter_map(|nested| Some(self.frame.doc.lists[nested.at?.1].path.as_str()));
        let continued: Vec<&str> = others.chain(nested).collect();
        if !continued.is_empty() {
            set("continuation_row_keys", json!(continued));
        }
        set("fields", json!(if self.surface.fields { "supported" } else { "unsupported" }));
        if !keys.is_empty() {
            set("jq_selector", json!(JQ_SELECTOR));
        }
        set("toon_encoding", json!("tabular_when_uniform"));
        Value::Object(contract)
    }
}

/// One expression for every surface: the items of each array and the entries of each object that `row_keys` names.
const JQ_SELECTOR: &str = ". as $root | .row_contract.row_keys[] | split(\".\") as $path | $root | getpath($path) | \
     if type == \"array\" then .[] elif type == \"object\" then to_entries[] else empty end";

impl super::frame::Frame<'_> {
    /// Calls `f` with every list that is shown, descriptions left out.
    pub(super) fn each_shown(&self, f: &mut dyn FnMut(usize)) {
        for (key, tree) in &self.doc.root {
            if !self.echoes.contains(key) {
                self.doc.each_list(tree, f);
            }
        }
    }

    /// Whether any shown string of the parts satisfies a test.
    pub(super) fn any_string(&self, test: &dyn Fn(&str) -> bool) -> bool {
        self.doc.root.iter().any(|(key, tree)| !self.echoes.contains(key) && self.any_in(tree, test))
    }

    fn any_in(&self, tree: &Tree, test: &dyn Fn(&str) -> bool) -> bool {
        match tree {
            Tree::Value(value) => any_text(value, test),
            Tree::Object(entries) => entries.iter().any(|(_, tree)| self.any_in(tree, test)),
            Tree::List(number) => {
                let list = &self.doc.lists[*number];
                list.items[..list.shown].iter().any(|tree| self.any_in(tree, test))
            }
        }
    }
}

/// Whether a text in a value passes a test.
pub(super) fn any_text(value: &Value, test: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => test(text),
        Value::Array(values) => values.iter().any(|value| any_text(value, test)),
        Value::Object(map) => map.values().any(|value| any_text(value, test)),
        _ => false,
    }
}
