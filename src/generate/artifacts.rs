//! The generated files that are checked in, and the functions that make them.

use crate::surface::Catalog;

use super::{completions, contracts, docs, surfaces_page};

/// A generated file: its path from the root of the project, and what it must hold.
#[derive(Clone, Copy)]
pub struct Artifact {
    /// With `/`.
    pub path: &'static str,
    /// Makes the content.
    pub make: fn(Catalog) -> String,
}

/// Those with a fixed name; `UPDATE=1 cargo test generated` rewrites what is stale.
pub const ARTIFACTS: &[Artifact] = &[
    Artifact { path: "contracts/calls.json", make: contracts::calls_file },
    Artifact { path: "contracts/errors.json", make: contracts::errors_file },
    Artifact { path: "contracts/formats.json", make: contracts::formats_file },
    Artifact { path: "contracts/mcp-tools.json", make: contracts::tools_file },
    Artifact { path: "contracts/surfaces.json", make: contracts::surfaces_file },
    Artifact { path: "docs/commands.md", make: docs::commands },
    Artifact { path: "docs/contracts.md", make: surfaces_page::contracts },
    Artifact { path: "docs/errors.md", make: docs::errors },
];

/// All of them, the scripts of shells, the schemas of answers and those of the catalog's documents: path and content.
pub fn all(catalog: Catalog) -> Vec<(String, String)> {
    let fixed = ARTIFACTS.iter().map(|artifact| (artifact.path.to_owned(), (artifact.make)(catalog)));
    let answers = contracts::answer_files(catalog);
    fixed.chain(completions::files()).chain(answers).chain(contracts::catalog_files()).collect()
}
