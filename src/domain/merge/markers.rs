//! A file that Git could not merge, taken apart into the two versions between its markers.

/// The two versions of a file with conflict markers: ours, theirs. What stands outside of the markers is in both.
pub fn split(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    #[derive(PartialEq)]
    enum Part {
        Both,
        Ours,
        Base,
        Theirs,
    }
    let (mut ours, mut theirs, mut part) = (Vec::new(), Vec::new(), Part::Both);
    // Git makes them longer for a conflict within another one, and for a file that it found in two places.
    let mut length = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let run = |marker: u8| {
            let run = line.iter().take_while(|byte| **byte == marker).count();
            if line.get(run).is_none_or(u8::is_ascii_whitespace) { run } else { 0 }
        };
        match part {
            Part::Both if run(b'<') >= SHORTEST => {
                length = run(b'<');
                part = Part::Ours;
            }
            Part::Ours if run(b'|') == length => part = Part::Base,
            Part::Ours | Part::Base if run(b'=') == length => part = Part::Theirs,
            Part::Theirs if run(b'>') == length => part = Part::Both,
            Part::Both => {
                ours.extend_from_slice(line);
                theirs.extend_from_slice(line);
            }
            Part::Ours => ours.extend_from_slice(line),
            Part::Theirs => theirs.extend_from_slice(line),
            Part::Base => {}
        }
    }
    (ours, theirs)
}

/// The shortest marker.
const SHORTEST: usize = 7;

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn both_versions_come_out_whole() {
        for base in ["", "||||||| 1a2b\nb\n"] {
            let text = format!("x\n<<<<<<< HEAD\na\n{base}=======\nc\n>>>>>>> side\ny\n");
            assert_eq!(split(text.as_bytes()), (b"x\na\ny\n".to_vec(), b"x\nc\ny\n".to_vec()));
        }
        let long = b"x\n<<<<<<<< HEAD:a\na\n=======\n========\nc\n>>>>>>>> side:b\n";
        assert_eq!(split(long), (b"x\na\n=======\n".to_vec(), b"x\nc\n".to_vec()));
        assert_eq!(split(b"<<<<<<< x\na\n"), (b"a\n".to_vec(), Vec::new()));
        assert_eq!(split(b"plain\n=======\n"), (b"plain\n=======\n".to_vec(), b"plain\n=======\n".to_vec()));
    }
}
