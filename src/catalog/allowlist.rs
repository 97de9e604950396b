//! What a caller may do: capabilities by name, or by the beginning of their names. Wildcards stand here only, never in a
//! record.

use std::sync::LazyLock;

use regex::Regex;

use super::authored::CAPABILITY;

static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(CAPABILITY).ok());
static MANY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[a-z][a-z0-9]*:([A-Za-z0-9][A-Za-z0-9_/-]*\.)+\*$").ok());

/// A list of capabilities that are allowed; empty, it allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowlist {
    exact: Vec<String>,
    /// With the dot at the end: `mcp:pg.`.
    beginnings: Vec<String>,
}

impl Allowlist {
    /// Reads a list: separated by commas or lines, `#` begins a comment, `mcp:pg.*` allows all that begins with `mcp:pg.`.
    ///
    /// Errors: the word that is neither.
    pub fn read(text: &str) -> Result<Allowlist, String> {
        let mut list = Allowlist::default();
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        for word in lines.flat_map(|line| line.split(',')).map(str::trim).filter(|word| !word.is_empty()) {
            let fits = |form: &Option<Regex>| form.as_ref().is_some_and(|form| form.is_match(word));
            match word.strip_suffix('*') {
                Some(beginning) if fits(&MANY) => list.beginnings.push(beginning.to_owned()),
                None if fits(&ONE) => list.exact.push(word.to_owned()),
                _ => return Err(word.to_owned()),
            }
        }
        Ok(list)
    }

    /// Adds what another list allows.
    pub fn join(&mut self, other: Allowlist) {
        self.exact.extend(other.exact);
        self.beginnings.extend(other.beginnings);
    }

    /// Whether a capability is allowed.
    pub fn allows(&self, capability: &str) -> bool {
        self.exact.iter().any(|one| one == capability)
            || self.beginnings.iter().any(|beginning| capability.starts_with(beginning.as_str()))
    }

    /// Those of some capabilities that are not allowed, each once, in their order.
    pub fn missing<'c>(&self, capabilities: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
        let mut missing: Vec<&str> = Vec::new();
        for capability in capabilities {
            if !self.allows(capability) && !missing.contains(&capability) {
                missing.push(capability);
            }
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_allowed_by_name_or_beginning() {
        let list = Allowlist::read("mcp:pg.*, shell:kubectl # the cluster\nssh:jump\n\n").unwrap();
        for (capability, allowed) in [
            ("mcp:pg.query", true),
            ("mcp:pg", false),
            ("mcp:pgx", false),
            ("shell:kubectl", true),
            ("shell:kubectl.delete", false),
            ("ssh:jump", true),
            ("ssh:other", false),
        ] {
            assert_eq!(list.allows(capability), allowed, "{capability}");
        }
        assert_eq!(list.missing(["a:b", "ssh:jump", "c:d", "a:b"]), ["a:b", "c:d"]);
        assert_eq!(Allowlist::read("").unwrap().missing(["a:b"]), ["a:b"]);
        for bad in ["*", "mcp:*", "mcp:pg*", "*:query", "mcp:pg.*.x", "kubectl", "mcp:pg.**"] {
            assert_eq!(Allowlist::read(bad).unwrap_err(), bad);
        }
    }
}
