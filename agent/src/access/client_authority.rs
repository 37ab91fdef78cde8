//! The authority whose client certificates the API server takes: published for those who extend it.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::tls::material::{Peers, certificates};

/// Where the API server publishes it.
const CONFIG_MAP: (&str, &str) = ("kube-system", "extension-apiserver-authentication");

/// Under which key.
const KEY: &str = "client-ca-file";

/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// Follows the authority until `stop`. Nobody's certificate is asked for before it is known, or where we may not know it.
pub fn follow(
    client: Client,
    stop: CancellationToken,
) -> (watch::Receiver<Peers>, impl Future<Output = ()> + Send + 'static) {
    let (known, peers) = watch::channel(Peers::Anyone);
    let follow = async move {
        let maps: Api<ConfigMap> = Api::namespaced(client, CONFIG_MAP.0);
        let mut said = false;
        loop {
            match maps.get(CONFIG_MAP.1).await.map_err(told).and_then(read) {
                Ok(peers) => {
                    known.send_if_modified(|before| {
                        let differs = *before != peers;
                        *before = peers;
                        differs
                    });
                    said = false;
                }
                Err(why) if !said => {
                    said = true;
                    tracing::info!(
                        "users of `kubectl gateway` with client certificates can't be told apart, since the ConfigMap \
                         {}/{} can't be used: {why}",
                        CONFIG_MAP.0,
                        CONFIG_MAP.1
                    );
                }
                Err(_) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    };
    (peers, follow)
}

fn told(error: kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

fn read(map: ConfigMap) -> Result<Peers, String> {
    let text = map.data.unwrap_or_default().remove(KEY).ok_or_else(|| format!("it has no {KEY}"))?;
    Ok(Peers::MayBeKnownTo(Arc::new(certificates(text.as_bytes()).map_err(|why| format!("{KEY}: {why}"))?)))
}
