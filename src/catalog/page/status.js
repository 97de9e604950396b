// How old the catalog's own judgements are, and how large its index.

import { el, failure, keepDate, link, load, number, phrase, show, svg } from "./dom.js";
import { RISKS } from "./search.js";
import { LEVELS, LEVEL_NAMES, daysBetween, readerDay } from "./trust.js";

const page = document.body.dataset;
const place = document.querySelector("div.status");

/** What statements are worth, the good ones first. */
const STATEMENTS = ["valid", "future", "stale", "unknown_key", "invalid"];

function pair(name, ...value) {
  return el("div", null, el("dt", null, name), el("dd", null, value));
}

function panel(id, title, ...content) {
  return el("section", { class: "panel", "aria-labelledby": id }, el("h2", { id }, title), content);
}

/** Counts in the order of a vocabulary, its words first; what a later version counts comes behind. */
function ordered(counts, words) {
  const known = words.filter((word) => word in counts);
  return [...known, ...Object.keys(counts).filter((word) => !words.includes(word))].map((word) => [word, counts[word]]);
}

/** A bar of the part that a value is of the most. It is drawn: browsers lay out elements of their own differently. */
function meter(value, most, label, over) {
  const part = most > 0 ? Math.min(100, (100 * value) / most) : 0;
  const picture = svg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { width: part, height: 1 }));
  return el("div", { class: over ? "meter meter-over" : "meter", role: "meter", "aria-valuemin": 0, "aria-valuemax": most, "aria-valuenow": Math.min(value, most), "aria-valuetext": label, "aria-label": label }, picture);
}

function bars(counts, total, label, words) {
  const most = Math.max(1, total);
  const row = ([name, count]) => el("tr", null, el("th", { scope: "row" }, label(name)), el("td", { class: "figure" }, number(count)),
    el("td", { class: "bar" }, meter(count, most, `${label(name)}: ${count} of ${total}`, false)));
  return el("table", { class: "bars" }, el("tbody", null, ordered(counts, words).map(row)));
}

function age(status, today) {
  const days = daysBetween(status.as_of, today);
  const text = days === 0 ? "today" : days === 1 ? "yesterday" : days > 1 ? `${number(days)} days ago` : "in the reader's future";
  return [el("time", { datetime: status.as_of }, status.as_of), ` (${text})`];
}

function search(facts) {
  const full = facts.within_budget ? "It fits." : "It is over its budget: search in a browser gets slow.";
  return panel("index", "Search index", el("p", { class: "size" }, el("b", null, `${number(facts.entries_bytes)} bytes`), ` of ${number(facts.budget_bytes)} bytes`),
    el("div", { class: "budget" }, meter(facts.entries_bytes, facts.budget_bytes, `Index against its budget: ${facts.entries_bytes} of ${facts.budget_bytes} bytes`, !facts.within_budget)),
    el("p", { class: facts.within_budget ? "quiet" : "warn" }, full),
    el("dl", { class: "pairs" }, pair("Compressed", `${number(facts.gzip_bytes)} bytes`), pair("Endpoint", facts.endpoint ?? "none: search runs in the browser")));
}

function expiring(status, today) {
  const row = (one) => el("tr", null, el("td", null, el("a", { href: link(page.record, { id: one.id }) }, one.id)), el("td", null, one.level),
    el("td", null, el("time", { datetime: one.expires_on }, one.expires_on)), el("td", { class: "figure" }, number(Math.max(0, daysBetween(today, one.expires_on)))));
  const content = status.expiring.length === 0 ? el("p", { class: "quiet" }, "No level ends within 30 days.")
    : el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "expiring" }, el("table", { class: "rows" },
      el("thead", null, el("tr", null, ["Record", "Level", "Ends on"].map((name) => el("th", { scope: "col" }, name)), el("th", { scope: "col", class: "figure" }, "Days"))), el("tbody", null, status.expiring.map(row))));
  return panel("expiring", "Levels that end soon", content);
}

function lines(id, title, items, none) {
  return panel(id, title, items.length === 0 ? el("p", { class: "quiet" }, none) : el("ul", { class: "plain" }, items.map((one) => el("li", null, one))));
}

function whole(status, today) {
  const ages = status.ages;
  const days = (value) => (value === null || value === undefined ? "none" : `${number(value)} days`);
  const short = (text) => el("code", { class: "hash" }, text);
  return [
    el("p", { class: "lead" }, "Judged on ", age(status, today), `. ${number(status.records.total)} records.`),
    el("div", { class: "panels" },
      panel("trust", "By trust", bars(status.records.by_trust, status.records.total, (level) => `${level} ${LEVEL_NAMES[level] ?? ""}`, LEVELS)),
      panel("risk", "By risk", bars(status.records.by_risk, status.records.total, phrase, RISKS)),
      search(status.search), expiring(status, today),
      panel("evidence", "Statements", el("dl", { class: "pairs counts" }, ordered(status.evidence, STATEMENTS).map(([name, count]) => pair(phrase(name), number(count)))),
        el("dl", { class: "pairs counts" }, pair("oldest", days(ages.oldest_attestation_days)), pair("newest", days(ages.newest_attestation_days)), pair("median", days(ages.median)))),
      panel("source", "Made of", el("dl", { class: "pairs" }, pair("Commit", short(status.commit), status.dirty ? " with changes that are not committed" : ""),
        pair("Trust root", `${status.trust_root.source} `, short(status.trust_root.digest)), pair("Tool", status.tool),
        status.majors.map((one) => pair(`Major ${one.major}`, one.status, one.supported_until ? ` until ${one.supported_until}` : "")))),
      lines("warnings", "Warnings", status.warnings, "None."),
      lines("refused", "Left out", status.refused_sources.map((one) => `${one.path}: ${(one.problems ?? []).join("; ")}`), "No record was left out."))];
}

async function begin() {
  show(place, el("p", { role: "status" }, "Fetching the status…"));
  try {
    const today = readerDay(new URLSearchParams(location.search).get("today"));
    show(place, whole(await load(page.status), today));
  } catch (error) {
    show(place, failure(error, begin));
  }
}

keepDate();
begin();
