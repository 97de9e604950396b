//! The kinds of links: what each means, which one is its inverse, how older spellings resolve.

/// What a kind of link says about two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// One comes before the other.
    Ordering,
    /// One contains the other.
    Hierarchy,
    /// They have to do with each other, in no direction.
    Association,
    /// One refers to the other with a meaning of its own.
    Semantic,
}

/// Which end of an edge of an ordered kind stands first: the blocker, or the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// The item that holds the link.
    Source,
    /// The item that the link names.
    Target,
    /// The kind has no order.
    Neither,
}

/// One kind of link.
#[derive(Debug, PartialEq, Eq)]
pub struct LinkKind {
    /// Its canonical name, as answers show it.
    pub name: &'static str,
    /// What it says.
    pub family: Family,
    /// Which end comes first, or is the parent.
    pub first: First,
    /// The kind that says the same from the other end.
    pub inverse: Option<&'static str>,
    /// Older spellings.
    pub aliases: &'static [&'static str],
}

const fn kind(
    name: &'static str,
    family: Family,
    first: First,
    inverse: Option<&'static str>,
    aliases: &'static [&'static str],
) -> LinkKind {
    LinkKind { name, family, first, inverse, aliases }
}

/// Every kind, by name.
pub static KINDS: [LinkKind; 11] = [
    kind("blocked_by", Family::Ordering, First::Target, Some("blocks"), &["depends_on"]),
    kind("blocks", Family::Ordering, First::Source, Some("blocked_by"), &[]),
    kind("child", Family::Hierarchy, First::Source, Some("parent"), &["parent_child", "task"]),
    kind("discovered_from", Family::Semantic, First::Neither, None, &[]),
    kind("implements", Family::Semantic, First::Neither, None, &[]),
    kind("incident_from", Family::Semantic, First::Neither, None, &[]),
    kind("parent", Family::Hierarchy, First::Target, Some("child"), &["child_of", "epic"]),
    kind("recurs_from", Family::Semantic, First::Neither, None, &[]),
    kind("related", Family::Association, First::Neither, None, &["related_to"]),
    kind("supersedes", Family::Semantic, First::Neither, None, &[]),
    kind("verifies", Family::Semantic, First::Neither, None, &[]),
];

impl LinkKind {
    /// The kind with this name or older spelling; blanks and case are ignored, `-` is `_`.
    pub fn resolve(spelling: &str) -> Option<&'static LinkKind> {
        if let Some(kind) = KINDS.iter().find(|kind| kind.name == spelling) {
            return Some(kind);
        }
        let wanted = spelling.trim().to_lowercase().replace('-', "_");
        KINDS.iter().find(|kind| kind.name == wanted || kind.aliases.contains(&wanted.as_str()))
    }

    /// Whether the kind is one of these, or the inverse of one.
    pub fn is_among(&self, kinds: &[&'static LinkKind]) -> bool {
        kinds.iter().any(|other| other.name == self.name || other.inverse == Some(self.name))
    }

    /// Whether a path of such links says what a single one would.
    pub fn is_transitive(&self) -> bool {
        matches!(self.family, Family::Ordering | Family::Hierarchy)
    }
}

/// The name that stands for "nothing blocks this" in `blocked_by`; no item has it.
pub const NO_BLOCKER: &str = "no-active-blocker";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_spellings_resolve_to_the_kind_that_is_stored_today() {
        let table = [
            ("depends_on", "blocked_by"),
            ("Depends-On", "blocked_by"),
            ("related_to", "related"),
            ("child_of", "parent"),
            ("epic", "parent"),
            ("parent-child", "child"),
            (" task ", "child"),
            ("verifies", "verifies"),
        ];
        for (spelling, name) in table {
            assert_eq!(LinkKind::resolve(spelling).map(|kind| kind.name), Some(name), "{spelling}");
        }
        assert_eq!(LinkKind::resolve("wibble"), None);
    }

    #[test]
    fn inverses_point_back() {
        for kind in &KINDS {
            if let Some(inverse) = kind.inverse.and_then(LinkKind::resolve) {
                assert_eq!(inverse.inverse, Some(kind.name));
                assert_ne!(inverse.first, kind.first);
            }
        }
    }
}
