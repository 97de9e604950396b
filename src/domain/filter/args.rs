//! The filter flags that every listing command shares, as typed.

use serde_json::{Map, Value};

use super::parts::PartArgs;

/// Filters of `list`, `search`, `aggregate` and their kin: any value of one flag, all of the flags.
///
/// Values may be given several times or joined by commas; `\,` is a comma inside a value.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    /// Keep items in these statuses: status ids, `all`, or `blocked`, which includes what waits for others
    #[arg(long, value_name = "STATUS")]
    pub status: Vec<String>,
    /// Keep items of these types
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Vec<String>,
    /// Keep items with any of these tags
    #[arg(long, value_name = "TAG", alias = "tags")]
    pub tag: Vec<String>,
    /// Keep items with all of these tags; without a value: with all those of --tag
    #[arg(long, value_name = "TAG", num_args = 0..=1, default_missing_value = "")]
    pub tag_all: Vec<String>,
    /// Keep items of these priorities, 0 (critical) to 4 (minimal)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub priority: Vec<String>,
    /// Keep items of these assignees
    #[arg(long, value_name = "NAME")]
    pub assignee: Vec<String>,
    /// Keep items that are `assigned` or `unassigned`
    #[arg(long, value_name = "STATE")]
    pub assignee_filter: Option<String>,
    /// Keep the direct children of this item
    #[arg(long, value_name = "ID")]
    pub parent: Option<String>,
    /// Keep items of these sprints
    #[arg(long, value_name = "NAME")]
    pub sprint: Vec<String>,
    /// Keep items of these releases
    #[arg(long, value_name = "NAME")]
    pub release: Vec<String>,
    /// Keep these items; unknown ids are left out
    #[arg(long, value_name = "ID")]
    pub ids: Vec<String>,
    /// Keep items due at or before this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub deadline_before: Option<String>,
    /// Keep items due at or after this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub deadline_after: Option<String>,
    /// Keep items changed at or after this time (`-2h`, `-7d`, `2026-01-31`)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub updated_after: Option<String>,
    /// Keep items changed at or before this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub updated_before: Option<String>,
    /// Keep items created at or after this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub created_after: Option<String>,
    /// Keep items created at or before this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub created_before: Option<String>,
    /// Keep items changed since local midnight
    #[arg(long)]
    pub today: bool,
    /// Keep items changed in the last 7 days
    #[arg(long)]
    pub recent: bool,
    /// Filters on the parts that an item has.
    #[command(flatten)]
    pub parts: PartArgs,
}

impl FilterArgs {
    /// Whether nothing was asked for: every item passes, but for the default choice of statuses.
    pub fn is_empty(&self) -> bool {
        self.echo().is_empty()
    }

    /// What was asked, under the names of the flags: the `filters` part of a full envelope.
    pub fn echo(&self) -> Map<String, Value> {
        let mut echo = Map::new();
        for (key, values) in self.lists() {
            if !values.is_empty() {
                echo.insert(key.to_owned(), values.join(",").into());
            }
        }
        for (key, value) in self.singles() {
            if let Some(value) = value {
                echo.insert(key.to_owned(), value.as_str().into());
            }
        }
        echo.extend(self.parts.names().map(|name| (name, Value::Bool(true))));
        for (key, set) in [("today", self.today), ("recent", self.recent)] {
            if set {
                echo.insert(key.to_owned(), Value::Bool(true));
            }
        }
        echo
    }

    fn lists(&self) -> [(&'static str, &Vec<String>); 9] {
        [
            ("status", &self.status),
            ("type", &self.kind),
            ("tag", &self.tag),
            ("tag_all", &self.tag_all),
            ("priority", &self.priority),
            ("ids", &self.ids),
            ("assignee", &self.assignee),
            ("sprint", &self.sprint),
            ("release", &self.release),
        ]
    }

    fn singles(&self) -> [(&'static str, &Option<String>); 8] {
        [
            ("deadline_before", &self.deadline_before),
            ("deadline_after", &self.deadline_after),
            ("updated_after", &self.updated_after),
            ("updated_before", &self.updated_before),
            ("created_after", &self.created_after),
            ("created_before", &self.created_before),
            ("assignee_filter", &self.assignee_filter),
            ("parent", &self.parent),
        ]
    }
}
