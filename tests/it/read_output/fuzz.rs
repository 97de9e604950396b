//! The body of the fuzz target, with texts made from a corpus: what libFuzzer does with a nightly compiler, in every run
//! of the tests. `PM_FUZZ_CASES=1000000 cargo test --release --test it fuzz` goes on for longer.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

#[path = "../../fuzz/body.rs"]
mod body;

/// Numbers that look like any others, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap_or_default()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A text of the corpus with a few characters changed, or as it is.
    fn text(&mut self, of: &[&str]) -> String {
        let mut text: Vec<char> = self.one(of).chars().collect();
        let changes = if self.below(3) == 0 { 0 } else { self.below(4) };
        for _ in 0..changes {
            let at = self.below(text.len() + 1);
            let with =
                ['A', '9', '-', '"', '{', ',', '.', 'é', '\u{7f}', ' ', 'e', '\0', '😀', ':'][self.below(14)];
            match self.below(4) {
                0 if at < text.len() => drop(text.remove(at)),
                1 if at < text.len() => text[at] = with,
                2 => text.truncate(at),
                _ => text.insert(at, with),
            }
        }
        text.into_iter().collect()
    }

    /// A cursor: bytes that begin like one, or a good one with a byte changed.
    fn cursor(&mut self, good: &[String]) -> String {
        let mut bytes: Vec<u8> = match self.below(3) {
            0 => (0..self.below(60)).map(|_| self.below(256) as u8).collect(),
            _ => URL_SAFE_NO_PAD.decode(&good[self.below(good.len())]).unwrap_or_default(),
        };
        for _ in 0..self.below(3) {
            if !bytes.is_empty() {
                let at = self.below(bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5][self.below(10)];
            }
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

const INCLUDES: &[&str] = &[
    "id",
    "brief",
    "full,id",
    "items.title",
    "id,title,nosuch",
    "checks",
    "checks.details",
    "ready,blocked",
    "",
    ",",
    "recommended.title",
];
const NUMBERS: &[&str] = &[
    "1",
    "2",
    "9",
    "250",
    "400",
    "700",
    "1500",
    "4000",
    "unbounded",
    "0",
    "-1",
    "1e3",
    "9007199254740991",
    "9007199254740992",
];
const SESSIONS: &[&str] = &[
    r#"{"version":1,"id":"o","token_budget":4000,"spent_tokens":0,"seen_item_ids":[]}"#,
    r#"{"version":1,"id":"o","token_budget":900,"spent_tokens":300,"seen_item_ids":["pm-1","pm-7"]}"#,
    r#"{"version":1,"id":"a.b","token_budget":9007199254740991,"spent_tokens":1,"seen_item_ids":["pm-3","pm-3:abcdef","pm-9:zzz"]}"#,
    r#"{"version":1.0,"id":"o","token_budget":256,"spent_tokens":256,"seen_item_ids":["a:b:c"]}"#,
    "[]",
];

/// How many cases.
fn cases() -> usize {
    std::env::var("PM_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000)
}

/// Cursors that answers of every surface hand out.
fn cursors() -> Vec<String> {
    let asks = [("200", None), ("400", None), ("700", None), ("3", Some(()))];
    let found = (0..6).flat_map(|which| {
        asks.iter().flat_map(move |(number, limit)| body::cursors(which, number, limit.is_some()))
    });
    found.collect()
}

#[test]
fn any_control_of_any_surface_is_answered_or_refused() {
    let good = cursors();
    assert!(good.len() > 12, "{good:?}");
    let mut random = Random(0x6a09_e667_f3bc_c909);
    for _ in 0..cases() {
        let input: body::Input = (
            random.below(256) as u8,
            random.below(256) as u8,
            random.text(INCLUDES),
            random.text(NUMBERS),
            random.text(SESSIONS),
            random.cursor(&good),
            random.cursor(&good),
        );
        let shown = format!("{input:?}");
        let tried = std::panic::catch_unwind(|| body::try_controls(input));
        assert!(tried.is_ok(), "{shown}");
    }
}
