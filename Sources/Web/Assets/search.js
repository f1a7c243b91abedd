// What a search finds: jobs, operations, queues and workers.

import { h } from "./dom.js";
import { pathOf, queuePath, workerPath } from "./format.js";
import { get, query } from "./server.js";
import { Table, empty, hint, setMark } from "./widgets.js";

export function search(page) {
  return new SearchView(page);
}

class SearchView {
  #page;

  constructor(page) {
    this.#page = page;
    this.heading = h("h1", "Search");
    this.table = new Table({
      name: "results", caption: "Results", key: (result) => `${result.kind} ${result.address}`,
      columns: [
        { title: "Address", text: (result) => result.address, link: pathOfResult },
        { title: "Kind", text: (result) => result.kind },
        { title: "Name", kind: "name", text: (result) => result.name ?? "" },
        { title: "State", show: (result, cell) => (result.state ? setMark(cell, result.state) : cell.replaceChildren()) },
      ],
      empty: empty("Nothing is found. The search knows addresses such as 12/3, names, and the beginnings of operations' names."),
    });
    this.more = h("p", { class: "hint", hidden: true }, "There is more. A longer name finds less.");
    const shortcut = h("input", { type: "checkbox", checked: page.hasShortcut, on: { change: () => { page.hasShortcut = shortcut.checked; } } });
    page.main.append(this.heading, this.table.element, this.more, hint(h("label", shortcut, " The key / leads to the search")));
    this.navigate();
  }

  async navigate() {
    const text = this.#page.query.get("q") ?? "";
    this.#page.title(text ? `Search ${text}` : "Search");
    const field = document.querySelector("#search input");
    if (document.activeElement !== field) field.value = text;
    try {
      const found = text ? await get(`/search${query({ q: text })}`, this.#page.signal) : { results: [], more: false };
      if (text !== (this.#page.query.get("q") ?? "")) return;
      this.table.forget();
      this.table.update(found.results);
      this.table.element.hidden = text === "";
      this.more.hidden = !found.more;
      this.#page.ready();
    } catch (error) {
      this.#page.fail(error);
    }
  }
}

function pathOfResult({ kind, address }) {
  return { queue: queuePath, worker: workerPath }[kind]?.(address) ?? pathOf(address);
}
