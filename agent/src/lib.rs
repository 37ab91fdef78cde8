//! The daemon as a library, so that tests can run all of it in one process.
