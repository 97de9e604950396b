//! Full-text search: words, questions, postings, scores, snippets (surfaces.md §5, product.md §4).

pub(crate) mod words;
