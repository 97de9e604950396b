//! `pm catalog serve`.

use std::time::Duration;

use super::{as_of, folder, place};
use crate::answer::{Answer, Follow};
use crate::catalog::serve::{self, Day, Endpoint, Site};
use crate::contract::{Contract, Example, Tier};
use crate::error::{Code, Error, Result};
use crate::surface::{Command, Context};

/// Serves a catalog that was built.
pub(in crate::commands) struct Serve;

/// How often is looked whether anybody still reads standard output.
const INTERVAL: Duration = Duration::from_millis(250);

/// Arguments of `pm catalog serve`.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The port on this machine; 0 for any free one
    #[arg(long, value_name = "PORT", default_value = "0", value_parser = clap::value_parser!(u16))]
    port: u16,
    /// Answer searches at /v1/search too; =untrusted also at /v1/search.untrusted
    #[arg(long, value_name = "untrusted", num_args = 0..=1, require_equals = true, default_missing_value = "trusted",
          value_parser = ["trusted", "untrusted"])]
    search_endpoint: Option<String>,
    /// The folder that was built, when it is not that of the settings
    #[arg(long, value_name = "DIR")]
    from: Option<String>,
    /// The day on which searches judge levels; SOURCE_DATE_EPOCH says the same, else it is the day of each
    #[arg(long, value_name = "DATE")]
    clock: Option<String>,
}

impl Command for Serve {
    const CONTRACT: Contract = Contract {
        path: &["catalog", "serve"],
        about: "Serve a catalog that was built, to this machine only, with entity tags",
        errors: &[
            Code::CatalogFolderInvalid,
            Code::CatalogSettingsInvalid,
            Code::CatalogPortUnavailable,
            Code::RepositoryMissing,
        ],
        examples: &[
            Example { about: "Look at the page", argv: &["catalog", "serve", "--port", "8080"] },
            Example { about: "With a search endpoint", argv: &["catalog", "serve", "--search-endpoint"] },
        ],
        tier: Tier::Full,
        ..Contract::BASE
    };
    type Args = Args;

    fn run<'a>(args: Args, context: &'a Context) -> Result<Answer<'a>> {
        let settings = place(context).and_then(|place| Ok((place.settings()?, place)));
        let (root, base_path) = match (&args.from, settings) {
            (Some(typed), Ok((settings, _))) => (folder(context, typed), settings.base_path),
            (Some(typed), Err(_)) => (folder(context, typed), String::new()),
            (None, Ok((settings, place))) => (place.top().join(&settings.out), settings.base_path),
            (None, Err(error)) => return Err(error),
        };
        let endpoint = match args.search_endpoint.as_deref() {
            None => Endpoint::None,
            Some("untrusted") => Endpoint::Untrusted,
            Some(_) => Endpoint::Trusted,
        };
        let fixed = args.clock.is_some() || context.env.get("SOURCE_DATE_EPOCH").is_some();
        let day = match fixed {
            true => Day::Fixed(as_of(context, args.clock.as_deref())?),
            false => Day::Clock(context.clock.clone()),
        };
        let site = Site::open(&root, &base_path, endpoint, day)?;
        let address = serve::serve(site, args.port).map_err(|cause| {
            let message = format!("port {} cannot be listened on: {cause}", args.port);
            Error::new(Code::CatalogPortUnavailable, message)
                .at("--port")
                .rejecting(args.port.to_string())
                .because(cause)
                .hint("pm catalog serve --port 0")
        })?;
        let url = format!("http://{address}{base_path}/");
        let answer = Answer::new().value("listening", url.as_str()).raw(format!("listening on {url}\n"));
        Ok(answer.follow(Follow { interval: INTERVAL, idle: None, next: Box::new(|| Ok(None)) }))
    }
}
