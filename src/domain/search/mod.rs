//! Full-text search: words, questions, postings, scores, snippets (surfaces.md §5, product.md §4).

pub(crate) mod builder;
pub(crate) mod document;
pub(crate) mod question;
pub(crate) mod segment;
pub(crate) mod words;
