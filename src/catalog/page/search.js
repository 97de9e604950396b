// Search over the index in the reader's browser: the same function as in Rust (src/catalog/search), held to it by
// fixtures/catalog/search-vectors.json. No DOM in here, so that it runs anywhere.

import { LEVELS, effectiveTrust } from "./trust.js";

export const RISKS = ["read_only", "reversible", "destructive", "irreversible"];
export const EXECUTIONS = ["manual", "assisted", "automated"];
export const PROFILES = ["p0", "p1"];
export const PARAMETERS = ["symptom", "target", "risk_max", "execution", "trust_min", "profile", "available", "limit", "cursor"];

const CAPABILITY = /^[a-z][a-z0-9]*:[A-Za-z0-9][A-Za-z0-9._/-]*$/;
const LIMIT = 25;
const MOST = 100;
const LONGEST_SYMPTOM = 2000;
const MOST_VALUES = 1000;

/** The words of a text: NFKC, lower case, runs of letters and digits, two characters or more. */
export function words(text) {
  return text.normalize("NFKC").toLowerCase().split(/[^\p{Alphabetic}\p{N}]+/u).filter((word) => [...word].length > 1);
}

/** A query that cannot be answered, with the parameter named. */
export class Refusal extends Error {
  constructor(parameter, why, value, permitted) {
    super(`${parameter} ${why}.`);
    this.parameter = parameter;
    this.value = value;
    this.permitted = permitted;
  }
}

function word(name, value, permitted) {
  const found = value.trim();
  if (!permitted.includes(found)) throw new Refusal(name, `'${value}' is not one of: ${permitted.join(", ")}`, value, permitted);
  return found;
}

function capabilities(value) {
  // An empty line is none; nothing between two commas is no capability.
  const lines = value.split("\n").filter((line) => line.trim() !== "");
  const all = lines.flatMap((line) => line.split(",")).map((one) => one.trim());
  for (const one of all) {
    if (!CAPABILITY.test(one) || all.length > MOST_VALUES) {
      throw new Refusal("available", `'${one}' is no capability: it takes scheme:name with commas, no wildcards`, one, CAPABILITY.source);
    }
  }
  return [...new Set(all)].sort();
}

function limited(value) {
  const text = value.trim();
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || number < 1 || number > MOST) {
    throw new Refusal("limit", `'${value}' is no whole number from 1 to ${MOST}`, value, { minimum: 1, maximum: MOST });
  }
  return number;
}

/** What the filters let through when nobody asks for something. */
export function browse() {
  return { symptom: null, targets: [], risk_max: null, execution: null, trust_min: "T2", profile: null, available: null, limit: LIMIT };
}

/** Checks parameters, given as pairs of name and value. Throws a Refusal. */
export function readQuery(given) {
  const query = browse();
  const seen = new Set();
  for (const [name, value] of given) {
    if (!PARAMETERS.includes(name)) {
      throw new Refusal(name, `is no parameter of search; its parameters are: ${PARAMETERS.join(", ")}`, value, PARAMETERS);
    }
    if (name !== "target" && seen.has(name)) throw new Refusal(name, "is given more than once", value, null);
    seen.add(name);
    take(query, name, value);
  }
  return query;
}

function take(query, name, value) {
  switch (name) {
    case "symptom": {
      if ([...value].length > LONGEST_SYMPTOM) throw new Refusal("symptom", `has more than ${LONGEST_SYMPTOM} characters`, null, null);
      if (!/[\p{Alphabetic}\p{N}]/u.test(value)) throw new Refusal("symptom", `'${value}' holds no word`, value, null);
      query.symptom = words(value);
      break;
    }
    case "target": {
      const found = value.split(",").map((one) => one.trim()).filter((one) => one !== "");
      if (found.length === 0 || query.targets.length + found.length > MOST_VALUES) {
        throw new Refusal("target", `takes 1 to ${MOST_VALUES} words`, value, null);
      }
      query.targets = [...new Set([...query.targets, ...found])];
      break;
    }
    case "risk_max": query.risk_max = word(name, value, RISKS); break;
    case "execution": query.execution = word(name, value, EXECUTIONS); break;
    case "trust_min": query.trust_min = word(name, value, LEVELS); break;
    case "profile": query.profile = word(name, value, PROFILES); break;
    case "available": query.available = capabilities(value); break;
    case "limit": query.limit = limited(value); break;
    default: break;
  }
}

/** Whether a query asks for something, which a search must. */
export function asks(query) {
  return query.symptom !== null || query.targets.length > 0 || query.available !== null;
}

const FIELDS = [[6, "symptoms"], [5, "title"], [4, "targets"], [3, "topic"], [2, "tags"], [2, "summary"], [1, "steps"]];

function matched(term, wanted) {
  if (term === wanted) return 4;
  return [...wanted].length >= 3 && term.startsWith(wanted) ? 2 : 0;
}

/** What an entry is worth to a query of these words; 0 when none of them hits. Whole numbers only. */
export function score(terms, wanted) {
  const found = wanted.map((one) => {
    let best = 0;
    for (const [weight, field] of FIELDS) {
      for (const term of terms[field] ?? []) best = Math.max(best, weight * matched(term, one));
    }
    return best;
  });
  const sum = found.reduce((a, b) => a + b, 0);
  if (sum === 0) return 0;
  return Math.floor((sum * 100) / wanted.length) + (found.includes(0) ? 0 : 50);
}

function passes(entry, query) {
  return (query.risk_max === null || RISKS.indexOf(entry.risk) <= RISKS.indexOf(query.risk_max))
    && (query.execution === null || entry.execution === query.execution)
    && (query.profile === null || entry.profile === query.profile)
    && (query.targets.length === 0 || (entry.targets ?? []).some((target) => query.targets.includes(target)))
    // All of them, never any.
    && (query.available === null || entry.capabilities.every((needed) => query.available.includes(needed)));
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** The hits of a query in their order, whatever the limit: filters first, then ranking, then topics. */
export function ranked(entries, query, today) {
  const scored = query.symptom !== null;
  const rank = (one) => (scored ? -one.score : RISKS.indexOf(one.entry.risk) * 16 + 15 - LEVELS.indexOf(one.level));
  const totals = new Map();
  const groups = new Map();
  for (const entry of entries) {
    const level = effectiveTrust(entry.trust, entry.trust_expires_on, today);
    if (LEVELS.indexOf(level) < LEVELS.indexOf(query.trust_min)) continue;
    if (entry.topic !== undefined) totals.set(entry.topic, (totals.get(entry.topic) ?? 0) + 1);
    const worth = scored ? score(entry.terms, query.symptom) : 0;
    if ((scored && worth === 0) || !passes(entry, query)) continue;
    const kind = entry.topic === undefined ? "runbook" : "topic";
    const name = entry.topic ?? entry.slug;
    const key = `${kind} ${name}`;
    if (!groups.has(key)) groups.set(key, { type: kind, name, variants: [] });
    groups.get(key).variants.push({ entry, level, score: worth });
  }
  const hits = [...groups.values()];
  for (const hit of hits) {
    hit.variants.sort((a, b) => rank(a) - rank(b) || order(a.entry.slug, b.entry.slug));
    const best = hit.variants[0];
    hit.score = best.score;
    hit.rank = rank(best);
    hit.variants_total = hit.type === "topic" ? totals.get(hit.name) : 1;
    hit.title = hit.type === "topic" ? best.entry.topic_title ?? hit.name : best.entry.title;
  }
  return hits.sort((a, b) => a.rank - b.rank || order(a.name, b.name) || order(b.type, a.type));
}
