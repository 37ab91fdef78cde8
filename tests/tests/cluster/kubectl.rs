//! kubectl, as people type it.

use std::process::Stdio;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// kubectl with a kubeconfig: the cluster administrator's, or another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kubectl {
    kubeconfig: Option<std::path::PathBuf>,
}

/// What a command said.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Its exit code.
    pub(crate) code: i32,
    /// On stdout.
    pub(crate) out: String,
    /// On stderr.
    pub(crate) err: String,
}

impl Kubectl {
    /// With another kubeconfig than the administrator's.
    pub(crate) const fn with(kubeconfig: std::path::PathBuf) -> Self {
        Self { kubeconfig: Some(kubeconfig) }
    }

    /// Runs it, whatever comes of it.
    pub(crate) async fn say(&self, words: &[&str]) -> anyhow::Result<Said> {
        self.say_with(words, "").await
    }

    /// Runs it with that on stdin, whatever comes of it.
    pub(crate) async fn say_with(&self, words: &[&str], stdin: &str) -> anyhow::Result<Said> {
        let mut command = Command::new("kubectl");
        command.args(words).kill_on_drop(true).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(kubeconfig) = &self.kubeconfig {
            command.env("KUBECONFIG", kubeconfig);
        }
        let mut child = command.spawn().context("start kubectl")?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(stdin.as_bytes()).await.context("write kubectl's stdin")?;
        }
        let output = child.wait_with_output().await.context("run kubectl")?;
        Ok(Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs it and gives what it prints.
    pub(crate) async fn run(&self, words: &[&str]) -> anyhow::Result<String> {
        let said = self.say(words).await?;
        ensure!(said.code == 0, "kubectl {} exited with {}: {}{}", words.join(" "), said.code, said.out, said.err);
        Ok(said.out)
    }

    /// An object, or a list, as JSON.
    pub(crate) async fn get(&self, words: &[&str]) -> anyhow::Result<Value> {
        let mut all = vec!["get"];
        all.extend(words);
        all.extend(["-o", "json"]);
        serde_json::from_str(&self.run(&all).await?).context("kubectl printed no JSON")
    }

    /// The items of a list.
    pub(crate) async fn list(&self, words: &[&str]) -> anyhow::Result<Vec<Value>> {
        let mut list = self.get(words).await?;
        Ok(list.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default())
    }

    /// Applies documents.
    pub(crate) async fn apply(&self, documents: &[&str]) -> anyhow::Result<()> {
        let said = self.say_with(&["apply", "-f", "-"], &documents.join("\n---\n")).await?;
        ensure!(said.code == 0, "kubectl apply exited with {}: {}", said.code, said.err);
        Ok(())
    }
}
