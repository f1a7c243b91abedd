// The queues, and one of them: its limit, what waits in it, and for how long.

import { h, setChildren, setField, setText, showOnce } from "./dom.js";
import { count, number, pathOf, queuePath, secondsBetween, stateOf, wholeSeconds } from "./format.js";
import { Refresher, get, loadAgain, quietly } from "./server.js";
import { Table, actionsOn, ago, amount, empty, figure, hint, section, setMark } from "./widgets.js";

/** How many operations of a queue are shown with their states. */
const mostOperations = 25;
const classes = ["background", "utility", "default", "userInitiated", "userInteractive"];

function stateOfQueue(queue) {
  return queue.suspended ? "suspended" : queue.maxConcurrent !== null && queue.executing >= queue.maxConcurrent && queue.count > queue.executing ? "full" : "open";
}

function setQueueMark(cell, queue) {
  const state = stateOfQueue(queue);
  setMark(cell, state === "suspended" ? "suspended" : state === "full" ? "ready" : "open", state);
}

/** How many operations of a limit are listed in a cell. */
const mostOfLimit = 4;

/** The first of some operations as links, and the number of the others. */
function operationLinks(operations, all) {
  const listed = operations.slice(0, mostOfLimit);
  const links = listed.flatMap((operation, index) => [index > 0 ? ", " : null, h("a", { href: pathOf(operation) }, operation)]);
  return all === 0 ? ["–"] : [...links, all > listed.length ? `, ${number(all - listed.length)} more` : null];
}

const limitText = ({ maxConcurrent, rate }) => [maxConcurrent === null ? null : number(maxConcurrent), rate].filter(Boolean).join(", ") || "none";

export function queues(page) {
  return new QueuesView(page);
}

class QueuesView {
  topics = ["queues"];

  constructor(page) {
    page.title("Queues");
    this.table = new Table({
      name: "queues", caption: "Queues", key: (queue) => queue.queue,
      columns: [
        { title: "Queue", text: (queue) => queue.queue, link: (queue) => queuePath(queue.queue) },
        { title: "State", show: (queue, cell) => setQueueMark(cell, queue) },
        amount("Executing", (queue) => queue.executing),
        { title: "Limit", kind: "number", text: limitText },
        { title: "Waiting", kind: "number", text: (queue) => number(queue.count - queue.executing) },
        { title: "Quality", kind: "wide", text: (queue) => queue.qos ?? "default" },
      ],
      empty: empty("There is no queue yet. A submission makes its queue."),
    });
    this.more = hint();
    this.limits = new Table({
      name: "limits", caption: "Limits that several queues share", key: (limit) => limit.limit,
      columns: [
        { title: "Limit", text: (limit) => limit.limit },
        amount("Units", (limit) => limit.units),
        amount("Taken", (limit) => limit.taken),
        { title: "Held by", kind: "wide", show: (limit, cell) => setChildren(cell, ...operationLinks(limit.holders.map(({ operation }) => operation), limit.holding)) },
        amount("Waiting", (limit) => limit.waiting),
        { title: "Next", kind: "wide", show: (limit, cell) => setChildren(cell, ...operationLinks(limit.waiters, limit.waiting)) },
      ],
      empty: empty("There is no such limit."),
    });
    this.shared = section("Shared limits", { hidden: true }, this.limits.element);
    this.refresher = new Refresher((signal) => this.#loadLimits(signal), 3000, page.signal);
    page.main.append(h("h1", "Queues"), this.table.element, this.more, this.shared);
    this.refresher.now();
    get("/queues", page.signal).then((list) => {
      this.live("queues", { more: 0, ...list });
      page.ready();
    }, (error) => page.fail(error));
  }

  /** The limits change with the queues: with what starts and ends there. */
  async #loadLimits(signal) {
    const list = await quietly(() => get("/limits", signal));
    if (!list) return;
    this.limits.update(list.limits);
    this.shared.hidden = list.limits.length === 0;
  }

  /** Takes an event of the stream. */
  live(kind, list) {
    this.refresher.poke();
    this.table.update(list.queues);
    setText(this.more, list.more > 0 ? `${count(list.more, "further queue")} are not shown; baton queue list has all.` : "");
  }
}

export function queue(page) {
  return new QueueView(page, page.parameters[0]);
}

class QueueView {
  #page;
  #path;
  #name;
  topics = ["queues"];

  constructor(page, name) {
    this.#page = page;
    this.#name = name;
    this.#path = queuePath(name);
    page.title(`Queue ${name}`);
    this.state = h("span");
    this.actions = h("div", { class: "actions" });
    this.table = new Table({
      name: "queue-operations", caption: "The first unfinished operations of the queue", key: (operation) => operation.operation,
      columns: [
        { title: "Operation", text: (operation) => operation.operation, link: (operation) => pathOf(operation.operation) },
        { title: "Name", kind: "name", text: ({ name, item }) => [name, item === null ? null : `(${item})`].filter(Boolean).join(" ") },
        { title: "State", show: (operation, cell) => setMark(cell, stateOf(operation)) },
        { title: "Since", kind: "number", show: (operation, cell) => setChildren(cell, ago(operation.startedAt ?? operation.readyAt ?? operation.submittedAt, "", "")) },
        { title: "Worker", text: (operation) => operation.worker ?? "–" },
      ],
      empty: empty("Nothing waits in this queue."),
    });
    this.more = hint();
    page.main.append(h("p", { class: "path" }, h("a", { href: "/queues" }, "Queues"), " / ", h("span", name)),
      h("div", { class: "head" }, h("h1", `Queue ${name}`), this.state, this.actions),
      h("dl", { class: "figures" }, figure("Executing", "executing"), figure("Limit", "maxConcurrent"), figure("Waiting", "waiting"), figure("Oldest wait", "oldest"), figure("Quality of service", "qos")),
      section("Operations", {}, this.table.element, this.more));
    this.refresher = new Refresher((signal) => this.#load(signal), 3000, page.signal, (error) => page.fail(error));
    this.refresher.now().then(() => page.ready());
  }

  /** Takes an event of the stream. */
  live() {
    this.refresher.poke();
  }

  async #load(signal) {
    const own = await loadAgain(this, this.#path, signal);
    if (!own) return;
    const { main } = this.#page;
    setQueueMark(this.state, own);
    setField(main, "executing", number(own.executing));
    setField(main, "maxConcurrent", limitText(own));
    setField(main, "waiting", number(own.count - own.executing));
    setField(main, "qos", own.qos ?? "default");
    this.#showActions(own);
    const names = own.operations.slice(0, mostOperations);
    const operations = (await Promise.all(names.map((name) => quietly(() => get(`/operations/${name}`, signal))))).filter((operation) => operation && operation.state !== "finished");
    this.table.update(operations);
    const waits = operations.filter(({ state }) => state !== "executing").map((operation) => secondsBetween(operation.readyAt ?? operation.submittedAt));
    setField(main, "oldest", waits.length === 0 ? "–" : wholeSeconds(Math.max(...waits)));
    const rest = own.count - operations.length;
    setText(this.more, rest > 0 ? `${count(rest, "further operation")} behind them.` : "");
  }

  #showActions(own) {
    const name = this.#name;
    const offer = actionsOn(this.#path, () => this.refresher.now());
    showOnce(this.actions, [own.suspended, own.maxConcurrent, own.qos, own.count > 0], () => [
      own.suspended
        ? offer("resume", "Resume", `Resume queue ${name}?`, "Its operations start again.", "It is resumed.")
        : offer("suspend", "Suspend", `Suspend queue ${name}?`, "Nothing of it starts until somebody resumes it. What executes goes on.", "It is suspended."),
      offer("settings", "Settings", `Settings of queue ${name}`, [], "They are set.", {
        method: "PATCH", path: this.#path, confirm: "Save",
        fields: [
          h("label", "Most operations at once (empty: no limit) ", h("input", { name: "limit", inputmode: "numeric", pattern: "[0-9]*", size: "8", value: own.maxConcurrent ?? "" })),
          h("label", "Quality ", h("select", { name: "qos" }, classes.map((value) => h("option", { value, selected: value === (own.qos ?? "default") }, value)))),
        ],
        body: (values) => ({ maxConcurrent: values.limit.trim() === "" ? null : Number(values.limit), qos: values.qos }),
      }),
      own.count > 0 ? offer("cancel", "Cancel all", `Cancel all of queue ${name}?`, `${count(own.count, "unfinished operation")} will not run to an end.`, "", { isDangerous: true }) : null,
    ]);
  }
}
