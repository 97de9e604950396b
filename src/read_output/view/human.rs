//! The human view: tables as wide as the terminal, an item as a page, a change as a line, one footer.

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, ContentArrangement, Row, Table};
use serde_json::Value;

use super::super::environment::Environment;
use super::super::tree::{Fields, Items, Ref, View};
use super::{Page, text};

/// Writes what a terminal shows.
pub(super) fn write(out: &mut String, page: &Page<'_>, environment: &Environment) {
    let mut human = Human { out, environment };
    if let Some(refusal) = page.refusal() {
        human.line(&refusal);
    }
    human.parts(page);
    for remark in page.remarks() {
        human.styled(AnsiColor::Yellow.on_default(), &remark);
    }
    if let Some(footer) = page.footer() {
        human.styled(Style::new().dimmed(), &footer);
    }
}

struct Human<'o> {
    out: &'o mut String,
    environment: &'o Environment,
}

/// The fields of an item that its head line shows already.
const HEAD: &[&str] = &["id", "title", "type", "status", "priority", "assignee", "description", "body"];

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

    fn cell(&self, place: Ref<'_>) -> String {
        text::cell(place, Some(self.environment.now))
    }

    fn parts(&mut self, page: &Page<'_>) {
        let tables = page.tables();
        let alone = page.parts.len() == 1 && tables.len() == 1;
        let plain: Vec<(&str, Ref<'_>)> =
            page.parts.iter().copied().filter(|(_, place)| place.leaf().is_some()).collect();
        self.receipt(&plain);
        for (key, place) in &page.parts {
            match place.view() {
                View::Leaf(_) => {}
                View::Array(items) if alone => self.table(items),
                View::Array(items) => self.section(key, items),
                View::Object(fields) if fields.get("title").is_some() || *key == "item" => {
                    if *key != "item" {
                        self.heading(key);
                    }
                    self.item(fields);
                }
                View::Object(fields) => self.object(key, fields),
            }
        }
        if alone && tables[0].1.len() == 0 {
            self.styled(Style::new().dimmed(), "nothing");
        }
    }

    /// Plain values: `pm-a1b2  closed` when they begin with an id, then name and value.
    fn receipt(&mut self, plain: &[(&str, Ref<'_>)]) {
        let mut rest = plain;
        if let [("id", id), more @ ..] = plain {
            let mut head = self.paint(AnsiColor::Cyan.on_default(), &self.cell(*id));
            rest = more;
            if let [("status", status), more @ ..] = more {
                let status = self.cell(*status);
                head.push_str("  ");
                head.push_str(&self.paint(color_of(&status), &status));
                rest = more;
            }
            self.line(&head);
        }
        let pairs: Vec<(String, String)> =
            rest.iter().map(|(key, place)| (text::line(key).into_owned(), self.cell(*place))).collect();
        self.pairs(&pairs);
    }

    fn pairs(&mut self, pairs: &[(String, String)]) {
        let width = pairs.iter().map(|(key, _)| key.chars().count()).max().unwrap_or_default();
        for (key, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
            let key = format!("{key:width$}");
            let key = self.paint(Style::new().dimmed(), &key);
            self.line(&format!("{key}  {value}"));
        }
    }

    fn heading(&mut self, key: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
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
        if fields.len() == 0 {
            return;
        }
        self.heading(key);
        let mut pairs = Vec::new();
        let mut sections: Vec<(String, Items<'_>)> = Vec::new();
        fields.each(&mut |name, place| match place.view() {
            View::Array(items) if is_table(items) => sections.push((format!("{key} {name}"), items)),
            _ => pairs.push((text::line(name).into_owned(), self.cell(place))),
        });
        self.pairs(&pairs);
        for (name, items) in sections {
            self.section(&name, items);
        }
    }

    /// An item as a page.
    fn item(&mut self, fields: Fields<'_>) {
        let get = |key: &str| fields.get(key).map(|place| self.cell(place)).filter(|value| !value.is_empty());
        let id = self.paint(AnsiColor::Cyan.on_default(), &get("id").unwrap_or_default());
        let title = self.paint(Style::new().bold(), &get("title").unwrap_or_default());
        let status = get("status").map(|status| self.paint(color_of(&status), &status));
        let priority = get("priority").map(|priority| format!("p{priority}"));
        let facts: Vec<String> =
            [get("type"), status, priority, get("assignee")].into_iter().flatten().collect();
        self.line(&format!("{id}  {title}"));
        if !facts.is_empty() {
            self.line(&facts.join(" · "));
        }
        self.paragraph(fields.get("description"));
        let mut pairs = Vec::new();
        let mut sections: Vec<(&str, Items<'_>)> = Vec::new();
        fields.each(&mut |name, place| match place.view() {
            _ if HEAD.contains(&name) => {}
            View::Array(items) if is_table(items) => sections.push((name, items)),
            _ => pairs.push((text::line(name).into_owned(), self.cell(place))),
        });
        if pairs.iter().any(|(_, value)| !value.is_empty()) {
            self.out.push('\n');
        }
        self.pairs(&pairs);
        for (name, items) in sections {
            self.section(name, items);
        }
        self.paragraph(fields.get("body"));
    }

    fn paragraph(&mut self, place: Option<Ref<'_>>) {
        let Some(Value::String(text)) = place.and_then(Ref::leaf) else { return };
        if text.trim().is_empty() {
            return;
        }
        self.out.push('\n');
        text::lines(text).for_each(|line| self.line(&line));
    }

    /// Rows as a table; each takes one line, the widest columns give way.
    fn table(&mut self, items: Items<'_>) {
        let Some(columns) = columns(items) else {
            for n in 0..items.len() {
                let cell = self.cell(items.at(n));
                self.line(&cell);
            }
            return;
        };
        if items.len() == 0 {
            return;
        }
        let mut table = Table::new();
        table.load_style(NOTHING).set_truncation_indicator("…");
        if let Some(width) = self.environment.width {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        table.set_header(columns.iter().map(|column| Cell::new(text::line(column).to_uppercase())));
        let mut marks: Vec<(String, String)> = Vec::new();
        for n in 0..items.len() {
            let View::Object(fields) = items.at(n).view() else { continue };
            let text = |column: &str| fields.get(column).map_or(String::new(), |place| self.cell(place));
            marks.push((text("id"), text("status")));
            let mut row = Row::from(columns.iter().map(|column| Cell::new(text(column))));
            row.max_height(1);
            table.add_row(row);
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let mut lines = table.lines();
        if let Some(header) = lines.next() {
            self.styled(Style::new().dimmed(), header.trim_end());
        }
        for (line, (id, status)) in lines.zip(marks) {
            let line = if self.environment.color { self.mark(&line, &id, &status) } else { line };
            self.line(&line);
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

/// The columns that any row fills, when every item is an object.
fn columns<'d>(items: Items<'d>) -> Option<Vec<&'d str>> {
    let mut columns: Vec<(&str, bool)> =
        items.columns.unwrap_or_default().iter().map(|column| (column.as_str(), false)).collect();
    for n in 0..items.len() {
        let View::Object(fields) = items.at(n).view() else { return None };
        fields.each(&mut |key, place| {
            let filled = !matches!(place.leaf(), Some(Value::Null));
            match columns.iter_mut().find(|(column, _)| *column == key) {
                Some(column) => column.1 |= filled,
                None => columns.push((key, filled)),
            }
        });
    }
    Some(columns.into_iter().filter_map(|(column, filled)| filled.then_some(column)).collect())
}
