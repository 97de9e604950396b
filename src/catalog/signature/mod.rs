//! Who signed a statement, and whether that counts: SSH signatures (SSHSIG) read, checked and made without any other
//! program, without an agent, without a network. The same files give the same verdict on every machine.
//!
//! The order of checks is that of `ssh-keygen -Y verify`, so both agree on what is valid: the signature itself and its
//! namespace, then the revoked keys, then the lines of `allowed_signers`.

mod lines;
mod pattern;

use ssh_key::{HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};

pub use lines::Fault;
use lines::{Revoked, Signer};

pub use super::words::Verdict;

/// The most that is read of a signature; OpenSSH's own are below 2 KiB.
const LONGEST: usize = 16 * 1024;

/// What is said to be signed: by whom, for what, when.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// The bytes.
    pub message: &'a [u8],
    /// The text of the signature, where there is one.
    pub signature: Option<&'a str>,
    /// What the signature is for; one that was made for another purpose is invalid.
    pub namespace: &'a str,
    /// Who is said to have signed.
    pub principal: &'a str,
    /// When, in milliseconds since the epoch: the keys' times are held against it, not against a clock.
    pub at: i64,
}

/// The keys of a trust root: who may sign, and which keys no longer count.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    signers: Vec<Signer>,
    revoked: Revoked,
    faults: Vec<Fault>,
}

impl Keyring {
    /// Reads `allowed_signers` and `revoked_keys`. What cannot be understood is a [`Fault`]; it never makes a key
    /// valid, and revoked keys that cannot be read revoke all.
    pub fn read(allowed_signers: &[u8], revoked_keys: &[u8]) -> Keyring {
        let mut faults = Vec::new();
        let signers = lines::signers(allowed_signers, &mut faults);
        let revoked = lines::revoked(revoked_keys, &mut faults);
        Keyring { signers, revoked, faults }
    }

    /// The lines that could not be used.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The verdict on a signature.
    pub fn verdict(&self, signed: &Signed<'_>) -> Verdict {
        let Some(text) = signed.signature else { return Verdict::Absent };
        match maker(text, signed) {
            None => Verdict::Invalid,
            Some(key) if self.revoked.holds(&key) => Verdict::RevokedKey,
            Some(key) => self.right(&key, signed),
        }
    }

    /// Whether the key may speak for the principal.
    fn right(&self, key: &PublicKey, signed: &Signed<'_>) -> Verdict {
        let mut verdict = Verdict::UnknownKey;
        for signer in self.signers.iter().filter(|signer| signer.holds(key)) {
            match signer.speaks_for(signed.principal) {
                true if signer.covers(signed.namespace, signed.at) => return Verdict::Valid,
                true => verdict = Verdict::Invalid,
                false if verdict == Verdict::UnknownKey => verdict = Verdict::WrongPrincipal,
                false => {}
            }
        }
        verdict
    }
}

/// The key that made a signature of these bytes for this namespace; none when it is no such signature.
fn maker(text: &str, signed: &Signed<'_>) -> Option<PublicKey> {
    if text.len() > LONGEST {
        return None;
    }
    let signature = SshSig::from_pem(text).ok()?;
    let key = PublicKey::from(signature.public_key().clone());
    key.verify(signed.namespace, signed.message, &signature).ok()?;
    Some(key)
}

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// It is no private key in the format of OpenSSH.
    #[error("it is no private key in the format of OpenSSH")]
    NoKey,
    /// It opens with a passphrase only.
    #[error("it needs a passphrase, which is never asked for; `ssh-keygen -Y sign` can use it")]
    Encrypted,
    /// Its algorithm is none that signs here.
    #[error(
        "keys of its kind do not sign here; Ed25519, P-256 and P-384 keys do, and `ssh-keygen -Y sign` does with any"
    )]
    Algorithm,
}

/// Signs bytes with a private key in the format of OpenSSH; returns the text of the signature, as `ssh-keygen -Y sign`
/// writes it.
///
/// Errors: the key cannot be used.
pub fn sign(key: &str, namespace: &str, message: &[u8]) -> Result<String, SignError> {
    if is_of_p521(key) {
        // The crate reads some of these keys and not others (docs/decisions/0003-signatures.md).
        return Err(SignError::Algorithm);
    }
    let key = PrivateKey::from_openssh(key).map_err(|_| SignError::NoKey)?;
    if key.is_encrypted() {
        return Err(SignError::Encrypted);
    }
    if key.algorithm().is_rsa() {
        // Only what is public of such a key is handled here (docs/decisions/0003-signatures.md).
        return Err(SignError::Algorithm);
    }
    let signature = key.sign(namespace, HashAlg::Sha512, message).map_err(|_| SignError::Algorithm)?;
    signature.to_pem(LineEnding::LF).map_err(|_| SignError::Algorithm)
}

/// Whether a private key in the format of OpenSSH is one over P-521, by the name in it.
fn is_of_p521(key: &str) -> bool {
    use base64::Engine as _;
    let body: String = key.lines().filter(|line| !line.starts_with("-----")).map(str::trim).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(body).unwrap_or_default();
    bytes.windows(8).any(|window| window == b"nistp521")
}
