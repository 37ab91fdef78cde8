//! The intermediate representation as data: what listeners, routes and destinations the inputs became.
