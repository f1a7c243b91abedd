// What several views are made of: states, bars, tables, charts, tabs, actions and messages.

import { field, h, s, reconcile, setAttribute, setText, showOnce } from "./dom.js";
import { count, duration, moment, now, number, parts, pathOf, percent, queuePath, total, wholeSeconds, word, workerPath } from "./format.js";
import { act, hasToken } from "./server.js";

const ring = "M5 1.5a3.5 3.5 0 1 0 .01 0M5 2.7a2.3 2.3 0 1 1-.01 0";

/** The shape of each state in a square of 10, so that colour is never all that tells states apart. */
const shapes = {
  pending: ring,
  ready: ring + "M5 3.9a1.1 1.1 0 1 0 .01 0",
  executing: "M2.5 1.5 8.5 5 2.5 8.5z",
  succeeded: "M1.4 5.4 2.6 4.2 4.2 5.8 7.6 2.2 8.8 3.4 4.2 8.2z",
  failed: "M2.7 1.5 5 3.8 7.3 1.5 8.5 2.7 6.2 5 8.5 7.3 7.3 8.5 5 6.2 2.7 8.5 1.5 7.3 3.8 5 1.5 2.7z",
  cancelled: "M2 2h6v6H2z",
  skipped: "M1 2.2 4.5 5 1 7.8zM5 2.2 8.5 5 5 7.8z",
  notNeeded: "M1.5 4.3h7v1.4h-7z",
  lost: "M5 1 9 8.5H1zM4.4 3.6v2.4h1.2V3.6zM4.4 6.7v1h1.2v-1z",
};
const likeness = {
  alive: "succeeded", finished: "succeeded", suspect: "lost", failing: "failed", draining: "cancelled", left: "notNeeded",
  givenBack: "skipped", stopped: "cancelled", suspended: "cancelled", open: "pending",
};

/** The shape of a state. */
export function shape(state) {
  return s("svg", { viewBox: "0 0 10 10", "aria-hidden": "true", class: "shape" },
    s("path", { d: shapes[state] ?? shapes[likeness[state]] ?? shapes.pending, "fill-rule": "evenodd" }));
}

/** A state as a shape and a word. */
export function mark(state, text = word(state)) {
  return h("span", { class: "state", "data-state": likeness[state] ?? state }, shape(state), text);
}

/** Shows a state in an element, and touches nothing if it is shown already. */
export function setMark(element, state, text = word(state)) {
  showOnce(element, [state, text], () => mark(state, text));
}

/** A bar of the states of a job's operations. */
export function bar(counts) {
  return updateBar(h("div", { class: "bar", role: "img" }), counts);
}

/** Brings a bar up to date. */
export function updateBar(element, counts) {
  const all = total(counts);
  reconcile(element, parts(counts), ([state]) => state, ([state]) => h("span", { "data-state": state }), (part, [, value]) => {
    part.style.width = `${(100 * value) / all}%`;
  });
  setAttribute(element, "aria-label", parts(counts).map(([state, value]) => `${number(value)} ${word(state)}`).join(", ") || "empty");
  return element;
}

/** The counts of a bar in words, each a figure of the document. */
export function legend() {
  return h("ul", { class: "legend" });
}

/** Brings a legend up to date. */
export function updateLegend(element, counts, link) {
  reconcile(element, parts(counts), ([state]) => state,
    ([state]) => h("li", {},
      h(link ? "a" : "span", { href: link?.(state), class: "state", "data-state": state }, shape(state),
        h("span", { class: "number", "data-field": `counts.${state}` }), " ", word(state))),
    (item, [, value]) => setText(item.querySelector(".number"), number(value)));
}

/** A link to the page of an operation or a job. */
export function linkTo(address, text = address) {
  return h("a", { href: pathOf(address) }, text);
}

/** A link to the page of a worker. */
export function workerLink(name) {
  return h("a", { href: workerPath(name) }, name);
}

/** A link to the page of a queue. */
export function queueLink(name) {
  return h("a", { href: queuePath(name) }, name);
}

/** A heading with what belongs to it. */
export function section(title, properties, ...children) {
  return h("section", properties, h("h2", title), ...children);
}

/** A figure with its name, for a list of figures. */
export function figure(title, name, extra) {
  return h("div", { class: "figure" }, h("dt", title), h("dd", field(name), extra));
}

/** A button; properties are further attributes. */
export function button(label, click, properties) {
  return h("button", { type: "button", ...properties, on: { click } }, label);
}

/** A button whose label is a sign, with its name for who does not see it. */
export function signButton(sign, name, click) {
  return button(sign, click, { title: name, "aria-label": name });
}

/** A column of a table with a number. */
export function amount(title, value, kind = "number") {
  return { title, kind, text: (item) => number(value(item)) };
}

/** A column of a table with a time in seconds. */
export function timeOf(title, seconds, kind = "number") {
  return { title, kind, text: (item) => duration(seconds(item)) };
}

/** A moment with its distance from now, which stays true while time passes. */
export function ago(text, before = "", after = " ago") {
  if (!text) return "–";
  return h("time", { datetime: text, title: moment(text), "data-since": Date.parse(text), "data-before": before, "data-after": after },
    before + wholeSeconds(Math.max(0, now() - Date.parse(text)) / 1000) + after);
}

/** Brings the distances of moments up to date. */
export function updateTimes(root) {
  for (const element of root.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, now() - Number(element.dataset.since)) / 1000;
    setText(element, element.dataset.before + wholeSeconds(seconds) + element.dataset.after);
  }
}

/** What stands where there is nothing yet, and what to do about it. */
export function empty(...children) {
  return h("p", { class: "empty" }, ...children);
}

/** Fills a list of facts; those without a value are left out. */
export function setFacts(list, facts) {
  const known = facts.filter(([, value]) => value && value !== "–" && value.length !== 0);
  const text = (value) => (value instanceof Node ? value.textContent : Array.isArray(value) ? value.map(text) : value);
  showOnce(list, known.map(([title, value]) => [title, text(value)]), () => known.map(([title, value]) => h("div", h("dt", title), h("dd", value))));
}

/** The choices of a filter by state, as items of a query. */
const stateChoices = ["state=pending", "state=ready", "state=executing", "outcome=succeeded", "outcome=failed", "outcome=cancelled", "outcome=skipped"];

const unfinished = ["pending", "ready", "executing"];

/** A form that filters a list: its values are in the page's query, beside `place`, where the list begins. */
export class Filters {
  #page;
  #place;
  #inputs;

  /** @param texts the names of the other items with what their fields are called. */
  constructor(page, place, texts) {
    this.#page = page;
    this.#place = place;
    const apply = () => this.#apply();
    this.state = h("select", { "aria-label": "State", on: { change: apply } }, h("option", { value: "" }, "any state"),
      h("option", { value: "unfinished" }, "unfinished"), stateChoices.map((value) => h("option", { value }, value === "outcome=skipped" ? "skipped or not needed" : value.split("=")[1])));
    this.#inputs = texts.map(([name, label]) => h("input", { type: "search", name, "aria-label": label, placeholder: label, size: "14" }));
    this.all = h("a", { class: "quiet" }, "All");
    this.element = h("form", { class: "filters" }, this.state, this.#inputs, h("button", { type: "submit" }, "Filter"), this.all);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      apply();
    });
  }

  #names() {
    return ["state", "outcome", ...this.#inputs.map(({ name }) => name)];
  }

  #apply() {
    const changes = Object.fromEntries([this.#place, ...this.#names()].map((name) => [name, null]));
    const [kind, value] = this.state.value.split("=");
    if (value) changes[kind] = value;
    else if (kind) changes.state = unfinished;
    for (const input of this.#inputs) changes[input.name] = input.value.trim();
    this.#page.set(changes);
  }

  /** Takes the values out of the page's query, and returns them. */
  read() {
    const { query } = this.#page;
    const kind = ["outcome", "state"].find((name) => query.getAll(name).length === 1);
    this.state.value = kind ? `${kind}=${query.get(kind)}` : query.getAll("state").length === unfinished.length ? "unfinished" : "";
    for (const input of this.#inputs) input.value = query.get(input.name) ?? "";
    setAttribute(this.all, "href", this.#page.href(Object.fromEntries([this.#place, ...this.#names()].map((name) => [name, null]))));
    return Object.fromEntries(this.#names().map((name) => [name, query.getAll(name)]));
  }
}

/** How many times as long as on other workers makes a worker slow. */
export const slowness = 1.5;

/** How a worker compares with the others. */
export function paceText(pace) {
  return pace >= slowness ? `${pace.toFixed(1)} times as slow as others` : pace <= 1 / slowness ? `${(1 / pace).toFixed(1)} times as fast as others` : "like others";
}

/** What to do where no worker is connected. */
export function noWorker() {
  return empty("No worker is connected. ", h("code", "baton worker --slots 4"), " starts one on this host.");
}

// Tables

/** What can have the focus within a table. */
const stops = "a, input, button";

/**
 * A table whose rows keep their elements and, while somebody points at them, their places.
 *
 * @param options `name` for users' styles and tests, `caption`, `columns`, `key` of an item, and `empty`, a text or node.
 *   A column has a `title`, and a `text` of an item, or `show(item, cell)`; with `link(item)` its text is the link of the row.
 *   `kind` is `number`, or `wide` for what a narrow window leaves out.
 */
export class Table {
  #options;
  #body;
  #more;
  #scroll;
  #nothing;
  #stop = null;
  #items = [];
  #later = null;

  constructor(options) {
    this.#options = options;
    const head = h("tr", options.columns.map((column) => h("th", { scope: "col", class: column.kind }, column.title)));
    this.#body = h("tbody", { on: { keydown: (event) => this.#move(event), focusin: (event) => this.#stopAt(event.target) } });
    this.table = h("table", { "data-table": options.name },
      h("caption", { class: "unseen" }, options.caption), h("thead", head), this.#body);
    this.#more = button("Show the new order", () => this.showNewOrder(), { class: "quiet", hidden: true });
    this.#scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption }, this.table);
    this.#nothing = h("div", { hidden: true }, options.empty ? [options.empty].flat() : "");
    this.element = h("div", { class: "table" }, this.#more, this.#scroll, this.#nothing);
  }

  /** The items that are shown. */
  get items() {
    return this.#items;
  }

  /** Shows the next items at once: they answer another question. */
  forget() {
    this.#items = [];
  }

  /** Shows items; new ones and another order wait while a row is pointed at or has the focus. */
  update(items) {
    const known = new Map(this.#items.map((item, place) => [this.#options.key(item), place]));
    const isSameOrder = items.length === this.#items.length && items.every((item, place) => known.get(this.#options.key(item)) === place);
    const isWatched = this.#body.matches(":hover") || this.#body.contains(document.activeElement);
    if (!isSameOrder && isWatched && this.#items.length > 0) {
      this.#later = items;
      const fresh = new Map(items.map((item) => [this.#options.key(item), item]));
      this.#show(this.#items.map((item) => fresh.get(this.#options.key(item)) ?? item), (item) => !fresh.has(this.#options.key(item)));
      const added = items.filter((item) => !known.has(this.#options.key(item))).length;
      setText(this.#more, added > 0 ? `Show ${added} new` : "Show the new order");
      this.#more.hidden = false;
    } else {
      this.#later = null;
      this.#more.hidden = true;
      this.#show(items);
    }
  }

  /** Takes over the order that waits. */
  showNewOrder() {
    if (!this.#later) return;
    const items = this.#later;
    this.#later = null;
    this.#more.hidden = true;
    this.#show(items);
  }

  /** Shows rows; those that are gone from the list keep their place, and look so. */
  #show(items, isGone = () => false) {
    this.#items = items;
    const { columns, key } = this.#options;
    reconcile(this.#body, items, key,
      () => h("tr", columns.map((column) => {
        const cell = h(column.link ? "th" : "td", { class: column.kind, scope: column.link ? "row" : null });
        if (column.link) cell.append(h("a", { tabindex: "-1" }));
        return cell;
      })),
      (row, item) => {
        columns.forEach((column, place) => {
          const cell = row.children[place];
          if (column.link) {
            const link = cell.firstChild;
            setAttribute(link, "href", column.link(item));
            setText(link, column.text(item));
          } else if (column.show) {
            column.show(item, cell);
          } else {
            setText(cell, column.text(item));
            if (/name|note/.test(column.kind)) setAttribute(cell, "title", cell.textContent || null);
          }
        });
        setAttribute(row, "data-gone", isGone(item));
        this.#options.row?.(row, item);
      });
    // Tab reaches one place of the table, and the arrow keys the others.
    const places = [...this.#body.querySelectorAll(stops)];
    if (!places.includes(this.#stop)) this.#stop = places.find((place) => place.matches("th a"));
    for (const place of places) place.tabIndex = place === this.#stop ? 0 : -1;
    this.#scroll.hidden = items.length === 0;
    this.#nothing.hidden = items.length > 0;
  }

  /** Goes to another row or within the row; the space bar on a row's link chooses the row. */
  #move(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = event.target.closest("tr");
    const box = row.querySelector("input[type=checkbox]");
    if (event.key === " " && event.target.matches("th a") && box) {
      event.preventDefault();
      box.click();
      return;
    }
    const rows = [...this.#body.children];
    const place = rows.indexOf(row);
    const within = [...row.querySelectorAll(stops)];
    const next = {
      ArrowDown: rows[place + 1], ArrowUp: rows[place - 1], Home: rows[0], End: rows.at(-1),
      ArrowRight: within[within.indexOf(event.target) + 1], ArrowLeft: within[within.indexOf(event.target) - 1],
    }[event.key];
    if (!next) return;
    event.preventDefault();
    (next.matches("tr") ? next.querySelector("th a") : next).focus();
  }

  #stopAt(place) {
    if (this.#stop) this.#stop.tabIndex = -1;
    this.#stop = place;
    place.tabIndex = 0;
  }
}

/** A table behind a chart: it is made when somebody opens it, and again while it is open. */
export class TableBehind {
  #table;
  #items = () => [];

  constructor(options) {
    this.#table = new Table(options);
    this.element = h("details", { class: "behind", on: { toggle: () => this.#show() } },
      h("summary", options.caption), this.#table.element);
  }

  /** Takes a function that gives the items. */
  update(items) {
    this.#items = items;
    this.#show();
  }

  #show() {
    if (this.element.open) this.#table.update(this.#items());
  }
}

// Charts

/**
 * A chart of values over time as one filled line.
 *
 * @param values from 0 on; null for unknown.
 * @param most the value of the upper edge.
 */
export function lineChart(values, most, label) {
  const width = Math.max(1, values.length - 1);
  const y = (value) => (40 - (38 * Math.min(value, most)) / (most || 1)).toFixed(2);
  const line = values.map((value, place) => `${place === 0 ? "M" : "L"}${place} ${y(value ?? 0)}`).join("");
  return s("svg", { class: "chart", viewBox: `0 0 ${width} 40`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    s("path", { class: "area", d: `${line}L${width} 40L0 40z` }),
    s("path", { class: "line", d: line, "vector-effect": "non-scaling-stroke" }));
}

/** A part of 1 as a bar with its number. */
export function meter(value, text = percent(value)) {
  const full = h("span");
  full.style.width = `${100 * Math.max(0, Math.min(1, value ?? 0))}%`;
  return h("span", { class: "meter" }, h("span", { class: "track", "aria-hidden": "true" }, full), h("span", { class: "number" }, text));
}

// Tabs

/** Tabs as links, so that each has an address; the arrow keys go from one to the next. */
export function tabs(label, entries, href) {
  return h("nav", {
    class: "tabs", "aria-label": label,
    on: {
      keydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const links = [...event.currentTarget.children];
        const next = links[links.indexOf(document.activeElement) + step];
        if (next) next.focus();
      },
    },
  }, entries.map(([name, title]) => h("a", { href: href(name), "data-tab": name }, title)));
}

// Actions

let isActingAllowed = false;

/** Says whether the holder of the token may act; without a token nobody is offered to. */
export function allowActing(isAllowed) {
  isActingAllowed = isAllowed;
}

/** Whether actions are offered. */
export function mayAct() {
  return isActingAllowed && hasToken();
}

/** The button of an action; null where the visitor may not act. */
export function actionButton(action, label, click, properties) {
  if (!mayAct()) return null;
  return h("button", { type: "button", "data-action": action, ...properties, on: { click } }, label);
}

/**
 * Makes buttons of actions on one thing: each asks once, acts at the action's own path below that of the thing, and shows the reply.
 *
 * @param then is called after each.
 */
export function actionsOn(path, then) {
  return (action, label, title, text, done, more) => actionButton(action, label,
    () => perform({ title, text, confirm: label, path: `${path}/${action}`, done, then, ...more }), { class: more?.isDangerous ? "dangerous" : null });
}

/** The choice of rows of a table, and the actions on those that are chosen. */
export class Choice {
  #key;
  #offers;
  #items;
  #isOn = new Map();

  /**
   * @param key the address of an item.
   * @param items gives the items of the page.
   * @param offers gives what `perform` takes for each action on a list of addresses, with `action` and `label`.
   */
  constructor(key, items, offers) {
    this.#key = key;
    this.#items = items;
    this.#offers = offers;
    this.element = h("div", { class: "actions" });
    this.clear();
  }

  /** The column with the boxes. */
  get column() {
    return { title: "Select", show: (item, cell) => this.#show(item, cell) };
  }

  /** The addresses that are chosen. */
  get addresses() {
    return [...this.#isOn.keys()];
  }

  /** Chooses nothing. */
  clear() {
    for (const box of this.#isOn.values()) box.checked = false;
    this.#isOn.clear();
    this.#showActions();
  }

  #show(item, cell) {
    const address = this.#key(item);
    const box = cell.firstChild ?? cell.appendChild(h("input", { type: "checkbox", "aria-label": `Select ${address}`, on: { change: () => this.#set(address, box, box.checked) } }));
  }

  #set(address, box, isOn) {
    box.checked = isOn;
    if (isOn) this.#isOn.set(address, box);
    else this.#isOn.delete(address);
    this.#showActions();
  }

  /** Makes the buttons once for a page of the list, so that none loses the focus. */
  #showActions() {
    if (!mayAct()) return;
    const offers = this.#offers(this.addresses);
    showOnce(this.element, offers.map(({ action }) => action), () => [
      h("span"),
      button("Select all on this page", (event) => {
        const boxes = event.target.closest("section, main").querySelectorAll("tbody input[type=checkbox]");
        if (this.#isOn.size === boxes.length) this.clear();
        else this.#items().forEach((item, place) => this.#set(this.#key(item), boxes[place], true));
      }, { class: "quiet" }),
      offers.map(({ action, label, isDangerous }) => actionButton(`${action}-chosen`, label, () => this.#perform(action), { class: isDangerous ? "dangerous" : null })),
    ]);
    setText(this.element.firstChild, this.#isOn.size === 0 ? "None selected" : `${number(this.#isOn.size)} selected`);
    for (const one of this.element.querySelectorAll("[data-action]")) one.disabled = this.#isOn.size === 0;
  }

  #perform(action) {
    const offer = this.#offers(this.addresses).find((other) => other.action === action);
    perform({ ...offer, confirm: offer.label, then: async () => {
      this.clear();
      await offer.then?.();
    } });
  }
}

/** Shows a message for a while; the message stays while it is pointed at. */
export function notify(text, kind = "done") {
  const place = document.getElementById("notice");
  const message = h("div", { class: "message", "data-kind": kind }, h("p", text),
    button("✕", () => message.remove(), { class: "quiet", "aria-label": "Close this message" }));
  place.append(message);
  while (place.children.length > 4) place.firstChild.remove();
  const leave = () => (message.matches(":hover, :focus-within") ? setTimeout(leave, 2000) : message.remove());
  setTimeout(leave, kind === "failed" ? 20_000 : 8_000);
}

/** Asks in a dialog; returns the values of its form, or null if the answer is no. */
function ask({ title, text, confirm, isDangerous, fields = [], refuse = "Leave it" }) {
  return new Promise((resolve) => {
    const form = h("form", { method: "dialog" },
      h("h2", { id: "dialog-title" }, title), [text].flat().filter(Boolean).map((line) => h("p", line)), fields,
      h("div", { class: "buttons" },
        button(refuse, () => dialog.close("no")),
        h("button", { type: "submit", value: "yes", class: isDangerous ? "dangerous" : "main", "data-action": "confirm" }, confirm)));
    const dialog = h("dialog", {
      "aria-labelledby": "dialog-title",
      on: {
        close: () => {
          resolve(dialog.returnValue === "yes" ? Object.fromEntries(new FormData(form)) : null);
          dialog.remove();
        },
      },
    }, form);
    // The policy forbids to send forms, and this one is not sent anywhere.
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close("yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The reply to an action in sentences. */
function replySentences(reply, done) {
  const sentences = [];
  if (reply.cancelled !== undefined) sentences.push(`${count(reply.cancelled, "operation")} cancelled. `);
  else if (reply.job !== undefined) sentences.push(["A new job has begun: ", linkTo(reply.job, `job ${reply.job}`), `, with ${count(reply.operations, "operation")}. `]);
  else if (reply.changed !== undefined) sentences.push(reply.changed === 0 ? "Nothing was changed. " : `${done} `);
  sentences.push((reply.notes ?? []).join(" "));
  if (reply.unanswered?.length > 0) sentences.push(` No answer yet from ${reply.unanswered.join(", ")}.`);
  return sentences;
}

/**
 * Asks once, acts, and shows the reply.
 *
 * @param action what `ask` takes, and `method`, `path`, `body` (a value, or a function of the form's values), `done` (the sentence for
 *   a change that was made), and `then`, which is called afterwards.
 */
export async function perform(action) {
  const values = await ask(action);
  if (values === null) return;
  try {
    const body = typeof action.body === "function" ? action.body(values) : action.body;
    const reply = await act(action.method ?? "POST", action.path, body);
    notify(replySentences(reply, action.done));
  } catch (error) {
    notify(error.message, "failed");
    return;
  }
  await action.then?.();
}

/** A sentence of the coordinator in which addresses of operations are links. */
export function linked(sentence) {
  return sentence.replace(/\d{4,}(?= operation)/g, number).split(/((?<![\w/.])\d+\/\d+(?![\w/]))/).map((part, place) =>
    (place % 2 === 1 ? linkTo(part) : part));
}

/** Where the reason for which something waits can be changed. */
export function wayOut({ kind, queue }) {
  if (kind === "hold") return " Release lets it run.";
  if (["slots", "resources", "labels", "failing", "noWorker"].includes(kind)) return [" See ", h("a", { href: "/workers" }, "the workers"), "."];
  return queue ? [" See ", h("a", { href: queuePath(queue) }, `queue ${queue}`), "."] : "";
}

/** The reasons for which something waits, as a list of sentences; reasons below a dependency are below it. */
export function reasonList(reasons) {
  return h("ul", { class: "reasons" }, reasons.map((reason) =>
    h("li", { "data-kind": reason.kind }, linked(reason.message), wayOut(reason),
      reason.waitsFor?.length > 0 ? reasonList(reason.waitsFor) : null,
      reason.lacks?.length > 0 ? h("ul", reason.lacks.map((lack) => h("li", `${lack.worker}: ${lack.message}`))) : null)));
}

/** A line that explains what is beside it. */
export function hint(...content) {
  return h("p", { class: "hint" }, content);
}

/** Items with commas between them. */
export function commaList(items, show) {
  return items.flatMap((item, place) => [place > 0 ? ", " : "", show(item)]);
}

/** The last item of a list that is cut. */
export function andMore(rest) {
  return rest > 0 ? h("li", `and ${number(rest)} more`) : null;
}
