//! The human view: tables as wide as the terminal, an item as a page, a change as a line, one footer.

use std::collections::HashMap;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::super::environment::Environment;
use super::super::tree::{Fields, Items, Ref, View};
use super::grid::{self, Column, Layout};
use super::{Page, text};

/// Writes what a terminal shows.
pub(super) fn write(out: &mut String, page: &Page<'_>, environment: &Environment<'_>) {
    let mut human = Human { out, environment };
    if let Some(refusal) = page.refusal() {
        human.prose(&refusal, Style::new());
    }
    human.parts(page);
    let shown = human.out.clone();
    for remark in page.remarks() {
        let said = remark.strip_prefix("warning: ").unwrap_or(&remark);
        match SENTENCES.iter().find(|(code, _)| *code == said) {
            Some((_, sentence)) => human.prose(sentence, AnsiColor::Yellow.on_default()),
            None if shown.contains(said) => {}
            None => human.prose(&remark, AnsiColor::Yellow.on_default()),
        }
    }
    if let Some(footer) = page.footer() {
        human.styled(Style::new().dimmed(), &footer);
    }
}

struct Human<'o> {
    out: &'o mut String,
    environment: &'o Environment<'o>,
}

/// Warnings that say more to a person in words.
const SENTENCES: &[(&str, &str)] = &[(
    "agent_guidance:missing_non_interactive",
    "AGENTS.md does not tell agents of this tracker yet; `pm init --agent-guidance add` does that.",
)];

/// The fields of an item that its first lines show already, and those that only a tree needs.
const HEAD: &[&str] = &[
    "id",
    "title",
    "type",
    "status",
    "priority",
    "assignee",
    "description",
    "body",
    "tree_title",
    "tree_depth",
    "tree_parent",
];

/// Deadlines, which are missed when they have passed, and other appointments.
const DUE: &[&str] = &["deadline", "due", "due_at"];
const APPOINTMENTS: &[&str] = &["at", "start_at", "end_at", "until"];

/// The widest line of running text.
const PROSE: usize = 100;

impl Human<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn styled(&mut self, style: Style, text: &str) {
        let painted = self.paint(style, text);
        self.line(&painted);
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.environment.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn width(&self) -> Option<usize> {
        self.environment.width.map(usize::from)
    }

    /// The room for running text that is set in.
    fn room(&self, indent: usize) -> Option<usize> {
        self.width().map(|width| width.min(PROSE).saturating_sub(indent))
    }

    /// Running text, as wide as it may be.
    fn prose(&mut self, text: &str, style: Style) {
        for line in text::wrap(text, self.room(0)) {
            self.styled(style, &line);
        }
    }

    /// Space between what was said and what follows.
    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn cell(&self, place: Ref<'_>) -> String {
        text::cell(place, Some(self.environment.now))
    }

    /// A field of an object as a cell: days where the field is an appointment.
    fn field(&self, fields: Fields<'_>, key: &str, place: Ref<'_>) -> String {
        let due = DUE.contains(&key);
        let day = place.leaf().and_then(Value::as_str).filter(|_| due || APPOINTMENTS.contains(&key));
        let status = fields.get("status").and_then(Ref::leaf).and_then(Value::as_str);
        let open = !matches!(status, Some("closed" | "canceled"));
        let (now, zone) = (self.environment.now, self.environment.zone);
        day.and_then(|day| text::appointment(day, due && open, now, &zone()))
            .unwrap_or_else(|| self.cell(place))
    }

    fn get(&self, fields: Fields<'_>, key: &str) -> Option<String> {
        let value = fields.get(key).map(|place| self.field(fields, key, place));
        value.filter(|value| !value.is_empty())
    }

    /// The title of the item with this id, when the answer does not tell it.
    fn title(&self, id: &str) -> Option<String> {
        let title = (self.environment.titles?)(id)?;
        Some(text::line(&title).into_owned())
    }

    fn parts(&mut self, page: &Page<'_>) {
        let tables = page.tables();
        let alone = page.parts.len() == 1 && tables.len() == 1;
        let item = page.parts.iter().find_map(|(key, place)| match place.view() {
            View::Object(fields) if *key == "item" => Some(fields),
            _ => None,
        });
        self.receipt(page, tables.is_empty());
        for (key, place) in &page.parts {
            match place.view() {
                View::Leaf(_) => {}
                View::Array(items) if alone => self.table(items),
                View::Array(items) => self.section(key, items),
                View::Object(fields) if is_head(page, fields) => {}
                View::Object(fields) if fields.get("title").is_some() || *key == "item" => {
                    if *key != "item" {
                        self.heading(key);
                    }
                    self.item(fields);
                }
                View::Object(fields) if inner(fields).is_some() => {}
                View::Object(fields) => {
                    let known = item.is_some_and(|item| repeats(fields, item));
                    let unclaimed =
                        *key == "claim_state" && self.get(fields, "claimed").as_deref() == Some("false");
                    if !known && !unclaimed {
                        self.object(key, fields);
                    }
                }
            }
        }
        if !tables.is_empty() && tables.iter().all(|(_, items)| items.len() == 0) {
            let hint = match tables[0].0.as_str() {
                "items" if alone => "No items. `pm create \"Title\"` makes one.",
                "items" => "No items.",
                _ if alone => "nothing",
                _ => return,
            };
            self.styled(Style::new().dimmed(), hint);
        }
    }

    /// Plain values: the item that they speak of when they begin with an id, then name and value. What changed in
    /// the item, which some changes tell of with the whole item beside, stands there too.
    fn receipt(&mut self, page: &Page<'_>, change: bool) {
        let mut rest: Vec<(&str, Ref<'_>)> = Vec::new();
        let mut changed = None;
        for (key, place) in &page.parts {
            match place.view() {
                View::Leaf(_) if *key == "changed" && is_false(*place) => {}
                View::Leaf(_) => rest.push((key, *place)),
                View::Object(fields) if let Some(item) = inner(fields) => {
                    changed = Some(item);
                    fields.each(&mut |name, place| {
                        if name != "item" && !is_false(place) {
                            rest.push((name, place));
                        }
                    });
                }
                View::Object(fields) if is_head(page, fields) => changed = Some(fields),
                _ => {}
            }
        }
        if let Some(item) = changed {
            self.head(item);
            rest.retain(|(key, _)| *key != "id");
        } else if let Some(("id", id)) = rest.first().copied() {
            let id = self.cell(id);
            let title = self.title(&id).unwrap_or_default();
            let status = match rest.get(1) {
                Some(("status", status)) => Some(self.cell(*status)),
                _ => None,
            };
            rest.drain(..1 + usize::from(status.is_some()));
            match status.filter(|_| change) {
                Some(status) => {
                    let id = self.paint(AnsiColor::Cyan.on_default(), &id);
                    let status = self.paint(color_of(&status), &status);
                    self.line(&format!("{id}  {status}  {title}"));
                }
                None => self.titled(&id, &title),
            }
        }
        let pairs: Vec<(String, String)> =
            rest.iter().map(|(key, place)| (text::words(key).into_owned(), self.cell(*place))).collect();
        self.pairs(&pairs);
    }

    /// Names and values, these set in as wide as the longest name is.
    fn pairs(&mut self, pairs: &[(String, String)]) {
        let filled = || pairs.iter().filter(|(_, value)| !value.is_empty());
        let wide = filled().map(|(key, _)| text::width(key)).max().unwrap_or_default();
        let below = self.width().is_some_and(|width| width < wide + 18);
        let indent = if below { 2 } else { wide + 2 };
        for (key, value) in filled() {
            let padding = " ".repeat(wide - text::width(key));
            let name = self.paint(Style::new().dimmed(), key);
            let mut lines = text::wrap(value, self.room(indent)).into_iter();
            if below {
                self.line(&name);
            } else if let Some(first) = lines.next() {
                self.line(&format!("{name}{padding}  {first}"));
            }
            lines.for_each(|line| self.line(&format!("{:indent$}{line}", "")));
        }
    }

    fn heading(&mut self, key: &str) {
        self.gap();
        self.styled(Style::new().bold(), &text::heading(key));
    }

    fn section(&mut self, key: &str, items: Items<'_>) {
        if items.len() > 0 {
            self.heading(key);
            self.table(items);
        }
    }

    /// An object that is no item: its plain values, then what is in it.
    fn object(&mut self, key: &str, fields: Fields<'_>) {
        let mut pairs = Vec::new();
        let mut sections: Vec<(String, Items<'_>)> = Vec::new();
        let mut objects: Vec<(String, Fields<'_>)> = Vec::new();
        fields.each(&mut |name, place| match place.view() {
            View::Array(items) if is_table(items) => sections.push((format!("{key} {name}"), items)),
            View::Object(inside) if inside.get("title").is_some() => objects.push((name.to_owned(), inside)),
            _ => pairs.push((text::words(name).into_owned(), self.field(fields, name, place))),
        });
        if pairs.iter().any(|(_, value)| !value.is_empty()) {
            self.heading(key);
            self.pairs(&pairs);
        }
        for (name, inside) in objects {
            self.heading(&name);
            self.item(inside);
        }
        for (name, items) in sections {
            self.section(&name, items);
        }
    }

    /// An id and a title, which may take several lines.
    fn titled(&mut self, id: &str, title: &str) {
        let indent = if id.is_empty() { 0 } else { text::width(id) + 2 };
        let narrow = self.width().is_some_and(|width| width < indent + 16);
        let set_in = if narrow { 2 } else { indent };
        let id = self.paint(AnsiColor::Cyan.on_default(), id);
        let mut lines = text::wrap(title, self.room(set_in)).into_iter();
        match lines.next().filter(|_| !narrow) {
            Some(first) if indent > 0 => {
                let first = self.paint(Style::new().bold(), &first);
                self.line(&format!("{id}  {first}"));
            }
            Some(first) => self.styled(Style::new().bold(), &first),
            None => {
                self.line(&id);
                lines = text::wrap(title, self.room(set_in)).into_iter();
            }
        }
        for line in lines {
            let line = self.paint(Style::new().bold(), &line);
            self.line(&format!("{:set_in$}{line}", ""));
        }
    }

    /// What an item is, in two lines.
    fn head(&mut self, fields: Fields<'_>) {
        let id = self.get(fields, "id").or_else(|| self.get(fields, "item_id")).unwrap_or_default();
        let title = self.get(fields, "title").or_else(|| self.title(&id)).unwrap_or_default();
        if !id.is_empty() || !title.is_empty() {
            self.titled(&id, title.trim_start());
        }
        let status = self.get(fields, "status").map(|status| self.paint(color_of(&status), &status));
        let priority = self.get(fields, "priority").map(|priority| format!("p{priority}"));
        let facts = [self.get(fields, "type"), status, priority, self.get(fields, "assignee")];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        if !facts.is_empty() {
            self.line(&facts.join(" · "));
        }
    }

    /// An item as a page.
    fn item(&mut self, fields: Fields<'_>) {
        self.head(fields);
        self.paragraph(fields.get("description"));
        let mut pairs = Vec::new();
        let mut sections: Vec<(&str, Items<'_>)> = Vec::new();
        let mut texts: Vec<(&str, Ref<'_>)> = Vec::new();
        fields.each(&mut |name, place| match place.view() {
            _ if HEAD.contains(&name) || (name.ends_with("_count") && self.cell(place) == "0") => {}
            View::Array(items) if is_table(items) => sections.push((name, items)),
            View::Leaf(Value::String(text)) if text.trim().contains('\n') => texts.push((name, place)),
            _ => pairs.push((text::words(name).into_owned(), self.field(fields, name, place))),
        });
        if pairs.iter().any(|(_, value)| !value.is_empty()) {
            self.gap();
        }
        self.pairs(&pairs);
        for (name, place) in texts {
            self.heading(name);
            self.text(place, 0);
        }
        for (name, items) in sections {
            self.section(name, items);
        }
        self.paragraph(fields.get("body"));
    }

    fn paragraph(&mut self, place: Option<Ref<'_>>) {
        let is_text =
            |place: &Ref<'_>| matches!(place.leaf(), Some(Value::String(text)) if !text.trim().is_empty());
        if let Some(place) = place.filter(is_text) {
            self.gap();
            self.text(place, 0);
        }
    }

    /// A text with its lines kept, each as wide as it may be.
    fn text(&mut self, place: Ref<'_>, indent: usize) {
        let Some(Value::String(text)) = place.leaf() else { return };
        for line in text::lines(text.trim_end()) {
            for part in text::wrap(&line, self.room(indent)) {
                self.line(&format!("{:indent$}{part}", ""));
            }
        }
    }

    /// What people wrote: who and when, then the text with its lines.
    fn entries(&mut self, items: Items<'_>) {
        for n in 0..items.len() {
            let View::Object(fields) = items.at(n).view() else { continue };
            if n > 0 {
                self.out.push('\n');
            }
            let mut said: Vec<String> =
                ["author", "created_at"].iter().filter_map(|key| self.get(fields, key)).collect();
            fields.each(&mut |key, place| {
                let value = self.field(fields, key, place);
                if !matches!(key, "author" | "created_at" | "text") && !value.is_empty() {
                    said.push(format!("{} {value}", text::words(key).trim_end_matches(" at")));
                }
            });
            self.styled(AnsiColor::Cyan.on_default(), &said.join(" · "));
            if let Some(place) = fields.get("text") {
                self.text(place, 2);
            }
        }
    }

    /// Rows as a table, each in one line; one by one when they say too much for that.
    fn table(&mut self, items: Items<'_>) {
        if !is_table(items) {
            for n in 0..items.len() {
                let cell = self.cell(items.at(n));
                self.prose(&cell, Style::new());
            }
            return;
        }
        let rows = rows(items);
        if rows.iter().all(|row| row.get("text").is_some() && row.get("created_at").is_some()) {
            return self.entries(items);
        }
        let mut columns = self.columns(items, &rows);
        let details = columns.iter().position(|column| column.name == "details").map(|at| columns.remove(at));
        let tree = self.tree(&mut columns, &rows);
        match grid::fit(&columns, self.width(), tree) {
            Some(layout) => self.grid(&columns, &layout),
            None => self.blocks(&rows),
        }
        if let (Some(details), [names, ..]) = (details, columns.as_slice()) {
            self.details(&rows, names, details);
        }
    }

    /// What is to be said of checks that did not pass, below the table of all.
    fn details(&mut self, rows: &[Fields<'_>], names: &Column, details: Column) {
        let told = rows.iter().zip(&names.cells).zip(details.cells);
        let failed = told.filter(|((row, _), _)| row.get("ok").is_none_or(is_false));
        let pairs: Vec<(String, String)> = failed.map(|((_, name), cell)| (name.clone(), cell)).collect();
        if !pairs.is_empty() {
            self.gap();
        }
        self.pairs(&pairs);
    }

    /// Rows one by one.
    fn blocks(&mut self, rows: &[Fields<'_>]) {
        for (n, row) in rows.iter().enumerate() {
            if n > 0 {
                self.out.push('\n');
            }
            self.item(*row);
        }
    }

    /// The columns that any row fills, and the titles of items of which only the id is known.
    fn columns<'d>(&self, items: Items<'d>, rows: &[Fields<'d>]) -> Vec<Column> {
        let mut names: Vec<&'d str> = items.columns.unwrap_or_default().iter().map(String::as_str).collect();
        names.retain(|name| *name != "group");
        for row in rows {
            let mut name = |key| {
                if !names.contains(&key) {
                    names.push(key);
                }
            };
            row.each(&mut |key, place| match place.view() {
                View::Object(group) if key == "group" => group.each(&mut |key, _| name(key)),
                _ => name(key),
            });
        }
        let mut columns: Vec<Column> = Vec::with_capacity(names.len() + 1);
        for name in &names {
            let value = |row: &Fields<'d>| match row.get("group").map(Ref::view) {
                Some(View::Object(group)) => group.get(name).or_else(|| row.get(name)),
                _ => row.get(name),
            };
            let cell = |row: &Fields<'d>| match value(row) {
                // A tree is told by blanks in front.
                Some(place) if name.ends_with("title") => self.cell(place),
                Some(place) => self.field(*row, name, place),
                None => String::new(),
            };
            columns.push(Column { name: (*name).to_owned(), cells: rows.iter().map(cell).collect() });
        }
        let id = columns.iter().find(|column| matches!(column.name.as_str(), "id" | "item_id"));
        if let Some(id) = id.filter(|_| !names.iter().any(|name| name.ends_with("title"))) {
            let cells = id.cells.iter().map(|id| self.title(id).unwrap_or_default()).collect();
            columns.push(Column { name: "title".to_owned(), cells });
        }
        columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
        columns
    }

    /// Draws the branches of a tree in front of its titles, when the rows are one.
    fn tree(&self, columns: &mut Vec<Column>, rows: &[Fields<'_>]) -> bool {
        let Some(at) = columns.iter().position(|column| column.name.ends_with("title")) else { return false };
        let depth = |row: &Fields<'_>| Some(row.get("depth")?.leaf()?.as_u64()? as usize);
        let by_depth: Option<Vec<usize>> = rows.iter().map(depth).collect();
        let blanks = |cell: &String| (cell.len() - cell.trim_start().len()) / 2;
        let mut depths: Vec<usize> = match &by_depth {
            Some(depths) if rows.iter().all(|row| row.get("via").is_some()) => depths.clone(),
            _ => columns[at].cells.iter().map(blanks).collect(),
        };
        if depths.iter().all(|depth| *depth == 0) {
            return false;
        }
        if by_depth.is_some() {
            let order = depth_first(rows);
            depths = order.iter().map(|n| depths[*n]).collect();
            for column in columns.iter_mut() {
                column.cells = order.iter().map(|n| std::mem::take(&mut column.cells[*n])).collect();
            }
        }
        for (cell, branch) in columns[at].cells.iter_mut().zip(grid::branches(&depths)) {
            *cell = format!("{branch}{}", cell.trim_start());
        }
        columns.retain(|column| !matches!(column.name.as_str(), "depth" | "via"));
        true
    }

    fn grid(&mut self, columns: &[Column], layout: &Layout) {
        let mut lines = grid::lines(columns, layout).into_iter();
        if let Some(head) = lines.next() {
            self.styled(Style::new().dimmed(), &head);
        }
        let column = |name: &str| columns.iter().find(|column| column.name == name);
        let (ids, statuses) = (column("id"), column("status"));
        for (n, line) in lines.enumerate() {
            let cell =
                |column: Option<&Column>| column.map_or("", |column| column.cells[n].as_str()).to_owned();
            let line =
                if self.environment.color { self.mark(&line, &cell(ids), &cell(statuses)) } else { line };
            self.line(&line);
        }
        if !layout.left_out.is_empty() {
            let names = layout.left_out.iter().map(|n| text::words(&columns[*n].name).into_owned());
            let note = format!("no room for: {}", names.collect::<Vec<_>>().join(", "));
            self.prose(&note, Style::new().dimmed());
        }
    }

    /// A line of a table with its id and status in colour.
    fn mark(&self, line: &str, id: &str, status: &str) -> String {
        let Some(rest) = line.strip_prefix(id).filter(|_| !id.is_empty()) else { return line.to_owned() };
        let id = self.paint(AnsiColor::Cyan.on_default(), id);
        let padded = format!(" {status} ");
        let rest = if status.is_empty() {
            rest.to_owned()
        } else {
            rest.replacen(&padded, &format!(" {} ", self.paint(color_of(status), status)), 1)
        };
        format!("{id}{rest}")
    }
}

fn color_of(status: &str) -> Style {
    match status {
        "in_progress" => AnsiColor::Yellow.on_default(),
        "blocked" | "error" | "fail" => AnsiColor::Red.on_default(),
        "closed" | "ok" | "pass" => AnsiColor::Green.on_default(),
        "canceled" | "draft" => Style::new().dimmed(),
        _ => Style::new(),
    }
}

/// Whether the items are objects, at least one of them.
fn is_table(items: Items<'_>) -> bool {
    items.len() > 0 && (0..items.len()).all(|n| matches!(items.at(n).view(), View::Object(_)))
}

fn rows<'d>(items: Items<'d>) -> Vec<Fields<'d>> {
    let row = |n| match items.at(n).view() {
        View::Object(fields) => Some(fields),
        _ => None,
    };
    (0..items.len()).filter_map(row).collect()
}

/// The item in an object that tells of a change.
fn inner<'d>(fields: Fields<'d>) -> Option<Fields<'d>> {
    match fields.get("item")?.view() {
        View::Object(item) => Some(item),
        _ => None,
    }
}

/// Whether an object only names the item that the whole answer is about.
fn is_head(page: &Page<'_>, fields: Fields<'_>) -> bool {
    let Some(("id", id)) = page.parts.first() else { return false };
    let mut plain = fields.get("title").is_some();
    fields.each(&mut |key, _| plain &= HEAD.contains(&key));
    plain && fields.get("id").map(Ref::to_value) == Some(id.to_value())
}

fn is_false(place: Ref<'_>) -> bool {
    matches!(place.leaf(), Some(Value::Bool(false)))
}

/// Whether all that an object says stands in the item already.
fn repeats(fields: Fields<'_>, item: Fields<'_>) -> bool {
    let mut known = true;
    fields.each(&mut |key, place| {
        known &= place.leaf().is_some() && item.get(key).map(Ref::to_value) == Some(place.to_value());
    });
    known
}

/// The order in which each row follows the one that it was reached by, which is a level above it.
fn depth_first(rows: &[Fields<'_>]) -> Vec<usize> {
    let name = |n: usize, key: &str| rows[n].get(key).and_then(Ref::leaf).and_then(Value::as_str);
    let depth = |n: usize| rows[n].get("depth").and_then(Ref::leaf).and_then(Value::as_u64);
    let mut below: HashMap<(Option<&str>, u64), Vec<usize>> = HashMap::new();
    for n in (0..rows.len()).rev() {
        below.entry((name(n, "via"), depth(n).unwrap_or_default())).or_default().push(n);
    }
    let first = (0..rows.len()).filter_map(depth).min();
    let mut open: Vec<usize> = (0..rows.len()).rev().filter(|n| depth(*n) == first).collect();
    let mut order = Vec::with_capacity(rows.len());
    let mut placed = vec![false; rows.len()];
    while let Some(row) = open.pop() {
        if !std::mem::replace(&mut placed[row], true) {
            order.push(row);
            let level = depth(row).unwrap_or_default() + 1;
            open.extend(below.remove(&(name(row, "id"), level)).into_iter().flatten());
        }
    }
    order.extend((0..rows.len()).filter(|n| !placed[*n]));
    order
}
