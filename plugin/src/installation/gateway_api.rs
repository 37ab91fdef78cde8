//! The Gateway API's own definitions: from its release, a file or a URL.

use std::path::Path;
use std::time::Duration;

use gateway_shared::install::{InstallKind, InstallObject, MANAGED_BY, MANAGER, Step};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde::Deserialize as _;
use serde_json::Value;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::http::{Request, StatusCode, Uri};

use super::checks::version::{self, Version};
use crate::args::install::Channel;
use crate::exit::{Exit, Failure};
use crate::input::{Reader, SourceFile};

/// The version that is installed where nothing else is said.
pub const VERSION: &str = "v1.6.1";

/// The most bytes of a release: it has 1 MiB.
const LIMIT: usize = 32 << 20;

/// Where the definitions come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nowhere: they are left alone.
    None,
    /// The release of this channel.
    Release(Channel),
    /// This URL.
    Url(String),
    /// This file.
    File(String),
}

/// The definitions, as far as they are known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// Where they come from.
    pub source: Source,
    /// The objects: none before a release is fetched.
    pub objects: Vec<InstallObject>,
}

impl Source {
    /// What a flag means.
    #[must_use]
    pub fn of(flag: Option<&str>, channel: Channel) -> Self {
        match flag {
            None => Self::Release(channel),
            Some("none") => Self::None,
            Some(url) if url.starts_with("https://") || url.starts_with("http://") => Self::Url(url.to_owned()),
            Some(file) => Self::File(file.to_owned()),
        }
    }
}

impl Bundle {
    /// What is known without the network.
    ///
    /// # Errors
    /// When the file can't be read or holds something else.
    pub fn new(source: Source, reader: &mut Reader<'_>) -> Result<Self, Failure> {
        let objects = match &source {
            Source::File(path) => {
                let mut objects = Vec::new();
                for file in reader.all(&[Path::new(path).to_path_buf()])? {
                    objects.extend(objects_in(&file)?);
                }
                objects
            }
            _ => Vec::new(),
        };
        Ok(Self { source, objects })
    }

    /// The address of a release.
    #[must_use]
    pub fn release_url(channel: Channel) -> String {
        let channel = match channel {
            Channel::Standard => "standard",
            Channel::Experimental => "experimental",
        };
        format!("https://github.com/kubernetes-sigs/gateway-api/releases/download/{VERSION}/{channel}-install.yaml")
    }

    /// The address they come from over the network.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        match &self.source {
            Source::Release(channel) => Some(Self::release_url(*channel)),
            Source::Url(url) => Some(url.clone()),
            Source::None | Source::File(_) => None,
        }
    }

    /// Whether they are applied: what is there is kept unless the user names something.
    #[must_use]
    pub fn applied(&self, there: bool) -> bool {
        match self.source {
            Source::None => false,
            Source::Release(_) => !there,
            Source::Url(_) | Source::File(_) => true,
        }
    }

    /// Gets them over the network if that is where they are.
    ///
    /// # Errors
    /// When they can't be had, or are something else.
    pub async fn fetched(mut self) -> Result<Self, Failure> {
        let Some(url) = self.url() else { return Ok(self) };
        self.objects = objects_in(&SourceFile { text: fetch(&url).await?, name: url })?;
        Ok(self)
    }

    /// How messages call them.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.source {
            Source::None => "nothing".to_owned(),
            Source::Release(channel) => {
                let channel = match channel {
                    Channel::Standard => "standard",
                    Channel::Experimental => "experimental",
                };
                format!("{} {channel}", VERSION.trim_start_matches('v'))
            }
            Source::Url(from) | Source::File(from) => match self.version_text() {
                Some(version) => format!("{} of {from}", version.trim_start_matches('v')),
                None => from.clone(),
            },
        }
    }

    /// The version of the definitions.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        version::version(self.version_text()?)
    }

    fn version_text(&self) -> Option<&str> {
        if let Source::Release(_) = self.source {
            return Some(VERSION);
        }
        self.annotation("gateway.networking.k8s.io/bundle-version")
    }

    /// The release channel of the definitions.
    #[must_use]
    pub fn channel(&self) -> Option<Channel> {
        match (&self.source, self.annotation("gateway.networking.k8s.io/channel")) {
            (Source::Release(channel), _) => Some(*channel),
            (_, Some("experimental")) => Some(Channel::Experimental),
            (_, Some("standard")) => Some(Channel::Standard),
            _ => None,
        }
    }

    /// What the definitions are annotated with.
    fn annotation(&self, name: &str) -> Option<&str> {
        self.definitions().find_map(|object| object.content.get("metadata")?.get("annotations")?.get(name)?.as_str())
    }

    /// The definitions among the objects.
    pub fn definitions(&self) -> impl Iterator<Item = &InstallObject> {
        self.objects.iter().filter(|object| object.kind == InstallKind::CustomResourceDefinition)
    }
}

/// The objects in a file, marked as installed by us.
fn objects_in(file: &SourceFile) -> Result<Vec<InstallObject>, Failure> {
    let bad = |message: String| Failure::new(Exit::BadInput, format!("{}: {message}", file.name));
    let mut objects = Vec::new();
    for document in serde_yaml::Deserializer::from_str(&file.text) {
        let mut content =
            Value::deserialize(document).map_err(|error| bad(format!("no definitions of the Gateway API: {error}")))?;
        if content.is_null() {
            continue;
        }
        let text = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
        let allowed = [
            InstallKind::CustomResourceDefinition,
            InstallKind::ValidatingAdmissionPolicy,
            InstallKind::ValidatingAdmissionPolicyBinding,
        ];
        let kind = InstallKind::of(text("apiVersion"), text("kind")).filter(|kind| allowed.contains(kind));
        let Some(kind) = kind else {
            return Err(bad(format!(
                "a `{}` `{}` is not one of the Gateway API's definitions, so nothing of the file was applied",
                text("apiVersion"),
                text("kind")
            )));
        };
        if let Some(Value::Object(metadata)) = content.get_mut("metadata") {
            metadata.remove("creationTimestamp");
        }
        if let Value::Object(content) = &mut content {
            content.remove("status");
        }
        objects.push(InstallObject::new(Step::Definitions, kind, content).labelled(MANAGED_BY, MANAGER));
    }
    // The policy forbids an experimental channel over a standard one: it comes after what it judges.
    objects.sort_by_key(|object| object.kind != InstallKind::CustomResourceDefinition);
    if objects.is_empty() {
        return Err(bad("there is nothing in it".to_owned()));
    }
    Ok(objects)
}

/// The text at `url`, through a few redirections.
async fn fetch(url: &str) -> Result<String, Failure> {
    const REDIRECTIONS: usize = 5;
    let failed = |why: String| {
        Failure::new(Exit::Undetermined, format!("{url} can't be fetched: {why}"))
            .hint("get it on a machine that can, and name the file: --gateway-api-crds=FILE")
    };
    let asked = async {
        let mut at: Uri = url.parse().map_err(|_| failed("it is no URL".to_owned()))?;
        for _ in 0..REDIRECTIONS {
            let path = at.path_and_query().map_or("/", |path| path.as_str()).to_owned();
            let mut root = at.clone().into_parts();
            root.path_and_query = Some(PathAndQuery::from_static("/"));
            let root = Uri::from_parts(root).map_err(|_| failed("it is no URL".to_owned()))?;
            let client = kube::Client::try_from(kube::Config::new(root))
                .map_err(|error| failed(crate::cluster::causes(&error)))?;
            let request = Request::get(path).body(Body::empty()).map_err(|error| failed(error.to_string()))?;
            let answer = client.send(request).await.map_err(|error| failed(crate::cluster::causes(&error)))?;
            let next = answer.headers().get("location").and_then(|place| place.to_str().ok()?.parse::<Uri>().ok());
            match (answer.status(), next) {
                (StatusCode::OK, _) => {
                    let body = http_body_util::Limited::new(answer.into_body(), LIMIT);
                    let bytes = body.collect().await.map_err(|error| failed(error.to_string()))?.to_bytes();
                    return String::from_utf8(bytes.to_vec()).map_err(|_| failed("it is no text".to_owned()));
                }
                (status, Some(next)) if status.is_redirection() => at = next,
                (status, _) => return Err(failed(format!("the answer was {status}"))),
            }
        }
        Err(failed("it leads from place to place".to_owned()))
    };
    tokio::time::timeout(Duration::from_secs(60), asked)
        .await
        .unwrap_or_else(|_| Err(failed("no answer within 60 s".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a.gateway.networking.k8s.io\n  annotations: {gateway.networking.k8s.io/bundle-version: v1.5.0}\nspec: {group: gateway.networking.k8s.io}\n";

    fn file(text: &str) -> SourceFile {
        SourceFile { name: "f.yaml".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_file_holds_definitions_and_nothing_else() {
        let objects = objects_in(&file(&format!("# only words\n---\n{CRD}"))).unwrap();
        let bundle = Bundle { source: Source::File("f.yaml".to_owned()), objects };
        assert_eq!(bundle.version(), Some(Version(1, 5, 0, true)));
        assert_eq!(bundle.words(), "1.5.0 of f.yaml");
        let secret = format!("{CRD}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: x}}\n");
        let failure = objects_in(&file(&secret)).unwrap_err().to_string();
        assert!(failure.contains("f.yaml: a `v1` `Secret` is not one"), "{failure}");
        assert!(objects_in(&file("")).is_err());
    }

    #[test]
    fn what_is_there_is_kept_unless_something_is_named() {
        let bundle = |flag| Bundle { source: Source::of(flag, Channel::Standard), objects: Vec::new() };
        assert!(bundle(None).applied(false) && !bundle(None).applied(true));
        assert!(!bundle(Some("none")).applied(false));
        assert!(bundle(Some("crds.yaml")).applied(true) && bundle(Some("https://x/y")).applied(true));
    }
}
