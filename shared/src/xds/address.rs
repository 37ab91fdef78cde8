//! Socket addresses of listeners and endpoints.

use super::pb::core::{Address, Pipe, SocketAddress, address, socket_address};
use super::problem::Invalid;

/// A socket of this protocol; Envoy takes no empty address and no port above 65535.
pub(super) fn socket(
    protocol: socket_address::Protocol,
    host: &str,
    port: u32,
    ipv4_compat: bool,
) -> Result<Address, Invalid> {
    if host.is_empty() {
        return Err(Invalid::new("address", "the address is empty; give it an IP address or a name"));
    }
    if port > u32::from(u16::MAX) {
        return Err(Invalid::new("address", format!("port {port} is above 65535")));
    }
    Ok(Address {
        address: Some(address::Address::SocketAddress(SocketAddress {
            protocol: protocol.into(),
            address: host.to_owned(),
            ipv4_compat,
            port_specifier: Some(socket_address::PortSpecifier::PortValue(port)),
            ..SocketAddress::default()
        })),
    })
}

/// A Unix domain socket.
pub(super) fn pipe(path: &str) -> Result<Address, Invalid> {
    if path.is_empty() {
        return Err(Invalid::new("address", "the path of the Unix domain socket is empty"));
    }
    Ok(Address { address: Some(address::Address::Pipe(Pipe { path: path.to_owned(), ..Pipe::default() })) })
}
