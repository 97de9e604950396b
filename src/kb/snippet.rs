//! Why a document was found: one line of its text with the most words of the query (disclosure.md §9).

use std::collections::HashSet;

use super::words::each_token;

/// The longest snippet, in characters.
pub(crate) const LONGEST: usize = 240;

/// The part of a text with the most different words of the query, the earliest of them; none when it has no word.
pub(crate) fn of_text(text: &str, words: &[String]) -> Option<String> {
    let mut matches: Vec<(usize, (usize, usize))> = Vec::new();
    each_token(text, |form, span| {
        if let Some(word) = words.iter().position(|word| word == form) {
            matches.push((word, span));
        }
    });
    // Room is left for the dots at both ends.
    let room = LONGEST - 40;
    let mut best: Option<(usize, usize, usize)> = None;
    for (n, (_, first)) in matches.iter().enumerate() {
        let inside = matches[n..].iter().take_while(|(_, span)| span.1 <= first.0 + room);
        let (mut different, mut end) = (HashSet::new(), first.1);
        for (word, span) in inside {
            different.insert(word);
            end = span.1;
        }
        if best.is_none_or(|(most, ..)| different.len() > most) {
            best = Some((different.len(), first.0, end));
        }
        if different.len() == words.len() {
            break;
        }
    }
    let (_, start, end) = best?;
    Some(cut(text, start, end))
}

/// One line of at most [`LONGEST`] characters around a part of a text, cut between words.
fn cut(text: &str, start: usize, end: usize) -> String {
    let before: Vec<char> = collapsed_back(&text[..start]);
    let middle: Vec<char> = collapsed(&text[start..end]);
    let after: Vec<char> = collapsed_forward(&text[end..]);
    let spare = LONGEST.saturating_sub(middle.len() + 6);
    let lead = before.len().min(spare / 3);
    let trail = after.len().min(spare - lead);
    let lead = before.len().min(spare - trail);
    let mut head: Vec<char> = before[before.len() - lead..].to_vec();
    let mut tail: Vec<char> = after[..trail].to_vec();
    let cut_head = lead < before.len() || before.len() >= LONGEST;
    let cut_tail = trail < after.len() || after.len() >= LONGEST;
    if cut_head && lead > 0 {
        let word = head.iter().position(|c| *c == ' ').map_or(head.len(), |at| at + 1);
        head.drain(..word);
    }
    if cut_tail && trail > 0 {
        let word = tail.iter().rposition(|c| *c == ' ').unwrap_or(0);
        tail.truncate(word);
    }
    let line: String = head.iter().chain(&middle).chain(&tail).collect();
    let line: String = line.trim().chars().take(LONGEST - 6).collect();
    let dots = |cut: bool| if cut { "..." } else { "" };
    format!("{}{}{}", dots(cut_head), line.trim(), dots(cut_tail))
}

fn collapsed(text: &str) -> Vec<char> {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect()
}

/// The last characters of a text, white space collapsed, a blank at the end where there was one.
fn collapsed_back(text: &str) -> Vec<char> {
    let from = text.char_indices().rev().take(LONGEST * 3).last().map_or(0, |(at, _)| at);
    let part = &text[from..];
    let mut all = collapsed(part);
    if part.ends_with(char::is_whitespace) && !all.is_empty() {
        all.push(' ');
    }
    let extra = all.len().saturating_sub(LONGEST);
    all.drain(..extra);
    all
}

fn collapsed_forward(text: &str) -> Vec<char> {
    let to = text.char_indices().nth(LONGEST * 3).map_or(text.len(), |(at, _)| at);
    let part = &text[..to];
    let mut all = collapsed(part);
    if part.starts_with(char::is_whitespace) && !all.is_empty() {
        all.insert(0, ' ');
    }
    all.truncate(LONGEST);
    all
}

/// A text in one line of at most [`LONGEST`] characters.
pub(crate) fn line(text: &str) -> String {
    let all = collapsed(text.get(..text.floor_char_boundary(LONGEST * 8)).unwrap_or(text));
    if all.len() <= LONGEST {
        return all.into_iter().collect();
    }
    let kept: String = all[..LONGEST - 3].iter().collect();
    let kept = kept.rsplit_once(' ').map_or(kept.as_str(), |(head, _)| head);
    format!("{kept}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn the_window_with_the_most_words_is_shown() {
        let text =
            format!("gate {}\n\nHere the gate\tand the canary meet. {}", "x ".repeat(300), "y ".repeat(300));
        let shown = of_text(&text, &words(&["gat", "canary"])).unwrap();
        assert!(shown.contains("Here the gate and the canary meet."), "{shown}");
        assert!(shown.starts_with("...") && shown.ends_with("..."), "{shown}");
        assert!(shown.chars().count() <= LONGEST, "{}", shown.chars().count());
    }

    #[test]
    fn a_short_text_is_shown_whole_and_no_match_is_none() {
        assert_eq!(of_text("A gate.\nHere.", &words(&["gat"])).unwrap(), "A gate. Here.");
        assert_eq!(of_text("nothing", &words(&["gat"])), None);
        assert_eq!(of_text(&"a".repeat(500), &words(&["gat"])), None);
        assert!(line(&"word ".repeat(100)).chars().count() <= LONGEST);
    }

    #[test]
    fn long_lines_without_blanks_stay_within_the_limit() {
        for text in
            [format!("gate{}", "é".repeat(900)), format!("{} gate {}", "é".repeat(900), "日".repeat(900))]
        {
            if let Some(shown) = of_text(&text, &words(&["gat"])) {
                assert!(shown.chars().count() <= LONGEST && !shown.is_empty());
            }
        }
    }
}
