//! Reports about trackers of this kind, each retold as a case and held as a test. The names begin with the number of
//! the case.

mod concurrency;
mod interfaces;
mod loss;
pub(crate) mod repository;
mod surroundings;
mod work;
