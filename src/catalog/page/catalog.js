// The list of procedures: a form, and hits that follow every key. The query lives in the address.

import { el, failure, keepDate, link, load, number, phrase, riskTag, show, trustBadge } from "./dom.js";
import { EXECUTIONS, PROFILES, RISKS, Refusal, asks, browse, ranked, readQuery } from "./search.js";
import { LEVELS, LEVEL_NAMES, readerDay } from "./trust.js";

// The untrusted list is another page with another index; nothing on this page can reach it.
const page = document.body.dataset;
const untrusted = page.list === "untrusted";
const levels = untrusted ? LEVELS.slice(0, 2) : LEVELS.slice(2);
const floor = levels[0];
const STEP = 25;

const form = document.querySelector("form.query");
const list = document.querySelector("ol.hits");
const said = document.querySelector("p.said");
const notice = document.querySelector("div.messages");
const more = document.querySelector("button.more");

let entries = [];
let shown = STEP;
let today = "";

const field = (name) => form.elements.namedItem(name);

function options(name, values, any, label) {
  show(field(name), any === null ? null : el("option", { value: "" }, any), values.map((value) => el("option", { value }, label(value))));
}

function chips(wanted) {
  const counts = new Map();
  for (const entry of entries) for (const one of entry.capabilities) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of wanted) if (!counts.has(one)) counts.set(one, 0);
  const names = [...counts.keys()].sort();
  const chip = (name) => el("label", { class: "chip" },
    el("input", { type: "checkbox", name: "capability", value: name, checked: wanted.includes(name) }), el("span", null, name));
  show(form.querySelector(".chips"), names.length === 0 ? el("p", { class: "quiet" }, "No procedure here asks for any.") : names.map(chip));
}

/** Puts what the address asks for into the form. */
function fillForm(given, query) {
  options("risk_max", RISKS, "any risk", (risk) => `at most ${phrase(risk)}`);
  options("execution", EXECUTIONS, "anyone", (word) => ({ manual: "a person", assisted: "a person with a runtime", automated: "a runtime" })[word]);
  options("profile", PROFILES, "any", (word) => (word === "p0" ? "p0, to read" : "p1, to walk"));
  options("trust_min", levels, null, (level) => `${level} ${LEVEL_NAMES[level]}${level === levels[levels.length - 1] ? "" : " or more"}`);
  field("symptom").value = given.get("symptom") ?? "";
  field("target").value = query.targets.join(", ");
  for (const name of ["risk_max", "execution", "profile"]) field(name).value = query[name] ?? "";
  field("trust_min").value = query.trust_min;
  field("available").checked = query.available !== null;
  chips(query.available ?? []);
  const filtered = query.targets.length > 0 || query.risk_max || query.execution || query.profile || query.trust_min !== floor || query.available !== null;
  if (filtered) form.querySelector("details").open = true;
}

/** The parameters that the form asks for, as they stand in the address. */
function asked() {
  const found = new URLSearchParams();
  const set = (name, value) => {
    if (value !== "") found.set(name, value);
  };
  set("symptom", field("symptom").value.trim());
  set("target", field("target").value.split(",").map((one) => one.trim()).filter((one) => one !== "").join(","));
  for (const name of ["risk_max", "execution", "profile"]) set(name, field(name).value);
  if (field("trust_min").value !== floor) set("trust_min", field("trust_min").value);
  if (field("available").checked) {
    found.set("available", [...form.querySelectorAll("input[name=capability]:checked")].map((one) => one.value).join(","));
  }
  return found;
}

const recordPage = (entry) => link(page.record, { id: entry.id });

function facts(variant) {
  const { entry } = variant;
  const needs = entry.capabilities.length === 0 ? "needs no capability" : entry.capabilities.map((one) => el("code", null, one));
  return el("p", { class: "facts" },
    el("span", { class: "level" }, trustBadge(entry.trust, entry.trust_expires_on, today)), riskTag(entry.risk),
    el("span", null, phrase(entry.execution)), el("span", null, entry.min_runtime_profile), el("span", { class: "needs" }, needs));
}

function single(hit, variant) {
  const { entry } = variant;
  return el("li", { class: "hit", "data-id": entry.id, "data-topic": entry.topic },
    el("h3", null, el("a", { href: recordPage(entry) }, entry.title)),
    entry.summary ? el("p", { class: "summary" }, entry.summary) : null, facts(variant));
}

function topic(hit) {
  const matched = hit.variants.length;
  const count = matched === hit.variants_total ? `${matched} variants of one procedure` : `${matched} of ${hit.variants_total} variants match`;
  const variant = (one) => el("li", null, el("a", { href: recordPage(one.entry) }, one.entry.title), facts(one));
  return el("li", { class: "hit topic", "data-id": hit.variants[0].entry.id, "data-topic": hit.name },
    el("h3", null, el("a", { href: recordPage(hit.variants[0].entry) }, hit.title), " ", el("span", { class: "quiet" }, count)),
    el("ul", { class: "variants" }, hit.variants.map(variant)));
}

const card = (hit) => (hit.type === "topic" && hit.variants_total > 1 ? topic(hit) : single(hit, hit.variants[0]));

function told(count, query) {
  if (entries.length === 0) return untrusted ? "Everything in this catalog is reviewed." : "This catalog has no reviewed procedure yet.";
  if (query.symptom?.length === 0) return "Words of two letters or more find something.";
  if (count === 0) return asks(query) ? "Nothing here fits. Fewer words or fewer filters find more." : "Nothing passes these filters.";
  const things = count === 1 ? "1 procedure" : `${number(count)} procedures`;
  return asks(query) ? `${things} found, the best first.` : `${things}, the least risky first.`;
}

function refused(error) {
  show(list);
  more.hidden = true;
  show(said, "The query cannot be answered, so nothing is shown.");
  show(notice, el("div", { class: "notice bad", role: "alert" }, el("p", null, error.message),
    el("p", null, el("a", { href: link(location.pathname) }, "Begin again without it"))));
}

function answer(query) {
  const hits = ranked(entries, query, today);
  show(notice);
  show(said, told(hits.length, query));
  show(list, hits.slice(0, shown).map(card));
  more.hidden = hits.length <= shown;
  show(more, `Show ${Math.min(STEP, hits.length - shown)} more of ${number(hits.length)}`);
}

function withFloor(given) {
  const query = readQuery(given);
  if (!given.some(([name]) => name === "trust_min")) query.trust_min = floor;
  if (!levels.includes(query.trust_min)) {
    const where = untrusted ? "on this page, which holds what is below T2" : "here; what is below T2 has a page of its own";
    throw new Refusal("trust_min", `'${query.trust_min}' is not offered ${where}`, query.trust_min, levels);
  }
  return query;
}

function run() {
  const found = asked();
  const kept = new URLSearchParams(location.search).get("today");
  const address = new URLSearchParams(found);
  if (kept !== null) address.set("today", kept);
  history.replaceState(null, "", address.size === 0 ? location.pathname : `?${address}`);
  try {
    answer(withFloor([...found]));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refused(error);
  }
}

function listen() {
  form.addEventListener("input", (event) => {
    if (event.target.name === "capability" && event.target.checked) field("available").checked = true;
    shown = STEP;
    run();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.focus();
  });
  more.addEventListener("click", () => {
    const before = list.children.length;
    shown += STEP;
    run();
    list.children[before]?.querySelector("a")?.focus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field("symptom").focus();
    } else if (event.key === "Escape" && event.target === field("symptom") && field("symptom").value !== "") {
      field("symptom").value = "";
      run();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      walk(event);
    }
  });
}

/** The arrow keys go from hit to hit, and back to the field. */
function walk(event) {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (links.length === 0 || (at < 0 && document.activeElement !== field("symptom"))) return;
  event.preventDefault();
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  if (next < 0) field("symptom").focus();
  else links[Math.min(next, links.length - 1)].focus();
}

async function begin() {
  show(notice);
  show(said, "Fetching the index…");
  const given = new URLSearchParams(location.search);
  try {
    today = readerDay(given.get("today"));
  } catch (error) {
    given.delete("today");
    history.replaceState(null, "", given.size === 0 ? location.pathname : `?${given}`);
    return refused(error);
  }
  try {
    const index = await load(page.index);
    entries = index.entries;
  } catch (error) {
    show(said);
    show(notice, failure(error, begin));
    return undefined;
  }
  if (given.has("today")) show(document.querySelector(".day"), "Levels as of ", el("time", { datetime: today }, today));
  const pairs = [...given].filter(([name]) => name !== "today");
  let query = { ...browse(), trust_min: floor };
  let wrong = null;
  try {
    query = withFloor(pairs);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    wrong = error;
  }
  fillForm(given, query);
  form.hidden = false;
  const wide = matchMedia("(min-width: 60rem)").matches;
  if (wide) form.querySelector("details").open = true;
  listen();
  if (wrong === null) answer(query);
  else refused(wrong);
  return undefined;
}

keepDate();
begin();
