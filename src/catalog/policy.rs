//! Whom a catalog trusts: the principals with their kinds and roles, and the keys they sign with.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::identity;
use super::words::{PrincipalKind, Role};
use crate::codec::toon;

/// The folder of the trust root below the source.
pub const FOLDER: &str = "_trust";

/// The files of a trust root.
pub const FILES: [&str; 3] = ["allowed_signers", "policy.toon", "revoked_keys"];

/// `policy.toon`. A key that nobody knows is a mistake that would weaken it, so it is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What attribution takes: with `signed`, a valid signature of the publisher.
    #[serde(default)]
    pub attribution: Attribution,
    /// The principals by name.
    #[serde(default)]
    pub principals: BTreeMap<String, Principal>,
}

/// What makes a record attributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attribution {
    /// The publisher is a principal.
    #[default]
    Named,
    /// The publisher is a principal and signed the content.
    Signed,
}

/// Somebody who may say something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Principal {
    /// A person, or a program.
    pub kind: PrincipalKind,
    /// What it may do.
    #[serde(default)]
    pub roles: Vec<Role>,
}

impl Policy {
    /// Reads `policy.toon`.
    ///
    /// Errors: a sentence about what is wrong.
    pub fn read(text: &str) -> Result<Policy, String> {
        let value = toon::decode(text).map_err(|error| error.to_string())?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// What a principal is; none when the policy does not name it.
    pub fn kind(&self, principal: &str) -> Option<PrincipalKind> {
        self.principals.get(principal).map(|one| one.kind)
    }

    /// Whether a principal has a role.
    pub fn has(&self, principal: &str, role: Role) -> bool {
        self.principals.get(principal).is_some_and(|one| one.roles.contains(&role))
    }
}

/// The files that say whom to trust, as bytes, and the policy among them.
#[derive(Clone, Debug, Default)]
pub struct TrustRoot {
    /// Principals and roles.
    pub policy: Policy,
    /// Principals and keys, as OpenSSH writes them.
    pub allowed_signers: Vec<u8>,
    /// Keys that must not count any more.
    pub revoked_keys: Vec<u8>,
    /// Where it was read: `repository`, or `folder` for one outside.
    pub source: &'static str,
    /// The SHA-256 of its files' names and hashes, in hex.
    pub digest: String,
}

impl TrustRoot {
    /// A trust root of the bytes of its files, in the order of [`FILES`]; a missing file is an empty one.
    ///
    /// Errors: a sentence about what is wrong with the policy.
    pub fn read(source: &'static str, files: [Option<Vec<u8>>; 3]) -> Result<TrustRoot, String> {
        let hashes = FILES.iter().zip(&files).filter_map(|(name, bytes)| {
            Some(((*name).to_owned(), json!(identity::sha256(bytes.as_deref()?))))
        });
        let digest = identity::sha256(identity::canonical(&hashes.collect()).as_bytes());
        let [signers, policy, revoked] = files.map(Option::unwrap_or_default);
        let text = String::from_utf8(policy).map_err(|_| "it is no UTF-8 text".to_owned())?;
        let policy = if text.trim().is_empty() { Policy::default() } else { Policy::read(&text)? };
        Ok(TrustRoot { policy, allowed_signers: signers, revoked_keys: revoked, source, digest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_read_and_mistakes_refused() {
        let policy = Policy::read(
            "attribution: signed\nprincipals:\n  \"dana@example.org\":\n    kind: human\n    roles[2]: reviewer,maintainer\n  \"bot@example.org\":\n    kind: agent\n    roles: []\n",
        )
        .unwrap();
        assert_eq!(policy.attribution, Attribution::Signed);
        assert!(
            policy.has("dana@example.org", Role::Reviewer) && !policy.has("bot@example.org", Role::Reviewer)
        );
        assert_eq!(policy.kind("bot@example.org"), Some(PrincipalKind::Agent));
        assert!(!policy.has("nobody@example.org", Role::Reviewer));
        for text in
            ["atribution: signed", "attribution: maybe", "principals:\n  a:\n    kind: cat", "principals: 7"]
        {
            assert!(Policy::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_digest_is_of_all_files() {
        let root = |signers: &str| {
            TrustRoot::read("repository", [Some(signers.as_bytes().to_vec()), None, None]).unwrap().digest
        };
        assert_eq!(root("a"), root("a"));
        assert_ne!(root("a"), root("b"));
        assert_ne!(root(""), TrustRoot::read("repository", [None, None, None]).unwrap().digest);
    }
}
