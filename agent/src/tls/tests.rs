//! Real handshakes over loopback: who gets in, what a peer can't do, and certificates that change.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_stream::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tonic::transport::server::Connected as _;

use super::incoming::{OPENINGS, incoming, open};
use super::material::{Peers, certificates, keep_fresh};
use crate::certificates::authority::{Fresh, Holder, Pair, Place};

fn fresh() -> Fresh {
    let place = Place { namespace: "eg".into(), dns_domain: "cluster.local".into(), local: false };
    Fresh::make(&place, SystemTime::now()).unwrap()
}

fn write(directory: &Path, pair: &Pair, authorities: &str) {
    std::fs::write(directory.join("tls.crt"), &pair.certificate).unwrap();
    std::fs::write(directory.join("tls.key"), &pair.key).unwrap();
    std::fs::write(directory.join("ca.crt"), authorities).unwrap();
}

/// Connects as the holder of `pair`, trusting `authority`, and waits for the greeting of the server.
async fn call(server: SocketAddr, pair: Option<&Pair>, authority: &str) -> Result<String, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates(authority.as_bytes())?);
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots);
    let mut config = match pair {
        Some(Pair { certificate, key }) => {
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| error.to_string())?;
            builder.with_client_auth_cert(certificates(certificate.as_bytes())?, key).map_err(|it| it.to_string())?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = TcpStream::connect(server).await.map_err(|error| error.to_string())?;
    let name = ServerName::try_from("envoy-gateway").map_err(|error| error.to_string())?;
    let connector = TlsConnector::from(Arc::new(config));
    let mut stream = connector.connect(name, stream).await.map_err(|error| error.to_string())?;
    let mut greeting = String::new();
    stream.read_to_string(&mut greeting).await.map_err(|error| error.to_string())?;
    Ok(greeting)
}

/// A server that tells everybody whether they showed a certificate.
async fn server(directory: &Path, peers: Peers, stop: &CancellationToken) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (current, refresh) = keep_fresh(directory.to_path_buf(), watch::channel(peers).1, stop.clone()).unwrap();
    tokio::spawn(refresh);
    let failures = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&failures);
    let failed = move || {
        count.fetch_add(1, Ordering::SeqCst);
    };
    let mut connections = incoming(listener, open(current), failed, stop.clone());
    tokio::spawn(async move {
        while let Some(Ok(mut connection)) = connections.next().await {
            let known = connection.connect_info().certificate.is_some();
            connection.write_all(if known { b"known" } else { b"unknown" }).await.unwrap();
            connection.shutdown().await.unwrap();
        }
    });
    (address, failures)
}

#[tokio::test]
async fn only_holders_of_a_certificate_get_in_and_nobody_stops_the_others() {
    let (ours, foreign) = (fresh(), fresh());
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &ours.server, &ours.authority);
    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    let (address, failures) = server(directory.path(), Peers::OfOurAuthority, &stop).await;
    // One that says nothing holds up nobody.
    let silent = TcpStream::connect(address).await.unwrap();
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(call(address, None, &ours.authority).await.is_err());
    assert!(call(address, Some(&foreign.proxy), &ours.authority).await.is_err());
    assert_eq!(call(address, Some(&ours.proxy), &ours.authority).await.as_deref(), Ok("known"));
    assert_eq!(failures.load(Ordering::SeqCst), 3);
    drop(silent);
}

#[tokio::test]
async fn however_many_say_nothing_the_next_one_gets_in_at_once() {
    let ours = fresh();
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &ours.server, &ours.authority);
    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    let (address, failures) = server(directory.path(), Peers::OfOurAuthority, &stop).await;
    let mut silent = Vec::new();
    for _ in 0..OPENINGS + 10 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let called = tokio::time::timeout(Duration::from_secs(5), call(address, Some(&ours.proxy), &ours.authority)).await;
    assert_eq!(called.unwrap().as_deref(), Ok("known"));
    // The oldest made room for the last ten and the one that called.
    assert_eq!(failures.load(Ordering::SeqCst), 11);
}

#[tokio::test]
async fn a_certificate_that_may_be_shown_need_not_be() {
    let (ours, callers) = (fresh(), fresh());
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &ours.server, &ours.authority);
    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    let known = Peers::MayBeKnownTo(Arc::new(certificates(callers.authority.as_bytes()).unwrap()));
    let (address, _) = server(directory.path(), known, &stop).await;
    assert_eq!(call(address, None, &ours.authority).await.as_deref(), Ok("unknown"));
    assert_eq!(call(address, Some(&callers.proxy), &ours.authority).await.as_deref(), Ok("known"));
    assert!(call(address, Some(&ours.proxy), &ours.authority).await.is_err(), "of an authority nobody asked for");
}

#[tokio::test]
async fn files_that_change_are_taken_up_and_broken_ones_are_not() {
    let (old, new) = (fresh(), fresh());
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &old.server, &old.authority);
    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    let (address, _) = server(directory.path(), Peers::OfOurAuthority, &stop).await;
    write(directory.path(), &Pair { key: "broken".into(), ..new.server.clone() }, &new.authority);
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(call(address, Some(&old.proxy), &old.authority).await.as_deref(), Ok("known"));
    write(directory.path(), &new.server, &format!("{}{}", new.authority, old.authority));
    let taken_up = async {
        while call(address, Some(&old.proxy), &new.authority).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), taken_up).await.unwrap();
    assert_eq!(call(address, Some(new.pair(Holder::Proxy)), &new.authority).await.as_deref(), Ok("known"));
}
