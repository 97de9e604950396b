//! The only input and output: paths, locks, atomic writes, history streams, the index.
