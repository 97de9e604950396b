//! Full-text search: words, questions, postings, scores, snippets (surfaces.md §5, product.md §4).

pub(crate) mod builder;
pub(crate) mod corpus;
pub(crate) mod document;
pub(crate) mod excerpt;
pub(crate) mod question;
pub(crate) mod score;
pub(crate) mod segment;
pub(crate) mod spelling;
pub(crate) mod words;
