//! Input that is no manifest, or not quite: the plugin says what is wrong and where, ends with 65, and never panics.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::ffi::OsString;
use std::time::{Duration, Instant};

use gateway_tests::manifests::{GATEWAY, http_route, service};
use kubectl_gateway::exit::Exit;
use kubectl_gateway::render::style::Environment;

/// How a run of the plugin ended.
struct Told {
    exit: Exit,
    out: String,
    err: String,
}

/// What `command` says about a file of this content, whose name is `FILE` in the texts.
fn run(command: &[&str], content: &[u8]) -> Told {
    let file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let words = std::iter::once("kubectl-gateway").chain(command.iter().copied()).chain(["-f"]).map(OsString::from);
    let words = words.chain([file.path().as_os_str().to_owned()]).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = kubectl_gateway::run(words, &Environment::default(), &mut std::io::empty(), &mut out, &mut err);
    let name = file.path().display().to_string();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&name, "FILE");
    Told { exit, out: text(out), err: text(err) }
}

fn translate(content: &[u8]) -> Told {
    run(&["translate", "--to", "ir"], content)
}

/// Holds that the input was refused with an error about this place.
#[track_caller]
fn refused(told: &Told, place: &str) {
    assert_eq!(told.exit, Exit::BadInput, "{}", told.err);
    assert!(told.err.starts_with("error: "), "{}", told.err);
    assert!(told.err.contains(place), "no `{place}` in: {}", told.err);
}

/// A Gateway and a Route that are all right.
fn good() -> String {
    let route = http_route("checkout", "  rules: [{backendRefs: [{name: cart, port: 80}]}]");
    format!("{GATEWAY}\n---\n{}\n---\n{route}", service("shop", "cart", &[("10.0.0.1", 8080)]))
}

#[test]
fn text_that_is_not_yaml_is_refused_with_its_line() {
    let told = translate(b"apiVersion: v1\nkind: Service\n  metadata: {name: a\n");
    refused(&told, "FILE:3");
    assert_eq!(told.out, "");
}

#[test]
fn an_empty_file_and_one_of_comments_are_refused() {
    for content in [&b""[..], b"\n\n", b"# nothing\n---\n---\n"] {
        refused(&translate(content), "FILE");
    }
}

#[test]
fn a_binary_file_is_refused_and_called_by_its_name() {
    let mut elf = b"\x7fELF\x02\x01\x01\n".to_vec();
    elf.extend([0; 64]);
    let told = translate(&elf);
    refused(&told, "FILE:2");
    assert!(told.err.contains("binary"), "{}", told.err);
    refused(&translate(b"kind: \xff\xfe\n"), "FILE:1");
}

#[test]
fn objects_that_are_no_objects_are_refused() {
    for content in ["just words\n", "- 1\n- 2\n", "42\n", "name: x\n", "apiVersion: v1\n", "kind: Gateway\n"] {
        refused(&translate(content.as_bytes()), "FILE:1");
    }
}

#[test]
fn an_unknown_kind_alone_leaves_nothing_to_do() {
    let told = translate(b"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n");
    refused(&told, "FILE:1");
    assert!(told.err.contains("Widget"), "{}", told.err);
}

#[test]
fn an_unknown_kind_among_others_is_a_warning() {
    let widget = "\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
    let told = translate((good() + widget).as_bytes());
    assert_eq!(told.exit, Exit::Fine, "{}", told.err);
    assert!(told.err.contains("Widget"), "{}", told.err);
    assert!(told.out.contains("httproute/shop/checkout/rule/0"), "{}", told.out);
}

#[test]
fn a_wrong_type_is_told_with_its_line_and_path_and_the_others_are_used() {
    let good = good();
    let line = good.lines().count() + 8;
    let broken = http_route("broken", "  rules: [{backendRefs: [{name: cart, port: eighty}]}]");
    let told = translate(format!("{good}\n---{broken}").as_bytes());
    refused(&told, &format!("FILE:{line}"));
    assert!(told.err.contains("spec.rules[0].backendRefs[0].port"), "{}", told.err);
    assert!(told.out.contains("httproute/shop/checkout/rule/0"), "{}", told.out);
}

#[test]
fn an_unknown_field_is_a_warning_with_its_line_and_path() {
    let told =
        translate(good().replace("  gatewayClassName: eg", "  gatewayClasName: x\n  gatewayClassName: eg").as_bytes());
    assert_eq!(told.exit, Exit::Fine, "{}", told.err);
    assert!(told.err.contains("FILE:11") && told.err.contains("spec.gatewayClasName"), "{}", told.err);
}

#[test]
fn ten_thousand_documents_are_no_trouble_whether_good_or_broken() {
    let start = Instant::now();
    let mut many = good();
    for number in 0..5_000 {
        many.push_str("\n---");
        many.push_str(&http_route(&format!("route-{number}"), "  rules: [{backendRefs: [{name: cart, port: 80}]}]"));
        many.push_str("\n---\nkind: [\n");
    }
    let told = translate(many.as_bytes());
    refused(&told, "FILE:");
    assert!(told.out.contains("httproute/shop/route-4999/rule/0"), "the last good document is used");
    assert!(start.elapsed() < Duration::from_mins(2), "took {:?}", start.elapsed());
}

#[test]
fn deep_nesting_and_aliases_that_multiply_are_refused_not_run_out_of_memory() {
    refused(&translate("[".repeat(100_000).as_bytes()), "FILE:");
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    refused(&translate(bomb.as_bytes()), "FILE:");
}

#[test]
fn a_file_that_is_not_there_is_told_by_name() {
    let words = ["kubectl-gateway", "translate", "-f", "/nowhere/at-all.yaml"].map(OsString::from).to_vec();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = kubectl_gateway::run(words, &Environment::default(), &mut std::io::empty(), &mut out, &mut err);
    let err = String::from_utf8(err).unwrap();
    assert_eq!(exit, Exit::BadInput, "{err}");
    assert!(err.starts_with("error: /nowhere/at-all.yaml"), "{err}");
}

#[test]
fn explain_and_status_refuse_the_same_files() {
    for command in [&["explain", "httproute/checkout", "-n", "shop"][..], &["status"]] {
        refused(&run(command, b"kind: [\n"), "FILE:");
        refused(&run(command, &[0; 16]), "FILE:1");
        refused(&run(command, b""), "FILE");
    }
}
