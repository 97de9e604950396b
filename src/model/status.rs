//! Statuses: what a tracker calls the stations of an item's life, and which part each plays.

use serde_json::{Map, Value};

/// The parts a status can play, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles(u16);

/// The names of the roles on the wire; the position is the bit.
const ROLE_NAMES: [&str; 9] = [
    "draft",
    "active",
    "blocked",
    "terminal",
    "terminal_done",
    "terminal_canceled",
    "default_open",
    "default_close",
    "default_cancel",
];

impl Roles {
    /// Not yet ready to be worked on.
    pub const DRAFT: Roles = Roles(1);
    /// Open, or being worked on.
    pub const ACTIVE: Roles = Roles(1 << 1);
    /// Waits for something.
    pub const BLOCKED: Roles = Roles(1 << 2);
    /// Over.
    pub const TERMINAL: Roles = Roles(1 << 3);
    /// Over, with a result.
    pub const TERMINAL_DONE: Roles = Roles(1 << 4);
    /// Over, without one.
    pub const TERMINAL_CANCELED: Roles = Roles(1 << 5);
    /// What new items get.
    pub const DEFAULT_OPEN: Roles = Roles(1 << 6);
    /// What `close` sets.
    pub const DEFAULT_CLOSE: Roles = Roles(1 << 7);
    /// What canceling sets.
    pub const DEFAULT_CANCEL: Roles = Roles(1 << 8);

    /// The role of this name.
    pub fn named(name: &str) -> Option<Roles> {
        ROLE_NAMES.iter().position(|known| *known == name).map(|bit| Roles(1 << bit))
    }

    /// Every role's name, in the order of the specification.
    pub fn names() -> &'static [&'static str] {
        &ROLE_NAMES
    }

    /// Whether any of `other`'s roles is among these.
    pub fn any(self, other: Roles) -> bool {
        self.0 & other.0 != 0
    }

    /// Both together.
    pub const fn with(self, other: Roles) -> Roles {
        Roles(self.0 | other.0)
    }

    /// The names of these roles.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        ROLE_NAMES.iter().enumerate().filter(move |(bit, _)| self.0 & (1 << bit) != 0).map(|(_, name)| *name)
    }
}

/// One status of a tracker.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// The id: lower case, words joined by `_`.
    pub id: String,
    /// Other spellings, as written.
    pub aliases: Vec<String>,
    /// The parts it plays.
    pub roles: Roles,
    /// Where it stands among the others; by default its place in the list.
    pub order: i64,
    /// What it means, if the tracker says so.
    pub description: Option<String>,
}

impl Status {
    /// Whether an item in this status is over.
    pub fn is_terminal(&self) -> bool {
        self.roles.any(Roles::TERMINAL.with(Roles::TERMINAL_DONE).with(Roles::TERMINAL_CANCELED))
    }
}

/// The statuses that the commands set by themselves (`workflows.json`).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Workflow {
    draft: String,
    open: String,
    in_progress: String,
    blocked: String,
    close: String,
    canceled: String,
}

/// Every status of a tracker, in display order.
#[derive(Clone, Debug, PartialEq)]
pub struct Statuses {
    list: Vec<Status>,
    workflow: Workflow,
}

/// id, alias, roles of the statuses that every tracker knows (storage.md §7.1).
const BUILT_IN: [(&str, &str, Roles); 6] = [
    ("draft", "", Roles::DRAFT),
    ("open", "", Roles::ACTIVE.with(Roles::DEFAULT_OPEN)),
    ("in_progress", "in-progress", Roles::ACTIVE),
    ("blocked", "", Roles::BLOCKED),
    ("closed", "", Roles::TERMINAL.with(Roles::TERMINAL_DONE).with(Roles::DEFAULT_CLOSE)),
    ("canceled", "cancelled", Roles::TERMINAL.with(Roles::TERMINAL_CANCELED).with(Roles::DEFAULT_CANCEL)),
];

impl Default for Statuses {
    fn default() -> Statuses {
        Statuses::new(&[], &Map::new())
    }
}

/// How a status is compared: trimmed, lower case, each run of blanks and hyphens one `_`.
pub fn normalise_status(token: &str) -> String {
    let mut out = String::with_capacity(token.len());
    let mut gap = false;
    for c in token.trim().chars() {
        if c == '-' || c.is_whitespace() {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    if gap {
        out.push('_');
    }
    out
}

impl Statuses {
    /// The statuses of `statuses.json` and the names of `workflows.json`. A definition without usable id is
    /// skipped; what every tracker knows is added when it is not declared.
    pub fn new(declared: &[Value], workflow: &Map<String, Value>) -> Statuses {
        let mut list: Vec<Status> = Vec::new();
        for (position, value) in declared.iter().enumerate() {
            let Some(status) = declared_status(value, position) else { continue };
            if !list.iter().any(|known| known.id == status.id) {
                list.push(status);
            }
        }
        for (id, alias, roles) in BUILT_IN {
            if !list.iter().any(|known| known.id == id) {
                let aliases = if alias.is_empty() { Vec::new() } else { vec![alias.to_owned()] };
                let order = i64::try_from(list.len()).unwrap_or(i64::MAX);
                list.push(Status { id: id.to_owned(), aliases, roles, order, description: None });
            }
        }
        list.sort_by_key(|status| status.order);
        let workflow = named_statuses(&list, workflow);
        Statuses { list, workflow }
    }

    /// All of them, in display order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Status> {
        self.list.iter()
    }

    /// The status of exactly this id.
    pub fn get(&self, id: &str) -> Option<&Status> {
        self.list.iter().find(|status| status.id == id)
    }

    /// The status that a token stands for: an id or an alias, in any spelling.
    pub fn resolve(&self, token: &str) -> Option<&Status> {
        if let Some(exact) = self.get(token) {
            return Some(exact);
        }
        let token = normalise_status(token);
        self.get(&token).or_else(|| {
            self.list.iter().find(|s| s.aliases.iter().any(|alias| normalise_status(alias) == token))
        })
    }

    /// Whether this id is over; an unknown one is not.
    pub fn is_terminal(&self, id: &str) -> bool {
        self.get(id).is_some_and(Status::is_terminal)
    }

    /// Whether this id plays any of these parts.
    pub fn plays(&self, id: &str, roles: Roles) -> bool {
        self.get(id).is_some_and(|status| status.roles.any(roles))
    }

    /// The status of a draft.
    pub fn draft(&self) -> &str {
        &self.workflow.draft
    }

    /// The status of a new item.
    pub fn open(&self) -> &str {
        &self.workflow.open
    }

    /// The status of an item being worked on.
    pub fn in_progress(&self) -> &str {
        &self.workflow.in_progress
    }

    /// The status of an item that waits.
    pub fn blocked(&self) -> &str {
        &self.workflow.blocked
    }

    /// The status that `close` sets.
    pub fn close(&self) -> &str {
        &self.workflow.close
    }

    /// The status that canceling sets.
    pub fn canceled(&self) -> &str {
        &self.workflow.canceled
    }
}

fn declared_status(value: &Value, position: usize) -> Option<Status> {
    let object = value.as_object();
    let id = normalise_status(value.as_str().or_else(|| object?.get("id")?.as_str())?);
    if id.is_empty() {
        return None;
    }
    let texts = |key: &str| {
        let list = object.and_then(|o| o.get(key)).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(Value::as_str)
    };
    let built_in = BUILT_IN.iter().find(|known| known.0 == id).map_or(Roles::default(), |known| known.2);
    let declares_roles = object.is_some_and(|o| o.contains_key("roles"));
    let roles = texts("roles").filter_map(Roles::named).fold(Roles::default(), Roles::with);
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    Some(Status {
        aliases: texts("aliases").map(str::to_owned).collect(),
        roles: if declares_roles { roles } else { built_in },
        order: object.and_then(|o| o.get("order")?.as_i64()).unwrap_or(position),
        description: object.and_then(|o| Some(o.get("description")?.as_str()?.to_owned())),
        id,
    })
}

/// The workflow's names win over roles; a name that nobody knows loses to a role, and that to the built-in.
fn named_statuses(list: &[Status], workflow: &Map<String, Value>) -> Workflow {
    let pick = |key: &str, role: Option<Roles>, fallback: &str| {
        let named = workflow.get(key).and_then(Value::as_str).map(normalise_status);
        let named = named.filter(|id| list.iter().any(|status| status.id == *id));
        let by_role = || {
            let role = role?;
            Some(list.iter().find(|status| status.roles.any(role))?.id.clone())
        };
        named.or_else(by_role).unwrap_or_else(|| fallback.to_owned())
    };
    Workflow {
        draft: pick("draft_status", Some(Roles::DRAFT), "draft"),
        open: pick("open_status", Some(Roles::DEFAULT_OPEN), "open"),
        in_progress: pick("in_progress_status", None, "in_progress"),
        blocked: pick("blocked_status", Some(Roles::BLOCKED), "blocked"),
        close: pick("close_status", Some(Roles::DEFAULT_CLOSE), "closed"),
        canceled: pick("canceled_status", Some(Roles::DEFAULT_CANCEL), "canceled"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn statuses(declared: &Value) -> Statuses {
        Statuses::new(declared.as_array().unwrap(), &Map::new())
    }

    #[test]
    fn tokens_resolve_in_every_spelling() {
        let known = Statuses::default();
        for (token, id) in [
            ("open", "open"),
            (" In-Progress ", "in_progress"),
            ("in   progress", "in_progress"),
            ("CANCELLED", "canceled"),
        ] {
            assert_eq!(known.resolve(token).unwrap().id, id);
        }
        assert!(known.resolve("wibble").is_none());
        assert!(known.resolve("").is_none());
    }

    #[test]
    fn terminal_follows_from_any_terminal_role() {
        let known =
            statuses(&json!([{"id": "Shipped It", "roles": ["terminal_done"]}, {"id": 5}, {"id": "review"}]));
        assert!(known.is_terminal("shipped_it"));
        assert!(!known.is_terminal("review"));
        assert!(known.is_terminal("closed") && !known.is_terminal("nobody"));
        assert_eq!(known.iter().count(), 8);
    }

    #[test]
    fn workflow_names_win_over_roles() {
        let declared = [
            json!({"id": "done", "roles": ["default_close", "terminal"], "order": 0}),
            json!({"id": "todo"}),
        ];
        let by_role = Statuses::new(&declared, &Map::new());
        assert_eq!((by_role.close(), by_role.open()), ("done", "open"));
        let mut names = Map::new();
        names.insert("open_status".to_owned(), json!("todo"));
        names.insert("close_status".to_owned(), json!("nobody"));
        let named = Statuses::new(&declared, &names);
        assert_eq!((named.close(), named.open()), ("done", "todo"));
    }
}
