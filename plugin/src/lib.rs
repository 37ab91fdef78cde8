//! The kubectl plugin as a library, so that tests can call its commands.
