//! Patterns as OpenSSH has them in `ssh_config`: `*`, `?`, lists with commas, `!` for what is excluded.

/// Whether a text fits a list of patterns; one that fits an excluded pattern does not.
pub(super) fn fits_list(text: &str, list: &str) -> bool {
    let mut positive = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(excluded) if fits(text.as_bytes(), excluded.as_bytes()) => return false,
            Some(_) => {}
            None => positive |= fits(text.as_bytes(), pattern.as_bytes()),
        }
    }
    positive
}

/// Whether a text fits one pattern. Goes back to the last `*` only, so that no pattern takes long.
fn fits(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut of) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(of) {
            Some(b'*') => {
                star = Some((at, of + 1));
                of += 1;
            }
            Some(b'?') => (at, of) = (at + 1, of + 1),
            Some(byte) if *byte == text[at] => (at, of) = (at + 1, of + 1),
            _ => match star {
                Some((from, after)) => {
                    star = Some((from + 1, after));
                    (at, of) = (from + 1, after);
                }
                None => return false,
            },
        }
    }
    pattern[of..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_as_in_ssh_config() {
        for (text, list, expected) in [
            ("ops@example.org", "ops@example.org", true),
            ("ops@example.org", "*@example.org", true),
            ("ops@example.org", "o?s@*", true),
            ("ops@example.org", "dana@example.org,*@example.org", true),
            ("ops@example.org", "*@example.org,!ops@*", false),
            ("ops@example.org", "!dana@*", false),
            ("Ops@example.org", "ops@example.org", false),
            ("ops", "", false),
            ("", "*", true),
            ("aaab", "a*ab", true),
            ("aaaa", "a*ab", false),
            ("a", "a**", true),
            ("ops@example.org", "ops@example.org ", false),
        ] {
            assert_eq!(fits_list(text, list), expected, "{text} {list}");
        }
    }

    #[test]
    fn a_hostile_pattern_ends() {
        let text = "a".repeat(4_000);
        let pattern = format!("{}b", "a*".repeat(2_000));
        assert!(!fits(text.as_bytes(), pattern.as_bytes()));
    }
}
