//! The backend of the quick start as a program.

use std::net::SocketAddr;

use clap::Parser;

/// A small HTTP server that answers with what it was asked.
#[derive(Debug, Parser)]
struct Args {
    /// What it calls itself.
    #[arg(long, default_value = "echo")]
    name: String,

    /// Where it listens.
    #[arg(long, default_value = "127.0.0.1:3001")]
    address: SocketAddr,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Args { name, address } = Args::parse();
    let listener = tokio::net::TcpListener::bind(address).await?;
    gateway_tests::echo::serve(listener, name).await?;
    Ok(())
}
