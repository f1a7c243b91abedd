// The operations of a job, in pages, with filters and actions on those that are chosen.

import { h, setChildren, setText, showOnce } from "./dom.js";
import { count, duration, number, pathOf, secondsBetween, stateOf } from "./format.js";
import { filteredPage } from "./server.js";
import { Choice, Filters, Table, ago, empty, mayAct, setMark } from "./widgets.js";

/** The part of a job's page with its operations. */
export class OperationsPart {
  #page;
  #path;
  #job;
  #filters = {};

  /**
   * @param job gives the newest document of the job.
   * @param reflect shows what an action has changed.
   */
  constructor(page, path, job, reflect) {
    this.#page = page;
    this.#path = path;
    this.#job = job;
    this.form = new Filters(page, "from", [["name", "Name or pattern"], ["worker", "Worker"], ["queue", "Queue"]]);
    const offer = (action, label, done, operations, isDangerous = false) => ({
      action, label, done, isDangerous, title: `${label} ${count(operations.length, "operation")}?`,
      text: operations.slice(0, 10).join(", ") + (operations.length > 10 ? " …" : ""), path: `/operations/${action}`,
      body: action === "retry" ? { operations, again: true } : { operations }, then: reflect,
    });
    this.choice = new Choice((operation) => operation.operation, () => this.table.items, (operations) => [
      offer("cancel", "Cancel", "", operations, true), offer("hold", "Hold", "They are held.", operations), offer("release", "Release", "They are released.", operations),
      offer("pause", "Pause", "What executes is paused.", operations), offer("resume", "Continue", "What was paused goes on.", operations),
      ...(job().state === "finished" ? [offer("retry", "Retry", "", operations)] : []),
    ]);
    this.table = new Table({
      name: "operations", caption: "Operations of the job", key: (operation) => operation.operation,
      columns: [
        { title: "Operation", text: (operation) => operation.operation, link: (operation) => pathOf(operation.operation) },
        { title: "Name", kind: "name", text: (operation) => [operation.name, operation.item === null ? null : `(${operation.item})`].filter(Boolean).join(" ") },
        { title: "State", show: (operation, cell) => setMark(cell, stateOf(operation)) },
        { title: "Queue", kind: "wide", text: (operation) => operation.queue },
        { title: "Attempt", kind: "number wide", text: (operation) => (operation.attempt === 0 ? "–" : number(operation.attempt)) },
        { title: "Worker", text: (operation) => operation.worker ?? "–" },
        { title: "Time", kind: "number", show: showTime },
        { title: "Note", kind: "note", text: (operation) => (operation.paused ? "paused" : null) ?? operation.message ?? operation.progressMessage ?? (operation.held ? "held" : "") },
        mayAct() ? this.choice.column : null,
      ].filter(Boolean),
      empty: empty("No operation matches."),
    });
    this.pager = h("p", { class: "pager" });
    this.element = h("div", this.form.element, this.choice.element, this.table.element, this.pager);
    this.navigate();
  }

  /** Takes the filters out of the address. */
  navigate() {
    this.#filters = this.form.read();
    this.choice.clear();
    this.table.forget();
    if (this.element.isConnected) this.element.scrollIntoView();
  }

  /** Fetches the page of the list that the address names. */
  async load(signal) {
    const filters = this.#filters;
    const from = this.#page.query.get("from");
    const list = await filteredPage(`${this.#path}/operations`, filters, "from", from, "operations", signal);
    if (filters !== this.#filters) return;
    this.table.update(list.operations);
    showOnce(this.pager, [from, list.next, list.operations.length === 0], () => [from ? h("a", { href: this.#page.href({ from: null }) }, "First page") : null, " ",
      list.next === null ? null : h("a", { href: this.#page.href({ from: list.next }), "data-field": "next" },
        list.operations.length === 0 ? `Search on from ${number(list.next)} of ${number(this.#job().size)}` : "Next page")]);
  }
}

function showTime(operation, cell) {
  if (operation.state === "executing") {
    if (cell.firstChild?.dataset?.since !== String(Date.parse(operation.startedAt))) setChildren(cell, ago(operation.startedAt, "", ""));
  } else {
    setText(cell, operation.startedAt && operation.finishedAt && operation.attempt > 0 ? duration(secondsBetween(operation.startedAt, operation.finishedAt)) : "–");
  }
}
