//! `pm man`.

use pm::commands::CATALOG;

use crate::sandbox::Sandbox;

#[test]
fn the_program_and_every_command_have_a_page() {
    let pm = Sandbox::empty();
    let page = pm.ok(&["man"]);
    assert!(page.starts_with(".TH") && page.contains(".SH COMMANDS") && page.contains("update"), "{page}");
    let list = pm.ok(&["man", "list"]);
    assert!(list.contains("\\-\\-status") && list.contains(".SH EXAMPLES"), "{list}");
    assert!(pm.json(&["man", "plan", "add-step"])["page"].as_str().unwrap().starts_with(".TH"));
    for surface in CATALOG.iter() {
        let page = pm::generate::man::command(surface, CATALOG);
        let stray = page.lines().find(|line| {
            line.starts_with('\'')
                || line.starts_with('.')
                    && ![".TH", ".SH", ".TP", ".B "].iter().any(|known| line.starts_with(known))
        });
        assert_eq!(stray, None, "{}", surface.name());
    }
    pm.refused(&["man", "lisst"], 2, "unknown_command");
}
