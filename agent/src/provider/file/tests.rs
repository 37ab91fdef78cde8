//! Files change in every way files change; what comes out is what they say.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch::Receiver;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Loaded, start};

struct Watched {
    loaded: Receiver<Option<Arc<Loaded>>>,
    _stop: DropGuard,
}

async fn watched(path: &Path) -> Watched {
    let stop = CancellationToken::new();
    let mut loaded = start(vec![path.to_owned()], stop.clone());
    loaded.wait_for(Option::is_some).await.unwrap();
    Watched { loaded, _stop: stop.drop_guard() }
}

fn namespace(name: &str) -> String {
    format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n---\n")
}

fn names(loaded: &Loaded) -> Vec<String> {
    loaded.resources.namespaces().iter().map(|namespace| namespace.metadata.name.clone()).collect()
}

impl Watched {
    /// Waits until the Namespaces are exactly these.
    async fn has(&mut self, wanted: &[&str]) -> Arc<Loaded> {
        let deadline = tokio::time::sleep(Duration::from_secs(5));
        tokio::pin!(deadline);
        loop {
            let now = self.loaded.borrow_and_update().clone().unwrap();
            if names(&now) == wanted {
                return now;
            }
            tokio::select! {
                changed = self.loaded.changed() => changed.unwrap(),
                () = &mut deadline => panic!("wanted {wanted:?}, got {:?}; {:?}", names(&now), now.errors),
            }
        }
    }
}

fn replace(path: &Path, content: &str) {
    let new = path.with_extension("new");
    std::fs::write(&new, content).unwrap();
    std::fs::rename(new, path).unwrap();
}

#[tokio::test]
async fn files_come_change_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let mut watched = watched(folder.path()).await;
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, namespace("one")).unwrap();
    watched.has(&["one"]).await;
    std::fs::write(&file, namespace("two")).unwrap();
    watched.has(&["two"]).await;
    replace(&file, &namespace("three"));
    watched.has(&["three"]).await;
    std::fs::write(
        folder.path().join("b.json"),
        r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"json"}}"#,
    )
    .unwrap();
    watched.has(&["json", "three"]).await;
    std::fs::rename(&file, folder.path().join("c.yaml")).unwrap();
    watched.has(&["json", "three"]).await;
    std::fs::remove_file(folder.path().join("c.yaml")).unwrap();
    watched.has(&["json"]).await;
    std::fs::write(folder.path().join(".hidden.yaml"), namespace("hidden")).unwrap();
    std::fs::write(folder.path().join("z.yaml"), namespace("z")).unwrap();
    watched.has(&["json", "z"]).await;
}

#[tokio::test]
async fn a_volume_of_a_config_map_is_swapped_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let version = |name: &str, content: &str| {
        let directory = folder.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join("gateway.yaml"), content).unwrap();
        std::os::unix::fs::symlink(name, folder.path().join("..data_tmp")).unwrap();
        std::fs::rename(folder.path().join("..data_tmp"), folder.path().join("..data")).unwrap();
    };
    version("..1", &namespace("old"));
    std::os::unix::fs::symlink("..data/gateway.yaml", folder.path().join("gateway.yaml")).unwrap();
    let mut watched = watched(folder.path()).await;
    watched.has(&["old"]).await;
    version("..2", &namespace("new"));
    watched.has(&["new"]).await;
}

#[tokio::test]
async fn a_broken_file_keeps_its_last_good_objects_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
    std::fs::write(&a, namespace("a1") + &namespace("a2")).unwrap();
    std::fs::write(&b, namespace("b")).unwrap();
    let mut watched = watched(folder.path()).await;
    watched.has(&["a1", "a2", "b"]).await;

    replace(&a, "kind: [");
    replace(&b, &namespace("b2"));
    let loaded = watched.has(&["a1", "a2", "b2"]).await;
    let errors: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
    assert!(errors.iter().any(|error| error.starts_with(&format!("{}:", a.display()))), "{errors:?}");
    assert!(loaded.complete, "it was whole once, so nothing is missing");

    replace(&a, &namespace("a1"));
    let loaded = watched.has(&["a1", "b2"]).await;
    assert!(loaded.errors.is_empty());
}

#[tokio::test]
async fn beside_a_file_that_was_never_whole_nobody_knows_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), "kind: [").unwrap();
    std::fs::write(folder.path().join("b.yaml"), namespace("b")).unwrap();
    let mut watched = watched(folder.path()).await;
    assert!(!watched.has(&["b"]).await.complete);
}

#[tokio::test]
async fn of_two_definitions_the_first_file_counts_and_the_other_waits() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
    std::fs::write(&a, namespace("same")).unwrap();
    std::fs::write(&b, namespace("same")).unwrap();
    let mut watched = watched(folder.path()).await;
    let loaded = watched.has(&["same"]).await;
    assert!(loaded.warnings.iter().any(|warning| warning.message.contains("a.yaml")));
    std::fs::remove_file(&a).unwrap();
    std::fs::write(folder.path().join("c.yaml"), namespace("other")).unwrap();
    let loaded = watched.has(&["other", "same"]).await;
    assert!(loaded.warnings.is_empty());
}

#[tokio::test]
async fn an_object_that_did_not_change_stays_the_same_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, namespace("a") + &namespace("b")).unwrap();
    let mut watched = watched(folder.path()).await;
    let before = watched.has(&["a", "b"]).await;
    replace(&file, &(namespace("a") + &namespace("b") + &namespace("c")));
    let after = watched.has(&["a", "b", "c"]).await;
    for (old, new) in before.resources.namespaces().iter().zip(after.resources.namespaces().iter()) {
        assert!(Arc::ptr_eq(old, new));
    }
}

#[tokio::test]
async fn a_file_is_not_read_while_it_is_being_written() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    std::fs::write(&path, namespace("a") + &namespace("b")).unwrap();
    let mut watched = watched(folder.path()).await;
    watched.has(&["a", "b"]).await;
    let mut file = std::fs::File::create(&path).unwrap();
    for name in ["a", "b"] {
        file.write_all(namespace(name).as_bytes()).unwrap();
        file.flush().unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert_eq!(names(watched.loaded.borrow().as_ref().unwrap()), ["a", "b"]);
    }
    file.write_all(namespace("c").as_bytes()).unwrap();
    drop(file);
    watched.has(&["a", "b", "c"]).await;
}

#[tokio::test]
async fn a_path_that_is_not_there_yet_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("later");
    let mut watched = watched(&path).await;
    watched.has(&[]).await;
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("a.yaml"), namespace("a")).unwrap();
    watched.has(&["a"]).await;
}

#[tokio::test]
async fn a_burst_ends_in_its_last_state_and_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, namespace("n")).unwrap();
    let mut watched = watched(folder.path()).await;
    watched.has(&["n"]).await;
    let mut published = 0_u32;
    for round in 0..200 {
        replace(&file, &namespace(&format!("n{round}")));
        if watched.loaded.has_changed().unwrap() {
            watched.loaded.mark_unchanged();
            published += 1;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let last = Instant::now();
    watched.has(&["n199"]).await;
    assert!(published > 0, "changes that go on must not starve their readers");
    eprintln!("{published} of 200 states were published; the last one after {:?}", last.elapsed());
}
