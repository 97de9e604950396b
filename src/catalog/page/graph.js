// The drawing of a procedure: layers from the graph alone. Two records with the same steps and edges give the same
// paths, whatever their steps are called and wherever an editor had put them. Whole numbers only.

import { el, phrase, svg } from "./dom.js";

const WIDTH = 200;
const HEIGHT = 52;
const GAP_X = 32;
const GAP_Y = 44;
const MARGIN = 12;
const LANE = 18;

/** The edges of a record by step number: [from, to, kind]. A profile-0 record is a list from top to bottom. */
export function edges(record) {
  const place = new Map(record.steps.map((step, n) => [step.id, n]));
  const all = [];
  const add = (from, id, kind) => {
    const to = place.get(id);
    if (to !== undefined) all.push([from, to, kind]);
  };
  record.steps.forEach((step, n) => {
    if (record.profile === "p0") {
      if (n + 1 < record.steps.length) all.push([n, n + 1, "next"]);
      return;
    }
    for (const id of step.next ?? []) add(n, id, "next");
    if (step.on_fail !== undefined) add(n, step.on_fail, "fail");
    if (step.undo !== undefined) add(n, step.undo, "undo");
  });
  return all;
}

/** Places for `count` steps: the layer and the column of each, edges turned forward, those that lead back apart. */
export function layout(count, all) {
  const out = Array.from({ length: count }, () => []);
  for (const edge of all) out[edge[0]].push(edge);
  // Depth first from the first step, in the order of the edges: numbers that depend on nothing but the graph.
  const state = new Array(count).fill(0);
  const found = [];
  const back = new Set();
  const visit = (root) => {
    const stack = [[root, 0]];
    state[root] = 1;
    found.push(root);
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const edge = out[top[0]][top[1]];
      if (edge === undefined) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      top[1] += 1;
      const to = edge[1];
      if (state[to] === 1) back.add(edge);
      else if (state[to] === 0) {
        state[to] = 1;
        found.push(to);
        stack.push([to, 0]);
      }
    }
  };
  for (let n = 0; n < count; n += 1) if (state[n] === 0) visit(n);
  const forward = all.filter((edge) => !back.has(edge));
  const layer = new Array(count).fill(0);
  // The longest way from the top decides; a graph without ways back settles after at most one round a step.
  for (let round = 0, moved = true; moved && round <= count; round += 1) {
    moved = false;
    for (const [from, to] of forward) {
      if (layer[to] < layer[from] + 1) {
        layer[to] = layer[from] + 1;
        moved = true;
      }
    }
  }
  return { layer, forward, back: all.filter((edge) => back.has(edge)), found };
}

/** Rows of nodes; an edge over several layers has a bend in each, so that no line crosses a box. */
function rows(count, placed) {
  const nodes = placed.found.map((step) => ({ step, layer: placed.layer[step], up: [], x: 0 }));
  const of = new Map(nodes.map((node) => [node.step, node]));
  const chains = placed.forward.map((edge) => {
    const chain = [of.get(edge[0])];
    for (let level = placed.layer[edge[0]] + 1; level < placed.layer[edge[1]]; level += 1) {
      const bend = { step: null, layer: level, up: [], x: 0 };
      nodes.push(bend);
      chain.push(bend);
    }
    chain.push(of.get(edge[1]));
    for (let n = 1; n < chain.length; n += 1) chain[n].up.push(chain[n - 1]);
    return { kind: edge[2], chain };
  });
  const depth = count === 0 ? 0 : Math.max(...placed.layer) + 1;
  const layers = Array.from({ length: depth }, (_, level) => nodes.filter((node) => node.layer === level));
  for (const row of layers) {
    const middle = (node) => (node.up.length === 0 ? 0 : node.up.reduce((sum, one) => sum + one.x, 0) / node.up.length);
    const keyed = row.map((node, n) => ({ node, n, at: middle(node) }));
    keyed.sort((a, b) => a.at - b.at || a.n - b.n);
    row.splice(0, row.length, ...keyed.map((one) => one.node));
    const width = row.reduce((sum, node) => sum + breadth(node) + GAP_X, -GAP_X);
    let x = -width / 2;
    for (const node of row) {
      node.x = Math.round(x + breadth(node) / 2);
      x += breadth(node) + GAP_X;
    }
  }
  return { layers, chains, of };
}

const breadth = (node) => (node.step === null ? LANE : WIDTH);
const top = (layer) => layer * (HEIGHT + GAP_Y);

function curve(chain) {
  const points = [];
  chain.forEach((node, n) => {
    if (n > 0) points.push([node.x, top(node.layer)]);
    if (n + 1 < chain.length) points.push([node.x, top(node.layer) + HEIGHT]);
  });
  let path = `M${points[0][0]} ${points[0][1]}`;
  for (let n = 1; n < points.length; n += 1) {
    const [x0, y0] = points[n - 1];
    const [x, y] = points[n];
    const half = Math.round((y - y0) / 2);
    path += x === x0 ? `L${x} ${y}` : `C${x0} ${y0 + half} ${x} ${y - half} ${x} ${y}`;
  }
  return path;
}

/** An edge that leads back goes around the right side, each in a lane of its own. */
function around(from, to, right, lane) {
  const x = right + LANE * (lane + 1);
  const [x0, y0] = [from.x + WIDTH / 2, top(from.layer) + HEIGHT / 2];
  const [x1, y1] = [to.x + WIDTH / 2, top(to.layer) + HEIGHT / 2];
  if (from === to) return `M${x0} ${y0 - 10}C${x} ${y0 - 20} ${x} ${y0 + 20} ${x1} ${y1 + 10}`;
  return `M${x0} ${y0}C${x} ${y0} ${x} ${y0} ${x} ${Math.round((y0 + y1) / 2)}C${x} ${y1} ${x} ${y1} ${x1} ${y1}`;
}

function lines(text, most) {
  const found = [""];
  for (const part of text.split(/\s+/)) {
    const last = found[found.length - 1];
    if (last === "") found[found.length - 1] = part;
    else if (last.length + part.length < most) found[found.length - 1] = `${last} ${part}`;
    else found.push(part);
  }
  const cut = found.slice(0, 2).map((line) => (line.length > most ? `${[...line].slice(0, most - 1).join("")}…` : line));
  if (found.length > 2) cut[1] = `${[...cut[1]].slice(0, most - 1).join("")}…`;
  return cut;
}

function box(node, step, number) {
  const x = node.x - WIDTH / 2;
  const y = top(node.layer);
  const text = lines(step.title, 21);
  const first = text.length === 1 ? y + 31 : y + 23;
  return svg("a", { href: `#step-${number + 1}`, class: `node node-${step.risk}` },
    svg("title", null, `${number + 1}. ${step.title} (${phrase(step.risk)}${step.requires_approval ? ", needs approval" : ""})`),
    svg("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 8, class: "box" }),
    svg("rect", { x, y: y + 10, width: 4, height: HEIGHT - 20, rx: 2, class: "edge" }),
    svg("text", { x: x + 16, y: y + 31, class: "count" }, String(number + 1)),
    text.map((line, n) => svg("text", { x: x + 34, y: first + 16 * n, class: "label" }, line)),
    step.requires_approval ? svg("circle", { cx: x + WIDTH - 14, cy: y + 14, r: 4, class: "gate" }) : null);
}

function legend(kinds, gates) {
  const line = (kind, text) => el("li", null,
    svg("svg", { width: 28, height: 8, viewBox: "0 0 28 8", "aria-hidden": "true" }, svg("line", { x1: 0, y1: 4, x2: 28, y2: 4, class: `way way-${kind}` })), text);
  const gate = el("li", null, svg("svg", { width: 10, height: 10, viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("circle", { cx: 5, cy: 5, r: 4, class: "gate" })), "needs a person's approval");
  return el("ul", { class: "legend" }, kinds.has("next") ? line("next", "then") : null, kinds.has("fail") ? line("fail", "when it fails") : null,
    kinds.has("undo") ? line("undo", "to undo it") : null, gates ? gate : null);
}

/** The drawing of a record's steps. */
export function drawing(record) {
  const all = edges(record);
  const placed = layout(record.steps.length, all);
  const { layers, chains, of } = rows(record.steps.length, placed);
  const nodes = layers.flat();
  const left = Math.min(...nodes.map((node) => node.x - breadth(node) / 2));
  const right = Math.max(...nodes.map((node) => node.x + breadth(node) / 2));
  const far = right + (placed.back.length > 0 ? LANE * (placed.back.length + 1) : 0);
  const [width, height] = [far - left + 2 * MARGIN, top(layers.length) - GAP_Y + 2 * MARGIN];
  const way = (d, kind) => svg("path", { d, class: `way way-${kind}`, "marker-end": `url(#tip-${kind})` });
  const tip = (kind) => svg("marker", { id: `tip-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" },
    svg("polygon", { points: "0,0.5 8,4 0,7.5", class: `tip tip-${kind}` }));
  const picture = svg("svg", { viewBox: `${left - MARGIN} ${-MARGIN} ${width} ${height}`, width, height, class: "graph", role: "group", "aria-label": `The ${record.steps.length} steps as a graph; the list below says the same` },
    svg("defs", null, ["next", "fail", "undo"].map(tip)),
    chains.map(({ kind, chain }) => way(curve(chain), kind)),
    placed.back.map(([from, to, kind], lane) => way(around(of.get(from), of.get(to), right, lane), kind)),
    nodes.filter((node) => node.step !== null).map((node) => box(node, record.steps[node.step], node.step)));
  const kinds = new Set(all.map((edge) => edge[2]));
  return el("figure", { class: "drawing" }, el("div", { class: "scroll" }, picture),
    el("figcaption", null, legend(kinds, record.steps.some((step) => step.requires_approval))));
}
