// Elements by hand. Text of the catalog only ever becomes text: nothing in here parses markup.

import { LEVELS, LEVEL_NAMES, daysBetween, effectiveTrust } from "./trust.js";

const SVG = "http://www.w3.org/2000/svg";

/** Characters that hide, or that turn the direction of the text around them, by their numbers: what is seen is what stands there. */
const HIDING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function plain(text) {
  return text.replace(HIDING, (one) => `\u27e8U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(plain(String(child))));
  }
  return element;
}

/** An HTML element with attributes and children; strings become text. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what an element holds. */
export function show(element, ...children) {
  element.replaceChildren();
  return fill(element, null, children);
}

/** The JSON document at a path. Throws with a sentence for people. */
export async function load(path) {
  let response;
  try {
    response = await fetch(path, { headers: { accept: "application/json" } });
  } catch {
    throw new Error(`${path} could not be fetched. Is the catalog served over HTTP?`);
  }
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`);
  try {
    return await response.json();
  } catch {
    throw new Error(`${path} is no JSON.`);
  }
}

/** A link that keeps the reader's date. */
export function link(path, parameters) {
  const kept = new URLSearchParams(parameters);
  const today = new URLSearchParams(location.search).get("today");
  if (today !== null) kept.set("today", today);
  const text = kept.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Lets the links of the page's head keep the reader's date. */
export function keepDate() {
  for (const anchor of document.querySelectorAll("a[data-keep]")) anchor.setAttribute("href", link(anchor.getAttribute("href")));
}

/** A whole number with thin gaps between thousands. */
export function number(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** `destructive` as people read it. */
export function phrase(token) {
  return String(token).replaceAll("_", " ");
}

/** A level with its name, its expiry, and what it was when it has expired. */
export function trustBadge(level, expiresOn, today) {
  const now = effectiveTrust(level, expiresOn, today);
  const rung = LEVELS.indexOf(now);
  const bars = [1, 2, 3, 4].map((n) => el("i", { class: n <= rung ? "on" : null }));
  const badge = el("span", { class: `trust trust-${now.toLowerCase()}` },
    el("span", { class: "rungs", "aria-hidden": "true" }, bars), el("b", null, now), " ", LEVEL_NAMES[now]);
  if (now !== level) {
    return [badge, " ", el("span", { class: "expired" }, `Expired: ${level} until ${expiresOn ?? "an unknown day"}`)];
  }
  if (now !== "T3" && now !== "T4") return [badge];
  const left = daysBetween(today, expiresOn);
  const soon = left <= 30;
  return [badge, " ", el("span", { class: soon ? "expiry soon" : "expiry" },
    "until ", el("time", { datetime: expiresOn }, expiresOn), soon ? ` (${left} ${left === 1 ? "day" : "days"} left)` : "")];
}

/** A risk with a mark that does not need colour. */
export function riskTag(risk) {
  return el("span", { class: `risk risk-${risk}` }, el("span", { class: "mark", "aria-hidden": "true" }), phrase(risk));
}

/** What went wrong, and a way to try again. */
export function failure(error, again) {
  const button = again ? el("button", { type: "button" }, "Try again") : null;
  button?.addEventListener("click", again);
  return el("div", { class: "notice bad", role: "alert" }, el("p", null, error.message), button);
}
