//! Forms of texts and numbers, for the schemas of fields that are plain text or numbers in Rust.
//!
//! `#[schemars(with = "Group")]` says that a field, optional or not, has the form of an API group.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Defines types that exist for their schema alone.
macro_rules! forms {
    ($($(#[$meta:meta])* $name:ident = $schema:tt;)+) => {
        $(
            $(#[$meta])*
            pub(crate) enum $name {}

            impl JsonSchema for $name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }
        )+
    };
}

forms! {
    /// The name of an object.
    ObjectName = {"type": "string", "minLength": 1, "maxLength": 253};

    /// An API group; empty for the core group.
    Group = {
        "type": "string",
        "maxLength": 253,
        "pattern": r"^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
    };

    /// A kind of object.
    Kind = {
        "type": "string",
        "minLength": 1,
        "maxLength": 63,
        "pattern": "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$"
    };

    /// The name of a namespace.
    NamespaceName = {
        "type": "string",
        "minLength": 1,
        "maxLength": 63,
        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
    };

    /// A name with the form of a DNS name: of a host without wildcard, or of a section of an object.
    DnsName = {
        "type": "string",
        "minLength": 1,
        "maxLength": 253,
        "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
    };

    /// The name of a dynamic module.
    ModuleName = {
        "type": "string",
        "minLength": 1,
        "maxLength": 253,
        "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"
    };

    /// The name of an HTTP header.
    HeaderName = {
        "type": "string",
        "minLength": 1,
        "maxLength": 256,
        "pattern": r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$"
    };

    /// An HTTP status.
    HttpStatus = {"type": "integer", "minimum": 100, "maximum": 599};

    /// An HTTP status that tells of an error.
    ErrorStatus = {
        "type": "integer",
        "format": "int32",
        "enum": [
            400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416,
            417, 421, 422, 423, 424, 426, 428, 429, 431, 500, 501, 502, 503, 504, 505, 506, 507,
            508, 510, 511
        ]
    };

    /// An IP address.
    IpAddress = {
        "type": "string",
        "minLength": 3,
        "maxLength": 45,
        "pattern": concat!(
            r"^((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$|",
            r"^(([0-9a-fA-F]{1,4}:){1,7}[0-9a-fA-F]{1,4}|::|(([0-9a-fA-F]{1,4}:){0,5})?(:[0-9a-fA-F]{1,4}){1,2})$"
        )
    };

    /// A range of IP addresses.
    Cidr = {
        "type": "string",
        "pattern": concat!(
            r"((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.",
            r"(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\/([0-9]+))|",
            r"((([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|",
            r"([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|",
            r"([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|",
            r"([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|",
            r":((:[0-9a-fA-F]{1,4}){1,7}|:)|fe80:(:[0-9a-fA-F]{0,4}){0,4}%[0-9a-zA-Z]{1,}|",
            r"::(ffff(:0{1,4}){0,1}:){0,1}((25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])\.){3,3}",
            r"(25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])|",
            r"([0-9a-fA-F]{1,4}:){1,4}:((25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9])\.){3,3}",
            r"(25[0-5]|(2[0-4]|1{0,1}[0-9]){0,1}[0-9]))\/([0-9]+))"
        )
    };

    /// A web origin; `*` stands for all, or for a label of the host.
    Origin = {
        "type": "string",
        "minLength": 1,
        "maxLength": 253,
        "pattern": r"^(\*|[A-Za-z][A-Za-z0-9+.-]*:\/\/(\*|(\*\.)?(([\w-]+\.?)+)?[\w-]+)(:\d{1,5})?)$"
    };
}

/// An amount of bytes: a whole number, not 0.
pub(crate) enum Bytes {}

impl JsonSchema for Bytes {
    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = crate::api::quantity::Quantity::json_schema(generator);
        schema.insert("pattern".to_owned(), "^[1-9]+[0-9]*([EPTGMK]i|[EPTGMk])?$".into());
        schema
    }
}
