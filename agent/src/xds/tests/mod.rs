//! Tests of the protocol by plain calls: each test states one rule.

mod authentication;
mod delta;
mod model;
mod ordering;
mod sotw;
