//! Lists the open items of the tracker around this folder, page by page, and says what to do next.
//!
//! Run: `cargo run --example client`

#![expect(clippy::print_stdout, reason = "a program of its own")]

use pm::client::PmClient;
use pm::read_output::ReadOutputOptions;
use pm::rows::{ItemRow, RecommendedRow};

fn main() -> pm::error::Result<()> {
    let pm = PmClient::new(std::env::current_dir().unwrap_or_default());
    for page in pm.pages::<ItemRow>(ReadOutputOptions::new().budget(800)) {
        for row in page?.rows {
            println!("{}  {}", row.id, row.title.unwrap_or_default());
        }
    }
    for row in pm.page::<RecommendedRow>([])?.rows {
        println!("next: {}  {}", row.id, row.reasons.unwrap_or_default().join(", "));
    }
    Ok(())
}
