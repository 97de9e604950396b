//! Lists the open items of the tracker around this folder, page by page, and says what to do next.
//!
//! Run: `cargo run --example client`

#![expect(clippy::print_stdout, reason = "a program of its own")]

use pm::client::PmClient;
use serde_json::json;

fn main() -> pm::error::Result<()> {
    let pm = PmClient::new(std::env::current_dir().unwrap_or_default());
    let mut cursor = json!(null);
    loop {
        let page = pm.list([("outputBudget", json!(800)), ("outputCursor", cursor)])?;
        for row in page["items"].as_array().into_iter().flatten() {
            println!("{}  {}", row["id"].as_str().unwrap_or("?"), row["title"].as_str().unwrap_or("?"));
        }
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    println!("next: {}", pm.next([])?["recommended"]["title"]);
    Ok(())
}
