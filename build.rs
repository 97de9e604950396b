//! How the program is linked; nothing is generated here.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        // Nothing is to be relocated when a process starts: docs/decisions/0005-fixed-address.md.
        println!("cargo::rustc-link-arg-bin=pm=-no-pie");
    }
}
