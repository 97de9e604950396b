//! A catalog that was built, over HTTP on this machine only: what a static host does, with the manifest's entity tags,
//! and a search endpoint where somebody turned it on. Never a source of truth: without it the files say the same.
//!
//! [`http`] reads requests and writes responses, [`site`] says what a path holds; no path leaves the folder, since only
//! what a manifest names is read.

mod http;
mod site;

use std::io::{self, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub use site::{Day, Endpoint, Site};

/// Connections at one time; more are closed at once.
const MOST_CONNECTIONS: usize = 128;

/// How long a client may take over a request, and over reading its answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Listens on a port of this machine, any free one for 0, and answers from then on; returns where.
///
/// Errors: what the system says.
pub fn serve(site: Site, port: u16) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.local_addr()?;
    let site = Arc::new(site);
    let open = Arc::new(AtomicUsize::new(0));
    std::thread::Builder::new().name("catalog-serve".to_owned()).spawn(move || {
        for stream in listener.incoming().flatten() {
            let (site, guard) = (Arc::clone(&site), Open::one(&open));
            if guard.count > MOST_CONNECTIONS {
                continue;
            }
            // Without a thread the connection is closed, as it is when there are too many.
            let _ = std::thread::Builder::new().spawn(move || {
                let _guard = guard;
                let _ = converse(&stream, &site);
            });
        }
    })?;
    Ok(address)
}

/// One of the open connections.
struct Open {
    all: Arc<AtomicUsize>,
    count: usize,
}

impl Open {
    fn one(all: &Arc<AtomicUsize>) -> Open {
        Open { all: Arc::clone(all), count: all.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One request, one response.
fn converse(stream: &TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (response, head) = match http::read(&mut BufReader::new(stream))? {
        Ok(request) => {
            let head = request.method == "HEAD";
            (site.answer(&request), head)
        }
        Err(response) => (response, false),
    };
    response.write(&mut &*stream, head)
}
