//! The five kinds of documents, and which prefix of a path stands for which (seed 000, Document Kinds).

/// What role a document plays. The enumeration is closed: a repository cannot add to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Binding governance.
    Canon,
    /// Documentation.
    Docs,
    /// The chronological record.
    Journals,
    /// Published essays.
    Essays,
    /// What is kept beside the canon.
    Apocrypha,
}

impl Kind {
    /// All five, in the order of the contract.
    pub const ALL: [Kind; 5] = [Kind::Canon, Kind::Docs, Kind::Journals, Kind::Essays, Kind::Apocrypha];

    /// What a call gets that names none.
    pub const DEFAULT: [Kind; 3] = [Kind::Canon, Kind::Docs, Kind::Essays];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Canon => "canon",
            Kind::Docs => "docs",
            Kind::Journals => "journals",
            Kind::Essays => "essays",
            Kind::Apocrypha => "apocrypha",
        }
    }

    /// The kind of exactly this name; case matters.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The names of all, in order.
    pub fn names() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.as_str()).collect()
    }
}

/// The prefixes that every repository begins with; the last one catches everything.
pub const DEFAULT_MAP: [(&str, Kind); 7] = [
    ("canon/", Kind::Canon),
    ("docs/", Kind::Docs),
    ("odd/", Kind::Journals),
    ("writings/", Kind::Essays),
    ("apocrypha/", Kind::Apocrypha),
    (".agents/pm/", Kind::Journals),
    ("", Kind::Docs),
];

/// Prefixes of paths and the kinds they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindMap(Vec<(String, Kind)>);

impl Default for KindMap {
    fn default() -> KindMap {
        KindMap(DEFAULT_MAP.iter().map(|(prefix, kind)| ((*prefix).to_owned(), *kind)).collect())
    }
}

impl KindMap {
    /// Sets what a prefix stands for; one that is known already is remapped.
    pub fn set(&mut self, prefix: &str, kind: Kind) {
        match self.0.iter_mut().find(|(known, _)| known == prefix) {
            Some(entry) => entry.1 = kind,
            None => self.0.push((prefix.to_owned(), kind)),
        }
    }

    /// The kind of a path: that of its longest prefix.
    pub fn of(&self, path: &str) -> Kind {
        let fits = self.0.iter().filter(|(prefix, _)| path.starts_with(prefix.as_str()));
        fits.max_by_key(|(prefix, _)| prefix.len()).map_or(Kind::Docs, |(_, kind)| *kind)
    }

    /// The prefixes of a kind, in the order of the map.
    pub fn prefixes(&self, kind: Kind) -> Vec<&str> {
        self.0.iter().filter(|(_, own)| *own == kind).map(|(prefix, _)| prefix.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_decides() {
        let mut map = KindMap::default();
        map.set("canon/apocrypha/", Kind::Apocrypha);
        assert_eq!(map.of("canon/x.md"), Kind::Canon);
        assert_eq!(map.of("canon/apocrypha/x.md"), Kind::Apocrypha);
        assert_eq!(map.of("canonical.md"), Kind::Docs);
        assert_eq!(map.of(".agents/pm/tasks/pm-1.toon"), Kind::Journals);
        map.set("", Kind::Essays);
        assert_eq!(map.of("README.md"), Kind::Essays);
    }

    #[test]
    fn names_are_exact() {
        assert_eq!(Kind::named("canon"), Some(Kind::Canon));
        assert_eq!(Kind::named("Canon"), None);
        assert_eq!(Kind::named("runbooks"), None);
    }
}
