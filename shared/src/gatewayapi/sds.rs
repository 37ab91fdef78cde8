//! Secrets that stand for a secret of an SDS server: its name there, and the socket the server listens on.

use crate::api::secret::Secret;
use crate::ir::tls::SdsConfig;

/// The type of such a Secret.
pub(super) const SDS_SECRET_TYPE: &str = "gateway.envoyproxy.io/sds";

/// Reads one.
///
/// # Errors
/// What is wrong with it.
pub(super) fn config(secret: &Secret) -> Result<SdsConfig, String> {
    let text = |key: &str| {
        let value = secret.value(key).filter(|value| !value.is_empty());
        value.map(|value| String::from_utf8_lossy(value).into_owned()).ok_or_else(|| format!("has no {key:?}"))
    };
    let (secret_name, url) = (text("secretName")?, text("url")?);
    let address = socket(&url)
        .ok_or_else(|| format!("has the url {url:?}; write it as unix:///path/to/socket or unix://./path/to/socket"))?;
    Ok(SdsConfig { secret_name, scheme: "unix".to_owned(), address: address.to_owned() })
}

/// The path of a `unix:` URL: absolute, or relative when it begins with a dot.
fn socket(url: &str) -> Option<&str> {
    let path = url.strip_prefix("unix:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    (path.starts_with('/') || path == "." || path.starts_with("./")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<String, String> {
        let mut secret = Secret::default();
        secret.string_data.insert("secretName".to_owned(), "web".to_owned());
        secret.string_data.insert("url".to_owned(), url.to_owned());
        config(&secret).map(|config| config.address)
    }

    #[test]
    fn only_sockets_of_this_host_are_taken() {
        assert_eq!(read("unix:///run/sds.sock").unwrap(), "/run/sds.sock");
        assert_eq!(read("unix://./sds.sock").unwrap(), "./sds.sock");
        for url in ["http://sds:80", "unix://host/sds.sock", "sds.sock"] {
            assert!(read(url).unwrap_err().contains(url), "{url}");
        }
        assert_eq!(read("").unwrap_err(), "has no \"url\"");
    }
}
