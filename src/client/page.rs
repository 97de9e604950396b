//! Answers with typed rows.

use serde_json::Value;

use super::{Arguments, PmClient};
use crate::error::{Code, Error, Result};
use crate::read_output::PmReadOutputBudgetExceeded;
use crate::rows::Row;

/// A page of rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// How many there are in all, where the answer counts them.
    pub total: Option<u64>,
    /// Where the next page begins; none on the last one.
    pub next_cursor: Option<String>,
    /// What stands in the place of a result that the budget did not hold.
    pub omission: Option<PmReadOutputBudgetExceeded>,
    /// The whole answer.
    pub envelope: Value,
}

impl<R: Row> Page<R> {
    /// Reads the rows of an answer; an answer without that collection has none.
    ///
    /// Errors: `invalid_argument_value` for rows of another kind, such as those from which the identity was left out.
    pub fn of(envelope: Value) -> Result<Page<R>> {
        let found = R::PATH.split('.').try_fold(&envelope, |value, key| value.get(key));
        let rows: Vec<Value> = match found {
            Some(Value::Array(rows)) => rows.clone(),
            Some(Value::Object(row)) if !row.is_empty() => vec![Value::Object(row.clone())],
            _ => Vec::new(),
        };
        let read = |row: Value| {
            // What a session left out of a row is told by its reference.
            serde_json::from_value(row).map_err(|cause| {
                let message = format!("a row of `{}` is no {}", R::PATH, std::any::type_name::<R>());
                Error::new(Code::InvalidArgumentValue, message).because(cause)
            })
        };
        Ok(Page {
            rows: rows.into_iter().map(read).collect::<Result<_>>()?,
            total: envelope.get("total").and_then(Value::as_u64),
            next_cursor: envelope.get("next_cursor").and_then(Value::as_str).map(str::to_owned),
            omission: PmReadOutputBudgetExceeded::of(&envelope),
            envelope,
        })
    }
}

/// The pages of a read, one after the other.
#[derive(Clone, Debug)]
pub struct Pages<'c, R> {
    client: &'c PmClient,
    arguments: Arguments,
    ended: bool,
    row: std::marker::PhantomData<fn() -> R>,
}

impl<R: Row> Iterator for Pages<'_, R> {
    type Item = Result<Page<R>>;

    fn next(&mut self) -> Option<Result<Page<R>>> {
        if self.ended {
            return None;
        }
        let page = self.client.page::<R>(self.arguments.clone());
        match page.as_ref().ok().and_then(|page| page.next_cursor.clone()) {
            Some(cursor) => self.arguments = std::mem::take(&mut self.arguments).with("outputCursor", cursor),
            None => self.ended = true,
        }
        Some(page)
    }
}

impl PmClient {
    /// The rows of a read surface, typed.
    ///
    /// Errors: those of the command; `invalid_argument_value` when the rows are not of this kind.
    pub fn page<R: Row>(&self, arguments: impl Into<Arguments>) -> Result<Page<R>> {
        self.call(R::COMMAND, arguments).and_then(Page::of)
    }

    /// The same page by page, until there are no more.
    ///
    /// ```
    /// use pm::client::PmClient;
    /// use pm::read_output::ReadOutputOptions;
    /// use pm::rows::ItemRow;
    ///
    /// # fn main() -> pm::error::Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("pm-doc-pages-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).ok();
    /// let pm = PmClient::new(&folder).author("alice");
    /// pm.run(["init"])?;
    /// for title in ["First", "Second", "Third"] {
    ///     pm.create(title, [])?;
    /// }
    /// let mut titles = Vec::new();
    /// for page in pm.pages::<ItemRow>(ReadOutputOptions::new().limit(2)) {
    ///     titles.extend(page?.rows.into_iter().filter_map(|row| row.title));
    /// }
    /// assert_eq!(titles.len(), 3);
    /// # std::fs::remove_dir_all(&folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages<R: Row>(&self, arguments: impl Into<Arguments>) -> Pages<'_, R> {
        Pages { client: self, arguments: arguments.into(), ended: false, row: std::marker::PhantomData }
    }
}
