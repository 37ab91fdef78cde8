//! Which objects are meant: `TYPE/NAME`, `TYPE NAME`, `-n`, `-A`, `-l`.

use clap::Args;
use gateway_shared::explain::question::Kind;

/// The namespace flags.
#[derive(Clone, Debug, Default, Args)]
pub struct Namespace {
    /// The namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
}

/// Kinds, and maybe names of objects of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The kind.
    pub kind: Kind,
    /// The name; none means every object of the kind.
    pub name: Option<String>,
}

/// Reads `TYPE/NAME…`, `TYPE NAME…`, `TYPE,TYPE`, each with commas where kubectl takes them.
///
/// # Errors
/// What can't be read, and what could be written instead.
pub fn targets(words: &[String]) -> Result<Vec<Target>, String> {
    let mut targets = Vec::new();
    let Some((first, rest)) = words.split_first() else { return Ok(targets) };
    if first.contains('/') {
        for word in words.iter().flat_map(|word| word.split(',')) {
            let Some((kind, name)) = word.split_once('/') else {
                return Err(format!("`{word}` has no name; write every object as TYPE/NAME"));
            };
            if name.is_empty() || name.contains('/') {
                return Err(format!("`{word}` is no TYPE/NAME; the namespace goes into -n"));
            }
            targets.push(Target { kind: self::kind(kind)?, name: Some(name.to_owned()) });
        }
        return Ok(targets);
    }
    for kind in first.split(',') {
        let kind = self::kind(kind)?;
        let names = rest.iter().flat_map(|word| word.split(',')).filter(|name| !name.is_empty());
        let before = targets.len();
        for name in names {
            if name.contains('/') {
                return Err(format!("`{first}` stands alone, so `{name}` has to be a name without a type"));
            }
            targets.push(Target { kind, name: Some(name.to_owned()) });
        }
        if targets.len() == before {
            targets.push(Target { kind, name: None });
        }
    }
    Ok(targets)
}

/// The kind that `word` means.
fn kind(word: &str) -> Result<Kind, String> {
    Kind::parse(word).ok_or_else(|| {
        let known: Vec<String> = Kind::ALL.iter().map(|kind| kind.kind().to_lowercase()).collect();
        format!("`{word}` is no type that can be asked about; use one of {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match targets(&words) {
            Ok(targets) => {
                let name = |target: &Target| target.name.clone().unwrap_or_else(|| "*".to_owned());
                targets.iter().map(|t| format!("{}:{}", t.kind.kind(), name(t))).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error,
        }
    }

    #[test]
    fn objects_are_named_as_kubectl_names_them() {
        assert_eq!(read(&["httproute/a"]), "HTTPRoute:a");
        assert_eq!(read(&["httproute", "a", "b"]), "HTTPRoute:a HTTPRoute:b");
        assert_eq!(read(&["httproute", "a,b"]), "HTTPRoute:a HTTPRoute:b");
        assert_eq!(read(&["httproute/a,gtw/b"]), "HTTPRoute:a Gateway:b");
        assert_eq!(read(&["gateways,gc"]), "Gateway:* GatewayClass:*");
        assert!(read(&["pod/a"]).contains("use one of gatewayclass, gateway, httproute, tlsroute, tcproute, udproute"));
        assert!(read(&["httproute/a/b"]).contains("-n"));
        assert!(read(&["httproute/"]).contains("is no TYPE/NAME"));
    }
}
