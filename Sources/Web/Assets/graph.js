// The graph of a job: nodes where the server puts them, and edges from left to right.

import { h, s, setAttribute, setChildren, setText } from "./dom.js";
import { count, finished, number, parts, pathOf, percent, stateOf, word } from "./format.js";
import { download, get } from "./server.js";
import { TableBehind, button, empty, hint, notify, shape, signButton } from "./widgets.js";

/** The size of a node in the server's layout, and the space around all, in pixels. */
const [width, height, margin] = [180, 42, 16];
/** What an edge of each condition means; broken is one whose condition was not met. */
const meanings = { success: "solid: needs", any: "dashed: after any end", failure: "dotted: after a failure", failureOfAll: "dotted: after a failure", broken: "red: not met" };

export function graphPart(page, path) {
  return new GraphPart(page, path);
}

class GraphPart {
  #page;
  #path;
  #job;
  #key = null;
  #current = 0;
  #scale = 1;
  #about;
  #note;
  #region;
  #table;
  #isOfGroups;
  #lines;
  #tips;
  #marked;

  constructor(page, path) {
    this.#page = page;
    this.#path = path;
    this.#about = hint();
    this.#note = h("p", { class: "graph-note", role: "status" });
    this.#region = h("div", { class: "graph", on: { wheel: (event) => this.#turnWheel(event), focusin: (event) => this.#focus(event), focusout: () => this.#mark(null) } });
    this.#table = new TableBehind({
      name: "nodes", caption: "The graph as a table (at most 500 rows)", key: ({ id }) => id,
      columns: [
        { title: "Node", text: ({ id }) => id, link: (item) => this.#link(item) },
        { title: "Name", text: ({ name }) => name ?? "–" },
        { title: "State", text: (item) => word(stateOf(item)) },
        { title: "Operations", kind: "number", text: ({ size }) => number(size) },
        { title: "Needs", text: ({ needs }) => needs.slice(0, 20).map(({ from, condition }) => from.id + { any: " (any end)", failure: " (failure)", failureOfAll: " (failure of all)", success: "" }[condition]).join(", ") + (needs.length > 20 ? " …" : "") },
      ],
    });
    this.element = h("div", this.#about,
      h("div", { class: "filters" }, button("Fit", () => this.#zoom(this.#fitting())), signButton("+", "Zoom in", () => this.#zoom(this.#scale * 1.25)), signButton("−", "Zoom out", () => this.#zoom(this.#scale / 1.25)),
        button("Save as SVG", () => this.#save())),
      this.#region, this.#note, this.#table.element);
  }

  /** The address says nothing about the graph. */
  navigate() {}

  /** Fetches the graph; where nodes and edges are those that are shown, only their states change. */
  async load(signal) {
    const document = await get(`${this.#path}/graph`, signal);
    const { nodes, edges, level, job } = document;
    const key = JSON.stringify([level, nodes.map(({ id, name, size, x, y }) => [id, name, size, x, y]), edges]);
    this.#job = job;
    if (nodes.length === 0) setChildren(this.#region, empty("The job has no operations yet."));
    else if (key !== this.#key) this.#build(document);
    this.#key = key;
    nodes.forEach((item, place) => this.#update(this.nodes[place], item));
    if (nodes.length > 0) this.#drawEdges();
    this.#table.update(() => (this.nodes ?? []).slice(0, 500));
    // The layout of many nodes takes too long for one task.
    for (let place = this.svg?.querySelectorAll("a").length ?? 0; place < nodes.length && !signal.aborted; place += 500) {
      this.svg.append(...this.nodes.slice(place, place + 500).map(({ element }) => element));
      await new Promise(requestAnimationFrame);
    }
  }

  #build({ level, nodes, edges, moreDependencies }) {
    this.#isOfGroups = level === "groups";
    this.nodes = nodes.map((item, place) => ({ ...item, x: item.x + margin, y: item.y + margin, place, needs: [], dependents: [] }));
    const places = new Map(this.nodes.map((item) => [item.id, item]));
    this.edges = edges.map(({ from, to, condition }) => ({ condition, from: places.get(from), to: places.get(to) }));
    for (const edge of this.edges.filter(({ from, to }) => from !== to)) {
      edge.to.needs.push(edge);
      edge.from.dependents.push(edge);
    }
    const made = (kinds, name) => Object.fromEntries(kinds.map((kind) => [kind, s("path", { class: name, "data-kind": kind })]));
    this.#lines = made(Object.keys(meanings), "edge");
    this.#tips = made(Object.keys(meanings), "tip");
    this.#marked = s("path", { class: "edge", "data-kind": "marked" });
    const measure = h("canvas").getContext("2d");
    measure.font = `12px ${getComputedStyle(this.#region).fontFamily}`;
    const pattern = s("a", { tabindex: "-1" }, s("rect"), s("path", { class: "sign" }), s("text", { x: "30", y: this.#isOfGroups ? "17" : "25" }),
      this.#isOfGroups ? [s("text", { class: "part", x: "30", y: "32" }), s("rect", { class: "done", y: height - 4 })] : null);
    for (const item of this.nodes) this.#make(item, pattern, measure);
    this.#current = Math.min(this.#current, nodes.length - 1);
    this.nodes[this.#current].element.tabIndex = 0;
    this.size = ["x", "y"].map((axis) => Math.max(...this.nodes.map((item) => item[axis])) + margin + (axis === "x" ? width : height));
    const point = (event) => this.#mark(this.#nodeOf(event.target) ?? this.#nodeOf(document.activeElement));
    this.svg = s("svg", {
      viewBox: `0 0 ${this.size.join(" ")}`, class: this.#isOfGroups ? "groups" : null, role: "group", "aria-label": "Graph: the arrow keys go along the dependencies, Enter opens a node",
      on: { keydown: (event) => this.#press(event), pointerover: point, pointerleave: point },
    }, Object.values(this.#lines), Object.values(this.#tips), this.#marked);
    // What is measured once the nodes are there has to wait for their layout.
    this.#resize(this.#key === null ? Math.max(0.8, this.#fitting()) : this.#scale);
    setChildren(this.#region, this.svg);
    const isUsed = new Set(["broken", ...edges.map(({ condition }) => condition)]);
    setText(this.#about, (this.#isOfGroups ? "The job is too large to draw each operation: a node is a group, an array or operations whose names differ in digits alone, and leads to its operations. " : "")
      + (edges.length > 0 ? `Dependencies go from left to right (${Object.entries(meanings).filter(([kind]) => isUsed.has(kind)).map(([, text]) => text).join("; ")}). ` : "No operation depends on another. ")
      + (moreDependencies > 0 ? `There are too many to draw ${count(moreDependencies, "further one")}.` : ""));
  }

  #make(item, pattern, measure) {
    item.element = pattern.cloneNode(true);
    const name = item.name ?? (this.#isOfGroups ? "without a name" : item.id);
    const letters = [...name];
    const most = Math.floor((letters.length * (width - 42)) / measure.measureText(name).width);
    // Names of one kind differ at their ends.
    if (most < letters.length) letters.splice(most - 8, letters.length - most + 1, "…");
    setText(item.element.children[2], letters.join(""));
    for (const [attribute, value] of Object.entries({ "data-place": item.place, href: this.#link(item), transform: `translate(${item.x} ${item.y})` })) item.element.setAttribute(attribute, value);
  }

  /** Shows the state of a node, and touches nothing if it is shown already. */
  #update(item, { state, outcome, counts, notNeeded }) {
    const key = JSON.stringify([state, outcome, counts, notNeeded]);
    if (item.key === key) return;
    Object.assign(item, { key, state, outcome, counts, notNeeded });
    const known = stateOf(item);
    setAttribute(item.element, "data-state", known);
    setAttribute(item.element, "aria-label", this.#sentence(item));
    const [, sign, , part, bar] = item.element.children;
    setAttribute(sign, "d", shape(known).firstChild.getAttribute("d"));
    if (!part) return;
    const done = finished(counts) / item.size;
    setText(part, `${number(item.size)}, ${counts.failed > 0 ? `${number(counts.failed)} failed` : `${percent(done)} done`}`);
    bar.style.width = `${width * done}px`;
  }

  #sentence(item) {
    const states = item.counts ? parts(item.counts).map(([state, value]) => `${number(value)} ${word(state)}`) : [word(stateOf(item))];
    return [item.name ?? "without a name", item.id, ...states, `needs ${number(item.needs.length)}`, `${number(item.dependents.length)} need it`].join(", ");
  }

  #link({ id, name, size }) {
    return size > 1 ? this.#page.href({ view: "operations", name }) : pathOf(id);
  }

  #drawEdges() {
    // What was not needed is no consequence of a failure.
    const kindOf = ({ from: { state, outcome }, to, condition }) => (!to.notNeeded && state === "finished" && condition !== "any" && (outcome === "succeeded") !== (condition === "success") ? "broken" : condition);
    const kinds = Map.groupBy(this.edges, kindOf);
    for (const kind of Object.keys(meanings)) {
      setAttribute(this.#lines[kind], "d", (kinds.get(kind) ?? []).map(lineOf).join(""));
      setAttribute(this.#tips[kind], "d", (kinds.get(kind) ?? []).map(tipOf).join(""));
    }
  }

  #nodeOf(element) {
    return this.nodes[element.closest("a[data-place]")?.dataset.place];
  }

  /** Marks the edges of a node, and says in words what the node is. */
  #mark(item) {
    setAttribute(this.#marked, "d", item ? [...item.needs, ...item.dependents].map(lineOf).join("") : null);
    setText(this.#note, item ? this.#sentence(item) : "");
  }

  #focus(event) {
    const item = this.#nodeOf(event.target);
    if (!item) return;
    this.nodes[this.#current].element.tabIndex = -1;
    item.element.tabIndex = 0;
    this.#current = item.place;
    item.element.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#mark(item);
  }

  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const item = this.nodes[this.#current];
    const next = {
      ArrowRight: () => item.dependents[0]?.to ?? this.#beside(item, "x", 1), ArrowLeft: () => item.needs[0]?.from ?? this.#beside(item, "x", -1),
      ArrowDown: () => this.#beside(item, "y", 1), ArrowUp: () => this.#beside(item, "y", -1), Home: () => this.nodes[0], End: () => this.nodes.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next()?.element.focus();
  }

  /** The nearest node of the same layer in a direction; a layer may have several columns. */
  #beside(item, axis, sign) {
    const distance = (other) => Math.abs(other.x - item.x) * (axis === "x" ? 1 : 10) + Math.abs(other.y - item.y) * (axis === "y" ? 1 : 10);
    return this.nodes.filter((other) => other.layer === item.layer && sign * (other[axis] - item[axis]) > 0)
      .reduce((nearest, other) => (nearest && distance(nearest) <= distance(other) ? nearest : other), null);
  }

  #fitting() {
    return Math.min(this.#region.clientWidth / this.size[0], 0.7 * window.innerHeight / this.size[1], 1);
  }

  #resize(scale) {
    this.#scale = scale;
    [this.svg.style.width, this.svg.style.height] = this.size.map((value) => `${value * scale}px`);
  }

  /** Zooms so that a point of the region, its middle if none is given, stays where it is. */
  #zoom(scale, x = this.#region.clientWidth / 2, y = this.#region.clientHeight / 2) {
    if (!this.svg) return;
    const { scrollLeft, scrollTop } = this.#region;
    const before = this.#scale;
    this.#resize(Math.max(0.05, Math.min(3, scale)));
    const factor = this.#scale / before;
    this.#region.scrollTo((scrollLeft + x) * factor - x, (scrollTop + y) * factor - y);
  }

  #turnWheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, top } = this.#region.getBoundingClientRect();
    this.#zoom(this.#scale * 0.998 ** event.deltaY, event.clientX - left, event.clientY - top);
  }

  async #save() {
    try {
      await download(`${this.#path}/graph.svg`, `job-${this.#job}.svg`);
    } catch (error) {
      notify(error.message, "failed");
    }
  }
}

const ends = ({ from, to }) => [from.x + width, from.y + height / 2, to.x, to.y + height / 2];

/** The curve of an edge; that of a node with itself is a loop above the node. */
function lineOf(edge) {
  const [x, y, toX, toY] = ends(edge);
  if (edge.from === edge.to) return `M${x - 60} ${edge.from.y}c0-14-24-14-24 0`;
  const bend = Math.max(40, Math.abs(toX - x) / 2);
  return `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`;
}

function tipOf(edge) {
  const [, , x, y] = ends(edge);
  return edge.from === edge.to ? "" : `M${x} ${y}l-7-3.5v7z`;
}
