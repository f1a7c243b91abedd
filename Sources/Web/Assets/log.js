// The output of an operation: its end first, then what comes, with colours, a search, and the raw file.

import { h, paint, setChildren, setText, visible } from "./dom.js";
import { bytes } from "./format.js";
import { getAnswer, query, readEvents, save } from "./server.js";
import { button, notify } from "./widgets.js";

/** How much is fetched at once, and how much is one piece of the text on the page, in bytes. */
const pieceLength = 64 * 1024;
/** How many pieces stay on the page; the oldest ones leave. */
const mostPieces = 8;
const mostMatches = 1000;

export class LogView {
  #page;
  #path;
  #operation;
  #attempts = [];
  #control = new AbortController();
  #first = 0;
  #next = 0;
  #most = mostPieces;
  #style = new Set();
  #stream;
  #earlier;

  constructor(page, path, operation) {
    this.#page = page;
    this.#path = path;
    this.#operation = operation;
    const choose = () => page.set({ stream: this.#stream.value, attempt: this.attempt.value }, { isReplacing: true });
    this.#stream = h("select", { "aria-label": "Stream", on: { change: choose } }, ["stdout", "stderr"].map((name) => h("option", { value: name }, name)));
    this.#stream.value = page.query.get("stream") === "stderr" || (operation.outcome === "failed" && !page.query.has("stream")) ? "stderr" : "stdout";
    this.attempt = h("select", { "aria-label": "Attempt", hidden: true, on: { change: choose } });
    this.follow = h("input", { type: "checkbox", id: "log-follow", checked: operation.state !== "finished", on: { change: () => this.follow.checked && this.#toEnd() } });
    this.search = h("input", { type: "search", "aria-label": "Search the output", placeholder: "search", size: "12", on: { input: () => this.#find() } });
    this.matches = h("span", { class: "hint number", role: "status" });
    this.length = h("span", { class: "hint number" });
    this.#earlier = button("Show earlier output", () => this.#loadEarlier(), { class: "quiet", hidden: true });
    this.text = h("pre", { class: "log", tabindex: "0", role: "group", "aria-label": "Output" });
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#nextMatch(event.shiftKey ? -1 : 1);
    });
    this.element = h("div", { "data-part": "log" },
      h("p", { class: "filters" }, this.#stream, this.attempt, h("label", { for: "log-follow" }, this.follow, " follow"), this.search, this.matches,
        button("Download", () => this.#save(), { class: "quiet", "data-action": "raw-log" }), this.length),
      this.#earlier, this.text);
    page.signal.addEventListener("abort", () => this.#control.abort());
    // A hidden tab asks for nothing: each of its streams would keep a connection from the others.
    document.addEventListener("visibilitychange", () => this.#goOn(), { signal: page.signal });
  }

  /** Shows the stream and the attempt that the address names now. */
  navigate() {
    const { query } = this.#page;
    if (query.has("stream")) this.#stream.value = query.get("stream");
    if (query.has("attempt")) this.attempt.value = query.get("attempt");
    this.start();
  }

  /** Takes the attempts that there are. */
  setAttempts(attempts) {
    this.#attempts = attempts;
    const wanted = attempts.map(({ attempt }) => String(attempt));
    if ([...this.attempt.options].map((option) => option.value).join() === wanted.join()) return;
    const isLast = this.attempt.selectedIndex === this.attempt.options.length - 1;
    const chosen = this.attempt.value;
    const asked = this.attempt.options.length === 0 ? this.#page.query.get("attempt") : null;
    setChildren(this.attempt, wanted.map((value) => h("option", { value }, `attempt ${value}`)));
    this.attempt.hidden = wanted.length < 2;
    if (wanted.includes(asked)) this.attempt.value = asked;
    else if (isLast || !wanted.includes(chosen)) this.attempt.value = wanted.at(-1) ?? "";
    else this.attempt.value = chosen;
    if (this.attempt.value !== chosen && this.element.isConnected) this.start();
  }

  /** Takes a newer document of the operation. */
  update(operation) {
    const hadEnded = this.#operation.state === "finished";
    this.#operation = operation;
    if (operation.state === "finished" && !hadEnded) this.follow.checked = false;
  }

  /** Shows the end of the output of the chosen stream and attempt, and follows it while it grows. */
  async start() {
    this.#control.abort();
    const control = new AbortController();
    this.#control = control;
    this.text.replaceChildren();
    this.#style = new Set();
    this.#earlier.hidden = true;
    if (this.#operation.attempt === 0) {
      setChildren(this.text, h("span", { class: "stream-end" }, "It has printed nothing, because it has not run."));
      setText(this.length, "");
      return;
    }
    try {
      const known = this.#attempts.find(({ attempt }) => String(attempt) === this.attempt.value)?.[`${this.#stream.value}Bytes`] ?? 0;
      const { text, from, to, all } = await this.#piece(Math.max(0, known - pieceLength), control.signal);
      [this.#first, this.#next, this.#most] = [from, from, mostPieces];
      this.#add(text, to);
      this.#showLength(all);
      this.#toEnd();
      this.#earlier.hidden = from === 0;
      this.#follow(control);
    } catch (error) {
      if (error.name !== "AbortError") setChildren(this.text, h("span", { class: "stream-end" }, error.message));
    }
  }

  #query(items) {
    return query({ stream: this.#stream.value, attempt: this.attempt.value || null, ...items });
  }

  async #piece(offset, signal, limit = pieceLength) {
    const answer = await getAnswer(`${this.#path}/log${this.#query({ offset, limit })}`, signal);
    const content = new Uint8Array(await answer.arrayBuffer());
    const from = Number(answer.headers.get("Baton-Log-Offset"));
    return { text: new TextDecoder().decode(content), from, to: from + content.length, all: Number(answer.headers.get("Baton-Log-Length")) };
  }

  /** Follows the output while the tab is seen. */
  #goOn() {
    this.#control.abort();
    if (document.hidden || this.#operation.attempt === 0) return;
    this.#control = new AbortController();
    this.#follow(this.#control);
  }

  async #follow(control) {
    let pause = 500;
    let isOver = false;
    while (!isOver && !control.signal.aborted && !document.hidden) {
      try {
        await readEvents(`${this.#path}/log/follow${this.#query({ offset: this.#next })}`, (kind, data, id) => {
          if (control.signal.aborted) return;
          isOver = kind === "end";
          if (isOver) return;
          if (kind === "lost") {
            const note = h("span", { class: "stream-end" }, `The output of attempt ${JSON.parse(data).attempt} was lost with its worker.`);
            note.byteLength = 0;
            this.text.append(note);
            return;
          }
          // The id is the place behind the piece, in bytes of the output.
          this.#add(JSON.parse(data).text, Number(id.split(":")[1]));
          this.#showLength(this.#next);
          if (this.follow.checked) this.#toEnd();
        }, () => { pause = 500; }, control.signal);
      } catch (error) {
        if (error.name === "AbortError" || [401, 403, 404].includes(error.status)) break;
      }
      if (isOver || control.signal.aborted) break;
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(15_000, pause * 2);
    }
    if (!control.signal.aborted && isOver && this.text.childElementCount === 0) this.text.append(h("span", { class: "stream-end" }, `Nothing was written to ${this.#stream.value}.`));
  }

  async #loadEarlier() {
    const from = Math.max(0, this.#first - pieceLength);
    this.#earlier.disabled = true;
    try {
      const { text } = await this.#piece(from, this.#control.signal, this.#first - from);
      const before = this.text.scrollHeight;
      const span = h("span", paint(text, new Set()));
      span.byteLength = this.#first - from;
      this.text.prepend(span);
      // The text in view keeps its place, and the earlier piece stays on the page.
      this.text.scrollTop += this.text.scrollHeight - before;
      this.#most += 1;
      this.#first = from;
      this.#earlier.hidden = from === 0;
    } catch (error) {
      if (error.name !== "AbortError") notify(error.message, "failed");
    }
    this.#earlier.disabled = false;
  }

  /** Adds text up to a place in the output. */
  #add(text, end) {
    if (text === "") {
      this.#next = end;
      return;
    }
    let last = this.text.lastElementChild;
    if (!(last?.byteLength < pieceLength)) {
      last = h("span");
      last.byteLength = 0;
      this.text.append(last);
    }
    last.byteLength += end - this.#next;
    this.#next = end;
    last.append(...paint(text, this.#style).map((node) => (typeof node === "string" ? visible(node) : node)));
    const before = this.text.scrollHeight;
    while (this.text.childElementCount > this.#most) {
      this.#first += this.text.firstChild.byteLength;
      this.text.firstChild.remove();
      this.#earlier.hidden = false;
    }
    if (!this.follow.checked) this.text.scrollTop -= before - this.text.scrollHeight;
    if (this.search.value) this.#find(false);
  }

  #showLength(length) {
    setText(this.length, bytes(length));
  }

  #toEnd() {
    this.text.scrollTop = this.text.scrollHeight;
  }

  /** Marks what the search field has; goes to the first place unless more text has come. */
  #find(isNew = true) {
    const current = [...this.text.querySelectorAll("mark")].findIndex((found) => found.classList.contains("current"));
    for (const found of this.text.querySelectorAll("mark")) found.replaceWith(found.textContent);
    this.text.normalize();
    const wanted = this.search.value;
    let number = 0;
    if (wanted) {
      const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
      const walker = document.createTreeWalker(this.text, NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (walker.nextNode()) nodes.push(walker.currentNode);
      for (const node of nodes) {
        // The last match first: splitting a node does not move the matches before it.
        for (const match of [...node.data.matchAll(pattern)].reverse()) {
          if (number === mostMatches) break;
          const found = node.splitText(match.index);
          found.splitText(match[0].length);
          found.replaceWith(h("mark", found.data));
          number += 1;
        }
      }
    }
    setText(this.matches, !wanted ? "" : number === mostMatches ? `over ${mostMatches} matches` : `${number} ${number === 1 ? "match" : "matches"}`);
    if (isNew) this.#nextMatch(0);
    else this.text.querySelectorAll("mark")[current]?.classList.add("current");
  }

  #nextMatch(step) {
    const all = [...this.text.querySelectorAll("mark")];
    if (all.length === 0) return;
    const place = Math.max(0, all.findIndex((found) => found.classList.contains("current")));
    all[place].classList.remove("current");
    const next = all[(place + step + all.length) % all.length];
    next.classList.add("current");
    this.text.scrollTop += next.getBoundingClientRect().top - this.text.getBoundingClientRect().top - this.text.clientHeight / 2;
  }

  /** Saves the whole output, which comes in pieces. */
  async #save() {
    const pieces = [];
    try {
      for (let offset = 0; ;) {
        const answer = await getAnswer(`${this.#path}/log${this.#query({ offset })}`, this.#page.signal);
        const piece = await answer.blob();
        pieces.push(piece);
        offset = Number(answer.headers.get("Baton-Log-Offset")) + piece.size;
        if (piece.size === 0 || offset >= Number(answer.headers.get("Baton-Log-Length"))) break;
      }
      save(pieces, `${this.#operation.operation.replace("/", "-")}.${this.#stream.value}`);
    } catch (error) {
      if (error.name !== "AbortError") notify(error.message, "failed");
    }
  }
}
