//! One file per command; this list is all that ties them together.
