//! Whether the process that left something behind still lives.

/// What is known about a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It runs.
    Alive,
    /// It is gone, or its number belongs to another one now.
    Dead,
    /// This system does not tell.
    Unknown,
}

/// Names the set of processes that share numbers with ours: host, boot and process namespace.
pub(crate) fn realm() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let boot = read("/proc/sys/kernel/random/boot_id");
    let namespace =
        std::fs::read_link("/proc/self/ns/pid").map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    let digits: String = namespace.chars().filter(char::is_ascii_digit).collect();
    format!("{}/{boot}/{digits}", host())
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    String::new()
}

/// When a process started, in a form that is compared for equality only; `None` where the system does not tell.
pub(crate) fn started(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    fields(&stat).map(|(_, started)| started.to_owned())
}

/// The state and the start time out of `/proc/<pid>/stat`; the name before them may hold anything.
fn fields(stat: &str) -> Option<(&str, &str)> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    Some((state, fields.nth(18)?))
}

/// Whether a process of our realm lives. With `start` given, another process of the same number does not count.
pub(crate) fn life(pid: u32, start: Option<&str>) -> Life {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        && let Some((state, now)) = fields(&stat)
    {
        let ended = matches!(state, "Z" | "X" | "x");
        return if ended || start.is_some_and(|start| start != now) { Life::Dead } else { Life::Alive };
    }
    probe(pid)
}

#[cfg(unix)]
fn probe(pid: u32) -> Life {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Life::Dead };
    match test_kill_process(pid) {
        Ok(()) | Err(rustix::io::Errno::PERM) => Life::Alive,
        Err(rustix::io::Errno::SRCH) => Life::Dead,
        Err(_) => Life::Unknown,
    }
}

#[cfg(not(unix))]
fn probe(_: u32) -> Life {
    Life::Unknown
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn tells_the_living_from_the_dead() {
        let me = std::process::id();
        let start = started(me).unwrap();
        assert_eq!(life(me, Some(&start)), Life::Alive);
        assert_eq!(life(me, Some("1")), Life::Dead);
        assert_eq!(life(u32::MAX, None), Life::Dead);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert_eq!(life(pid, None), Life::Dead);
        assert_eq!(realm(), realm());
    }

    #[test]
    fn names_with_brackets_do_not_confuse() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        assert_eq!(fields(stat), Some(("S", "4242")));
    }
}
