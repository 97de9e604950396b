//! Signatures: what counts, and that `ssh-keygen` says the same (B-23).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pm::catalog::signature::{Keyring, Signed, Verdict, sign};
use ssh_key::private::Ed25519Keypair;
use ssh_key::{LineEnding, PrivateKey};

const REVIEW: &str = "pm-catalog-review";
const OPS: &str = "ops@example.org";
/// 2026-06-01T12:00:00Z.
const JUNE: i64 = 1_780_315_200_000;

/// A private key in the format of OpenSSH, and its public line; the same for the same number.
fn key(number: u8) -> (String, String) {
    written(&PrivateKey::from(Ed25519Keypair::from_seed(&[number; 32])))
}

fn written(key: &PrivateKey) -> (String, String) {
    let private = key.to_openssh(LineEnding::LF).unwrap().to_string();
    (private, key.public_key().to_openssh().unwrap())
}

fn verdict(keyring: &Keyring, message: &[u8], signature: Option<&str>) -> Verdict {
    keyring.verdict(&Signed { message, signature, namespace: REVIEW, principal: OPS, at: JUNE })
}

fn ring(allowed: &str, revoked: &str) -> Keyring {
    Keyring::read(allowed.as_bytes(), revoked.as_bytes())
}

#[test]
fn b23_each_verdict_has_its_cause() {
    let (private, public) = key(1);
    let (_, other) = key(2);
    let signature = sign(&private, REVIEW, b"statement").unwrap();
    let own = format!("{OPS} {public}\n");
    let text = Some(signature.as_str());
    assert_eq!(verdict(&ring(&own, ""), b"statement", text), Verdict::Valid);
    assert_eq!(verdict(&ring(&own, ""), b"Statement", text), Verdict::Invalid);
    assert_eq!(verdict(&ring(&own, ""), b"statement", None), Verdict::Absent);
    assert_eq!(verdict(&ring(&own, &format!("# gone\n{public}\n")), b"statement", text), Verdict::RevokedKey);
    assert_eq!(verdict(&ring(&own, &other), b"statement", text), Verdict::Valid);
    assert_eq!(verdict(&ring(&format!("{OPS} {other}"), ""), b"statement", text), Verdict::UnknownKey);
    assert_eq!(
        verdict(&ring(&format!("dana@example.org {public}"), ""), b"statement", text),
        Verdict::WrongPrincipal
    );
    let elsewhere = sign(&private, "pm-catalog-run", b"statement").unwrap();
    assert_eq!(verdict(&ring(&own, ""), b"statement", Some(&elsewhere)), Verdict::Invalid);
    for broken in ["", "text", &signature.replace('A', "B"), &signature[..signature.len() / 2]] {
        assert_eq!(verdict(&ring(&own, ""), b"statement", Some(broken)), Verdict::Invalid, "{broken}");
    }
    let words: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.as_str()).collect();
    assert_eq!(words, ["valid", "invalid", "unknown_key", "revoked_key", "wrong_principal", "absent"]);
}

#[test]
fn a_key_that_needs_a_passphrase_or_is_none_signs_nothing() {
    assert!(sign("no key", REVIEW, b"x").unwrap_err().to_string().contains("private key"));
    let (_, public) = key(1);
    assert!(sign(&public, REVIEW, b"x").is_err());
}

#[test]
fn revoked_keys_that_cannot_be_read_revoke_all() {
    let (private, public) = key(1);
    let signature = sign(&private, REVIEW, b"x").unwrap();
    for revoked in
        [&b"SSHKRL\n\0\0\0"[..], &b"\xff\xfe"[..], b"# a comment\ndana@example.org ssh-ed25519 AAAA\n"]
    {
        let keyring = Keyring::read(format!("{OPS} {public}").as_bytes(), revoked);
        assert_eq!(verdict(&keyring, b"x", Some(&signature)), Verdict::RevokedKey);
        assert_eq!(keyring.faults().len(), 1);
    }
}

/// Lines of `allowed_signers` for the key `{key}`, and whether it may sign a review as ops on 1 June 2026, noon.
const LINES: &[(&str, bool)] = &[
    ("ops@example.org {key}", true),
    ("ops@example.org {key} a comment of words", true),
    ("# a comment\n\n   ops@example.org {key}", true),
    ("*@example.org {key}", true),
    ("dana@example.org,ops@example.org {key}", true),
    ("*@example.org,!ops@example.org {key}", false),
    ("\"ops@example.org,dana x\" {key}", true),
    ("ops@example.org namespaces=\"pm-catalog-review\" {key}", true),
    ("ops@example.org namespaces=\"pm-catalog-*\" {key}", true),
    ("ops@example.org namespaces=\"pm-catalog-run,git\" {key}", false),
    ("ops@example.org namespaces=\"!pm-catalog-review,*\" {key}", false),
    ("ops@example.org valid-after=\"20260601Z\" {key}", true),
    ("ops@example.org valid-after=\"20260602Z\" {key}", false),
    ("ops@example.org valid-before=\"20260602Z\" {key}", true),
    ("ops@example.org valid-before=\"202606011159Z\" {key}", false),
    ("ops@example.org valid-before=\"20260601120000Z\" {key}", true),
    ("ops@example.org valid-after=\"20260101Z\",valid-before=\"20261231Z\",namespaces=\"*\" {key}", true),
    ("ops@example.org cert-authority {key}", false),
    ("ops@example.org unknown-option {key}", false),
    ("ops@example.org namespaces=\"git\" {key}\nops@example.org {key}", true),
    ("ops@example.org broken\nops@example.org {key}", true),
    ("dana@example.org broken\nops@example.org {key}", true),
    ("OPS@example.org {key}", false),
    ("{key}", false),
    ("ops@example.org", false),
];

#[test]
fn lines_of_allowed_signers_say_what_they_say_to_openssh() {
    let (private, public) = key(3);
    let signature = sign(&private, REVIEW, b"statement").unwrap();
    for (line, expected) in LINES {
        let keyring = ring(&line.replace("{key}", &public), "");
        let found = verdict(&keyring, b"statement", Some(&signature));
        assert_eq!(found == Verdict::Valid, *expected, "{line}: {found:?}");
    }
}

/// A folder in which `ssh-keygen` works; none where it is not installed.
struct Keygen(tempfile::TempDir);

impl Keygen {
    fn new() -> Option<Keygen> {
        let there = Command::new("ssh-keygen").arg("-?").stdin(Stdio::null()).output().is_ok();
        if !there {
            crate::corpus::skipped("ssh-keygen");
        }
        there.then(|| Keygen(tempfile::tempdir().unwrap()))
    }

    fn file(&self, name: &str, text: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A key that it makes: private text and public line.
    fn key(&self, arguments: &[&str]) -> (String, String) {
        let path = self.0.path().join(format!("key-{}", arguments.join("")));
        let mut call = Command::new("ssh-keygen");
        call.args(["-q", "-N", "", "-C", "test", "-f"]).arg(&path);
        assert!(call.args(arguments).status().unwrap().success());
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        (read(&path), read(&path.with_extension("pub")))
    }

    fn sign(&self, private: &str, message: &[u8], namespace: &str) -> String {
        let key = self.file("signing", private.as_bytes());
        secret(&key);
        let file = self.file("message", message);
        let _ = std::fs::remove_file(self.0.path().join("message.sig"));
        let mut call = Command::new("ssh-keygen");
        call.args(["-q", "-Y", "sign", "-n", namespace, "-f"]).arg(&key).arg(&file);
        assert!(call.stderr(Stdio::null()).status().unwrap().success());
        std::fs::read_to_string(self.0.path().join("message.sig")).unwrap()
    }

    /// Whether it finds a review of ops valid on 1 June 2026, noon.
    fn finds_valid(&self, allowed: &str, revoked: &str, message: &[u8], signature: &str) -> bool {
        let allowed = self.file("allowed", allowed.as_bytes());
        let signature = self.file("signature", signature.as_bytes());
        let message = std::fs::File::open(self.file("message", message)).unwrap();
        let mut call = Command::new("ssh-keygen");
        call.args(["-q", "-Y", "verify", "-I", OPS, "-n", REVIEW, "-O", "verify-time=20260601120000Z", "-f"]);
        call.arg(&allowed).arg("-s").arg(&signature);
        if !revoked.is_empty() {
            call.arg("-r").arg(self.file("revoked", revoked.as_bytes()));
        }
        call.stdin(message).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    }
}

/// A private key that others may read is refused.
fn secret(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[test]
fn b23_ssh_keygen_finds_the_same_lines_valid() {
    let Some(keygen) = Keygen::new() else { return };
    let (private, public) = key(3);
    let signature = sign(&private, REVIEW, b"statement").unwrap();
    for (line, expected) in LINES {
        let allowed = line.replace("{key}", &public);
        assert_eq!(keygen.finds_valid(&allowed, "", b"statement", &signature), *expected, "{line}");
    }
}

#[test]
fn b23_signatures_are_the_same_thing_to_both_programs() {
    let Some(keygen) = Keygen::new() else { return };
    for arguments in [
        &["-t", "ed25519"][..],
        &["-t", "ecdsa", "-b", "256"],
        &["-t", "ecdsa", "-b", "384"],
        &["-t", "ecdsa", "-b", "521"],
        &["-t", "rsa", "-b", "2048"],
    ] {
        let (private, public) = keygen.key(arguments);
        let allowed = format!("{OPS} {public}");
        let revoked = format!("# revoked\n{public}");
        let theirs = keygen.sign(&private, b"statement", REVIEW);
        // Not every key signs here, though everybody's signatures count.
        let signs = !matches!(arguments, [_, "rsa", ..] | [.., "521"]);
        assert_eq!(sign(&private, REVIEW, b"statement").is_ok(), signs, "{arguments:?}");
        let ours = sign(&private, REVIEW, b"statement").unwrap_or_else(|_| theirs.clone());
        // Numbers of a signature may be short.
        for n in 0..12u8 {
            let another = keygen.sign(&private, &[n], REVIEW);
            assert_eq!(verdict(&ring(&allowed, ""), &[n], Some(&another)), Verdict::Valid, "{arguments:?}");
        }
        for signature in [&theirs, &ours] {
            assert_eq!(verdict(&ring(&allowed, ""), b"statement", Some(signature)), Verdict::Valid);
            assert!(keygen.finds_valid(&allowed, "", b"statement", signature), "{arguments:?}");
            assert_eq!(
                verdict(&ring(&allowed, &revoked), b"statement", Some(signature)),
                Verdict::RevokedKey
            );
            assert!(!keygen.finds_valid(&allowed, &revoked, b"statement", signature));
            assert!(!keygen.finds_valid(&allowed, "", b"another", signature));
        }
        let elsewhere = keygen.sign(&private, b"statement", "pm-catalog-run");
        assert_eq!(verdict(&ring(&allowed, ""), b"statement", Some(&elsewhere)), Verdict::Invalid);
        assert!(!keygen.finds_valid(&allowed, "", b"statement", &elsewhere));
    }
}
