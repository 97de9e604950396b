//! All tests of the binary and the library, in one test binary.
