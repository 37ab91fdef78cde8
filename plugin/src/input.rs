//! Input files: what `-f` names, read whole, with the place kept so that faults can name file and line.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::exit::{Exit, Failure};

/// The extensions a folder is searched for, as kubectl does.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The most bytes read from one file or from stdin: manifests are far smaller, and memory is finite.
const LIMIT: u64 = 512 << 20;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// How messages call it.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// Reads files, and stdin where `-` asks for it.
pub struct Reader<'a> {
    stdin: &'a mut dyn Read,
    stdin_used: bool,
}

impl<'a> Reader<'a> {
    /// A reader whose `-` is `stdin`.
    pub fn new(stdin: &'a mut dyn Read) -> Self {
        Self { stdin, stdin_used: false }
    }

    /// Everything `paths` name: files in the order given, those of a folder by path.
    ///
    /// # Errors
    /// When something can't be read, holds no text, or a folder holds no manifests.
    pub fn all(&mut self, paths: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
        let mut files = Vec::new();
        for path in paths {
            if path.as_os_str() == "-" {
                files.push(self.stdin()?);
            } else if path.is_dir() {
                let before = files.len();
                for path in manifests_below(path)? {
                    files.push(self.file(&path)?);
                }
                if files.len() == before {
                    return Err(bad(format!("{}: no *.yaml, *.yml or *.json file in this folder", path.display())));
                }
            } else {
                files.push(self.file(path)?);
            }
        }
        Ok(files)
    }

    /// One file, or stdin for `-`.
    ///
    /// # Errors
    /// When it can't be read or holds no text.
    pub fn file(&mut self, path: &Path) -> Result<SourceFile, Failure> {
        if path.as_os_str() == "-" {
            return self.stdin();
        }
        let name = path.display().to_string();
        let file = std::fs::File::open(path).map_err(|error| bad(format!("{name}: {}", in_words(&error))))?;
        read(name, file)
    }

    fn stdin(&mut self) -> Result<SourceFile, Failure> {
        if std::mem::replace(&mut self.stdin_used, true) {
            return Err(Failure::new(Exit::Usage, "stdin can be read only once, but `-` is given twice"));
        }
        read("stdin".to_owned(), &mut *self.stdin)
    }
}

/// Reads all of `source`, which has to be text.
fn read(name: String, source: impl Read) -> Result<SourceFile, Failure> {
    let mut bytes = Vec::new();
    let read = source.take(LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| bad(format!("{name}: {}", in_words(&error))))?;
    if bytes.len() as u64 > LIMIT {
        return Err(bad(format!("{name}: more than {} MiB; that is no manifest", LIMIT >> 20)));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(bad(format!("{}: a NUL byte: this is a binary file, not YAML or JSON", place(&name, &bytes, at))));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile { name, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let place = place(&name, error.as_bytes(), at);
            Err(bad(format!("{place}: not UTF-8 text: this is a binary file or has another encoding")))
        }
    }
}

/// `file:line` of the byte `at`.
fn place(name: &str, bytes: &[u8], at: usize) -> String {
    let line = 1 + bytes.iter().take(at).filter(|byte| **byte == b'\n').count();
    format!("{name}:{line}")
}

/// The manifests in `folder` and below, by path. Links to folders are not followed, so there are no circles.
fn manifests_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let fault = |error: &std::io::Error| bad(format!("{}: {}", folder.display(), in_words(error)));
        for entry in std::fs::read_dir(&folder).map_err(|error| fault(&error))? {
            let entry = entry.map_err(|error| fault(&error))?;
            let path = entry.path();
            if entry.file_type().map_err(|error| fault(&error))?.is_dir() {
                open.push(path);
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What kept a file from being read, without the operating system's numbers.
fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => format!("can't be read: {error}"),
    }
}

/// A fault of an input file.
fn bad(message: String) -> Failure {
    Failure::new(Exit::BadInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<Vec<SourceFile>, Failure>) -> String {
        match result {
            Ok(files) => format!("read {}", files.len()),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn folders_are_read_by_path_and_faults_name_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("b")).unwrap();
        std::fs::write(at("z.yaml"), "z: 1\n").unwrap();
        std::fs::write(at("b/a.json"), "{}").unwrap();
        std::fs::write(at("README.md"), "not a manifest").unwrap();
        let mut none = std::io::empty();
        let mut reader = Reader::new(&mut none);
        let files = reader.all(&[folder.path().to_path_buf()]).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.name.clone()).collect();
        assert_eq!(names, [at("b/a.json").display().to_string(), at("z.yaml").display().to_string()]);

        std::fs::write(at("binary"), b"a\nb\0c").unwrap();
        assert!(message(reader.all(&[at("binary")])).contains("binary:2: a NUL byte"));
        std::fs::write(at("latin1"), b"name: caf\xe9").unwrap();
        assert!(message(reader.all(&[at("latin1")])).contains("latin1:1: not UTF-8"));
        assert!(message(reader.all(&[at("nowhere")])).ends_with("there is no such file or folder"));
        std::fs::create_dir(at("empty")).unwrap();
        assert!(message(reader.all(&[at("empty")])).contains("no *.yaml"));
    }

    #[test]
    fn stdin_is_read_once() {
        let mut stdin = &b"a: 1"[..];
        let mut reader = Reader::new(&mut stdin);
        let twice = reader.all(&[PathBuf::from("-"), PathBuf::from("-")]);
        assert!(message(twice).contains("only once"));
    }
}
