//! The API the plugin asks: questions about the last translation and what became of it.

use std::pin::Pin;
use std::sync::Arc;

use gateway_shared::api::metadata::ObjectKey;
use gateway_shared::explain::evidence::LiveEvidence;
use gateway_shared::explain::explain;
use gateway_shared::explain::facts::{Facts, FileFault, Sources};
use gateway_shared::explain::nameable::Nameable;
use gateway_shared::explain::question::{Kind, Question};
use gateway_shared::explain::report::API_VERSION;
use gateway_shared::explain::status::{self, Filter, LabelTerm};
use gateway_shared::proto::v1::agent_server::{Agent, AgentServer};
use gateway_shared::proto::v1::{
    DumpRequest, DumpedResource, ExplainRequest, ExplainResponse, StatusRequest, StatusResponse, Target,
    VersionRequest, VersionResponse,
};
use gateway_shared::xds::json::to_json;
use gateway_shared::xds::table::ResourceType;
use tokio_stream::Stream;
use tonic::{Request, Response, Status};

use crate::access::rights::Right;
use crate::access::{Access, Visitor, listing, naming};
use crate::evidence::Witnesses;
use crate::provider::Loaded;
use crate::translation::{Latest, Translated};

/// The service.
#[derive(Clone, Debug)]
pub struct ExplainService {
    /// The last translation.
    pub latest: Latest,
    /// Who knows what became of it.
    pub witnesses: Witnesses,
    /// Who may ask.
    pub access: Access,
}

/// Everything an answer is made from, at one moment.
struct Moment {
    translated: Arc<Translated>,
    sources: Sources,
    live: LiveEvidence,
}

impl Moment {
    fn facts(&self) -> Facts<'_> {
        Facts::new(&self.translated.outcome, &self.sources, Some(&self.live))
    }
}

impl ExplainService {
    /// The service as tonic takes it.
    #[must_use]
    pub fn into_server(self) -> AgentServer<Self> {
        AgentServer::new(self)
    }

    /// Who sent `request`, and what it asks.
    async fn receive<T>(&self, request: Request<T>) -> Result<(Visitor, T), Status> {
        let (metadata, extensions, asked) = request.into_parts();
        Ok((self.access.visitor(&metadata, &extensions).await?, asked))
    }

    async fn moment(&self) -> Result<Moment, Status> {
        let translated = self
            .latest
            .load_full()
            .ok_or_else(|| Status::unavailable("the agent has not translated anything yet; ask again in a moment"))?;
        let live = self.witnesses.gather(&translated.outcome).await;
        let sources = sources(&translated.loaded);
        Ok(Moment { translated, sources, live })
    }

    /// Makes an answer away from the threads that serve: it may take a while for many objects.
    async fn answer<T: Send + 'static>(
        &self,
        nameable: Nameable,
        make: impl FnOnce(&Facts<'_>) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let moment = self.moment().await?;
        tokio::task::spawn_blocking(move || make(&moment.facts().naming(nameable)))
            .await
            .map_err(|broken| Status::internal(format!("the answer broke off: {broken}")))?
    }
}

#[tonic::async_trait]
impl Agent for ExplainService {
    async fn explain(&self, request: Request<ExplainRequest>) -> Result<Response<ExplainResponse>, Status> {
        let (visitor, ExplainRequest { targets, all }) = self.receive(request).await?;
        let questions = targets.iter().map(|target| question(target, all)).collect::<Result<Vec<_>, _>>()?;
        for Question { kind, key, all: _ } in &questions {
            visitor.needs(&Right::get(*kind, &key.namespace, &key.name)).await?;
        }
        let nameable = naming::nameable(&visitor, &questions).await?;
        let reports = self.answer(nameable, move |facts| {
            let reports = questions.iter().map(|question| json(&explain(question, facts)));
            reports.collect::<Result<_, _>>()
        });
        Ok(Response::new(ExplainResponse { reports: reports.await? }))
    }

    async fn status(&self, request: Request<StatusRequest>) -> Result<Response<StatusResponse>, Status> {
        let (visitor, StatusRequest { targets, namespace, selector }) = self.receive(request).await?;
        let objects = targets.iter().map(|target| Ok((kind(target)?, target.name.clone())));
        let filter = Filter {
            objects: objects.collect::<Result<_, Status>>()?,
            namespace,
            labels: LabelTerm::parse_all(&selector).map_err(Status::invalid_argument)?,
        };
        let asked = filter.clone();
        let mut list = self.answer(Nameable::Everything, move |facts| Ok(status::status(facts, &filter))).await?;
        listing::cut(&mut list, &asked, &visitor).await?;
        Ok(Response::new(StatusResponse { list: json(&list)? }))
    }

    type DumpStream = Pin<Box<dyn Stream<Item = Result<DumpedResource, Status>> + Send>>;

    async fn dump(&self, request: Request<DumpRequest>) -> Result<Response<Self::DumpStream>, Status> {
        let (visitor, DumpRequest { ir_key, type_urls }) = self.receive(request).await?;
        visitor.needs(&Right::every_secret()).await?;
        let known = |url: &String| {
            ResourceType::from_type_url(url)
                .ok_or_else(|| Status::invalid_argument(format!("{url} is no type we serve")))
        };
        let kinds = type_urls.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        let kinds = if kinds.is_empty() { ResourceType::ALL.to_vec() } else { kinds };
        let keys = self.witnesses.cache.keys().into_iter().filter(|key| ir_key.is_empty() || **key == *ir_key);
        let keys: Vec<Arc<str>> = keys.collect();
        if keys.is_empty() && !ir_key.is_empty() {
            return Err(Status::not_found(format!("there is no fleet {ir_key}")));
        }
        let cache = self.witnesses.cache.clone();
        let resources =
            keys.into_iter().filter_map(move |key| Some((cache.get(&key)?, key))).flat_map(move |(snapshot, key)| {
                let kinds = kinds.clone();
                kinds
                    .into_iter()
                    .flat_map(|kind| {
                        snapshot.table.of(kind).iter().map(|it| (kind, Arc::clone(it))).collect::<Vec<_>>()
                    })
                    .map(|(kind, resource)| {
                        let document = to_json(kind, &resource).map_err(|error| Status::internal(error.to_string()))?;
                        Ok(DumpedResource {
                            ir_key: key.to_string(),
                            type_url: kind.type_url().to_owned(),
                            name: resource.name.to_string(),
                            version: resource.version_info(),
                            json: json(&document)?,
                        })
                    })
                    .collect::<Vec<_>>()
            });
        Ok(Response::new(Box::pin(tokio_stream::iter(resources))))
    }

    async fn version(&self, _: Request<VersionRequest>) -> Result<Response<VersionResponse>, Status> {
        Ok(Response::new(VersionResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            api_version: API_VERSION.to_owned(),
        }))
    }
}

fn kind(target: &Target) -> Result<Kind, Status> {
    Kind::parse(&target.kind)
        .ok_or_else(|| Status::invalid_argument(format!("{} is no kind this agent can explain", target.kind)))
}

fn question(target: &Target, all: bool) -> Result<Question, Status> {
    let name = target.name.as_deref().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Status::invalid_argument(format!("which {}? its name is missing", target.kind)))?;
    Ok(Question { kind: kind(target)?, key: ObjectKey::new(&target.namespace, name), all })
}

/// Where objects were written, as explanations quote it.
fn sources(loaded: &Loaded) -> Sources {
    let origins = loaded
        .origins
        .iter()
        .map(|((kind, key), origin)| (((*kind).to_owned(), key.clone()), format!("{}:{}", origin.file, origin.line)));
    let faults = loaded.errors.iter().map(|finding| FileFault {
        place: finding.place(),
        message: if finding.path.is_empty() {
            finding.message.clone()
        } else {
            format!("{}: {}", finding.path, finding.message)
        },
        object: finding.object.clone(),
    });
    Sources { origins: origins.collect(), faults: faults.collect() }
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Status> {
    serde_json::to_vec(value).map_err(|error| Status::internal(format!("the answer can't be written: {error}")))
}
