//! The published schemas: they may add to what this program knows, and take nothing away.

use super::Look;
use crate::catalog::schema;
use crate::catalog::stability;

/// Each is there, and breaks nobody who goes by the schemas of this program.
pub(super) fn check(look: &mut Look<'_>) {
    for (name, own) in schema::all() {
        let path = format!("/v1/schema/{name}.json");
        let Some(published) = look.edition.json(&path) else { continue };
        if published["$id"] != own["$id"] {
            look.fault(&path, "schema", format!("`$id` is {}, and it is served at {path}", published["$id"]));
        }
        let breaking = stability::breaking(&look.edition.path(&path), name, own, &published);
        let breaks = !breaking.is_empty();
        look.found.extend(breaking);
        if !breaks && published != *own {
            let message = "it is not the schema that this program publishes: another version wrote it, or somebody changed it";
            look.doubt(&path, "schema", message);
        }
    }
}
