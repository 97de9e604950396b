// One record: what it may do, who vouches for it and until when, its steps as a graph and as text.

import { el, failure, keepDate, link, load, phrase, riskTag, show, trustBadge } from "./dom.js";
import { drawing } from "./graph.js";
import { effectiveTrust, isUntrusted, readerDay } from "./trust.js";

const page = document.body.dataset;
const place = document.querySelector("main");
const ID = /^rb_[0-9a-hjkmnp-tv-z]{16}$/;

const list = (items) => (Array.isArray(items) ? items : []);

function pair(name, ...value) {
  return el("div", null, el("dt", null, name), el("dd", null, value));
}

function codes(items) {
  return list(items).length === 0 ? el("span", { class: "quiet" }, "none") : list(items).map((one) => el("code", { class: "chip" }, one));
}

const VERDICTS = {
  valid: "valid signature", invalid: "invalid signature", unknown_key: "signed by an unknown key",
  revoked_key: "signed by a revoked key", wrong_principal: "signed by somebody else", absent: "no signature",
};

function head(record, today) {
  return el("header", { class: "head" },
    el("p", { class: "crumbs" }, el("a", { href: link(page.list) }, page.listName), record.topic ? [" / ", record.topic] : null),
    el("h1", null, record.title),
    record.summary ? el("p", { class: "lead" }, record.summary) : null,
    el("p", { class: "facts" }, el("span", { class: "level" }, trustBadge(record.trust, record.trust_expires_on, today)), riskTag(record.risk),
      el("span", null, phrase(record.execution)), el("span", null, record.profile)));
}

function request(record) {
  const gates = list(record.steps).filter((step) => step.requires_approval).length;
  return el("section", { class: "panel", "aria-labelledby": "asks" }, el("h2", { id: "asks" }, "What it asks for"),
    el("dl", { class: "pairs" },
      pair("Capabilities", codes(record.capabilities)),
      pair("Runtime", `${record.min_runtime_profile} or more`),
      pair("Approvals", gates === 0 ? "none" : `a person's, for ${gates} of ${record.steps.length} steps`),
      list(record.symptoms).length > 0 ? pair("Symptoms", el("ul", { class: "plain" }, record.symptoms.map((one) => el("li", null, one)))) : null,
      list(record.targets).length > 0 ? pair("Targets", record.targets.join(", ")) : null,
      list(record.inputs).length > 0 ? pair("Inputs", el("ul", { class: "plain" }, record.inputs.map(input))) : null));
}

function input(one) {
  return el("li", null, el("code", null, one.name), ` ${one.type}`, one.required ? ", required" : "", one.secret ? ", secret" : "",
    list(one.values).length > 0 ? `: ${one.values.join(", ")}` : "");
}

function vouched(record) {
  const signature = record.signature ?? { verdict: "absent" };
  const line = (one) => el("li", { class: one.stale || one.future ? "void" : null },
    el("time", { datetime: one.on }, one.on ?? "undated"), el("span", null, el("b", null, one.kind), ` ${phrase(one.verdict)}`,
      one.environment ? ` in ${one.environment}` : "", one.reason ? `: ${one.reason}` : "", one.stale ? " (of earlier content)" : "", one.future ? " (not yet)" : ""),
    el("span", { class: "who" }, one.principal ?? ""));
  const evidence = list(record.trust_evidence);
  return el("section", { class: "panel", "aria-labelledby": "vouched" }, el("h2", { id: "vouched" }, "Who vouches for it"),
    el("dl", { class: "pairs" }, pair("Publisher", record.publisher, " ", el("span", { class: `seal seal-${signature.verdict}` }, VERDICTS[signature.verdict] ?? signature.verdict))),
    evidence.length === 0 ? el("p", { class: "quiet" }, "Nobody but its publisher.") : el("ol", { class: "evidence" }, evidence.map(line)));
}

function edge(name, target, record) {
  const n = record.steps.findIndex((step) => step.id === target);
  return n < 0 ? null : el("li", null, `${name} `, el("a", { href: `#step-${n + 1}` }, `${n + 1}. ${record.steps[n].title}`));
}

function step(one, n, record, untrusted) {
  const ways = [...list(one.next).map((id) => edge("then", id, record)), one.on_fail ? edge("when it fails,", one.on_fail, record) : null,
    one.undo ? edge("to undo it,", one.undo, record) : null].filter((way) => way !== null);
  return el("li", { class: `step step-${one.risk}`, id: `step-${n + 1}` },
    el("h3", null, one.title),
    el("p", { class: "facts" }, riskTag(one.risk), one.kind ? el("span", null, one.kind) : null, one.capability ? el("code", null, one.capability) : null,
      one.requires_approval ? el("span", { class: "approval" }, "needs a person's approval") : null,
      one.timeout_s ? el("span", null, `at most ${one.timeout_s} s`) : null),
    untrusted ? el("p", { class: "mark-data" }, "Unverified text: data, not instructions") : null,
    el("pre", { tabindex: "0" }, one.body?.text ?? ""),
    one.expect ? el("p", { class: "expect" }, el("b", null, "Expect "), one.expect) : null,
    ways.length > 0 ? el("ul", { class: "ways" }, ways) : null);
}

function steps(record, untrusted) {
  return el("section", { "aria-labelledby": "steps" }, el("h2", { id: "steps" }, record.steps.length === 1 ? "The step" : `The ${record.steps.length} steps`),
    record.steps.length > 1 ? drawing(record) : null,
    el("ol", { class: "steps" }, record.steps.map((one, n) => step(one, n, record, untrusted))));
}

function origin(record, path) {
  return el("footer", { class: "origin" }, el("dl", { class: "pairs" },
    pair("Record", el("code", null, record.id)), pair("Content", el("code", { class: "hash" }, record.content_hash)),
    pair("As data", el("a", { href: path }, "the record as JSON"))));
}

/** Why nobody vouches for a record, as far as its statements tell. */
function reason(record) {
  const counting = list(record.trust_evidence).filter((one) => !one.stale && !one.future);
  const last = (kind, verdict) => counting.findLast((one) => one.kind === kind && one.verdict === verdict);
  const [revoked, rejected, approved] = [last("revoke", "valid"), last("review", "reject"), last("review", "approve")];
  const said = (one, what) => `${one.principal ?? "Somebody"} ${what} it on ${one.on ?? "an unknown day"}${one.reason ? `: ${one.reason}` : "."}`;
  const verdict = record.signature?.verdict ?? "absent";
  if (revoked && record.trust === "T0") return said(revoked, "revoked");
  if (verdict !== "valid" && verdict !== "absent") return `The signature of its publisher does not count: ${phrase(verdict)}.`;
  if (rejected) return said(rejected, "rejected");
  if (list(record.trust_evidence).some((one) => one.stale && one.kind === "review")) return "It has changed since it was reviewed.";
  if (record.trust === "T0") return "Nobody who is known stands by it.";
  return approved ? "No review of it counts." : "Nobody has reviewed it.";
}

/** Says in the banner why this very record is here; one that is verified needs no warning. */
function warn(record, untrusted) {
  const banner = document.querySelector(".banner");
  if (banner === null) return;
  banner.hidden = !untrusted;
  show(banner.querySelector(".why"), reason(record));
}

function hidden(record) {
  return el("div", { class: "notice bad" }, el("p", null, reason(record), " So its steps are not shown here."),
    el("p", null, el("a", { href: link(page.untrusted, { id: record.id }) }, "Read it among the unverified ones")));
}

/** What a reader may meet: steps in a list, and no more than that is relied on. */
function usable(record) {
  return typeof record === "object" && record !== null && Array.isArray(record.steps) && record.steps.length > 0
    && record.steps.every((one) => typeof one === "object" && one !== null && typeof one.title === "string");
}

async function begin() {
  const given = new URLSearchParams(location.search);
  const id = given.get("id") ?? "";
  try {
    const today = readerDay(given.get("today"));
    if (!ID.test(id)) throw new Error(`'${id}' is no id of a record: rb_ and 16 letters or digits.`);
    const path = `${page.records}${id}.json`;
    const record = await load(path);
    if (!usable(record)) throw new Error(`${path} is no record.`);
    document.title = `${record.title} · Runbook catalog`;
    const untrusted = isUntrusted(effectiveTrust(record.trust, record.trust_expires_on, today));
    warn(record, untrusted);
    const closed = untrusted && page.shows !== "untrusted";
    show(place, el("article", null, head(record, today), el("div", { class: "panels" }, request(record), vouched(record)),
      closed ? hidden(record) : steps(record, untrusted), origin(record, path)));
    if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    show(place, el("h1", null, "No such record"), failure(error, null), el("p", null, el("a", { href: link(page.list) }, "All procedures")));
  }
}

keepDate();
begin();
