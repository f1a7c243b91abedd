// A job: how far it is, what failed, what holds the rest up, and its parts: groups, timeline, graph and operations.

import { h, paint, reconcile, setAttribute, setChildren, setField, setText, showOnce } from "./dom.js";
import { count, duration, finished, inSeconds, moment, number, pathOf, percent, roughly, secondsBetween, stateOf, word } from "./format.js";
import { jobState } from "./jobs.js";
import { Refresher, download, get, loaded, query, quietly } from "./server.js";
import { Table, actionButton, ago, amount, bar, button, commaList, empty, figure, hint, legend, linkTo, linked, mark, mayAct, meter, notify, paceText, perform, queueLink, section, setFacts, slowness, tabs, timeOf, updateBar, updateLegend, wayOut, workerLink } from "./widgets.js";

const partNames = [["groups", "Groups"], ["timeline", "Timeline"], ["graph", "Graph"], ["operations", "Operations"]];

/** An element that shows the end of its text once it is drawn: the last line of an error says most. */
function atItsEnd(element) {
  requestAnimationFrame(() => {
    element.scrollTop = element.scrollHeight;
  });
  return element;
}

export function job(page) {
  const [number] = page.parameters;
  return new JobView(page, number);
}

class JobView {
  #page;
  #path;
  #document = null;
  #part = null;
  #partKey = null;
  #partRefresher;
  #heading;
  #bar;
  #legend;
  #facts;
  #failureList;
  #moreFailures;
  #heldList;
  #comparison;
  #comparisonText;
  #partTabs;
  #partError;
  #partPlace;

  constructor(page, name) {
    this.#page = page;
    this.#path = `/jobs/${encodeURIComponent(name)}`;
    this.topics = /^[1-9]\d*$/.test(name) ? [`job:${name}`] : [];
    this.#build(name);
    this.failures = new Refresher((signal) => this.#loadFailures(signal), 1000, page.signal);
    this.waiting = new Refresher((signal) => this.#loadWaiting(signal), 2000, page.signal);
    this.#partRefresher = new Refresher((signal) => this.#loadPart(signal), 1000, page.signal);
    this.workers = new Refresher((signal) => this.#loadWorkers(signal), 5000, page.signal);
    this.#start();
  }

  #build(name) {
    this.#heading = h("h1", `Job ${name}`);
    this.state = h("span");
    this.actions = h("div", { class: "actions" });
    this.#bar = bar({ succeeded: 0, failed: 0, cancelled: 0, skipped: 0, notNeeded: 0, executing: 0, ready: 0, pending: 0 });
    this.#legend = legend();
    this.#facts = h("dl", { class: "facts" });
    this.failed = section("What failed", { "data-view": "failures", hidden: true });
    this.#failureList = h("ol", { class: "failures" });
    this.#moreFailures = h("p", { hidden: true });
    this.failed.append(this.#failureList, this.#moreFailures);
    this.held = section("What holds the rest up", { "data-part": "waiting", hidden: true });
    this.#heldList = h("ul", { class: "reasons" });
    this.held.append(this.#heldList);
    this.#comparison = section("Slow workers", { "data-part": "slow", hidden: true });
    this.#comparisonText = h("p", { class: "message", "data-kind": "warn" });
    this.#comparison.append(this.#comparisonText);
    this.#partTabs = tabs("Parts of the job", partNames, (view) => location.pathname + query({ view: view === "groups" ? null : view }));
    this.#partError = h("p", { class: "message", "data-kind": "failed", hidden: true });
    this.#partPlace = h("div", { class: "part" });
    this.#page.main.append(
      h("p", { class: "path" }, h("a", { href: "/jobs" }, "Jobs"), " / ", name),
      h("div", { class: "head" }, this.#heading, this.state, this.actions),
      h("div", { class: "progress" }, this.#bar, this.#legend),
      h("dl", { class: "figures" },
        figure("Done", "progress"), figure("Time left", "etaSeconds"), figure("Elapsed", "elapsed"), figure("Executing", "counts.executing"), figure("Failed", "counts.failed")),
      this.failed, this.held, this.#comparison, this.#partTabs, this.#partError, this.#partPlace, h("details", { class: "behind" }, h("summary", "About this job"), this.#facts));
  }

  async #start() {
    try {
      this.#show(await get(this.#path, this.#page.signal));
      await Promise.all([this.failures.now(), this.waiting.now(), this.#openPart()]);
      this.workers.poke();
      this.#page.ready();
    } catch (error) {
      this.#page.fail(error);
    }
  }

  /** Takes an event of the stream. */
  live(kind, own) {
    if (kind === "gone") {
      this.#page.fail({ status: 404, message: own.message });
    } else if (kind === "job" && this.#document) {
      this.#show(own);
      this.failures.poke();
      this.waiting.poke();
      this.#partRefresher.poke();
      this.workers.poke();
    }
  }

  /** Shows the part that the address names now. */
  navigate() {
    this.#openPart().catch((error) => this.#page.fail(error));
  }

  #show(own) {
    this.#document = own;
    if (own.state === "finished") this.held.hidden = true;
    const name = own.name ?? "";
    setText(this.#heading, `Job ${own.job}${name ? ` · ${name}` : ""}`);
    const state = stateOf(own);
    showOnce(this.state, [state, own.open, own.retries], () => jobState(own));
    this.#page.title(`${own.job}${name ? " " + name : ""} ${word(state)}${own.outcome ? "" : " " + percent(own.progress)}`);
    updateBar(this.#bar, own.counts);
    updateLegend(this.#legend, own.counts, (state) => this.#operations(filterOf(state)));
    const main = this.#page.main;
    setField(main, "progress", percent(own.progress));
    setField(main, "counts.executing", number(own.counts.executing));
    setField(main, "counts.failed", number(own.counts.failed));
    setField(main, "etaSeconds", own.finishedAt ? "done"
      : own.etaSeconds === null ? "unknown yet" : `${roughly(own.etaSeconds)}, at ${inSeconds(own.etaSeconds)}`);
    this.#showElapsed(own);
    this.#showFacts(own);
    showOnce(this.actions, [own.state, own.counts.failed, own.startedAt, own.retries.length], () => this.#actions(own));
  }

  /** The address of the operations that a filter finds. */
  #operations(filter) {
    return location.pathname + query({ view: "operations", ...filter });
  }

  #showElapsed({ submittedAt: start, finishedAt }) {
    showOnce(this.#page.main.querySelector('[data-field="elapsed"]'), [start, finishedAt],
      () => (finishedAt ? duration(secondsBetween(start, finishedAt)) : ago(start, "", "")));
  }

  #showFacts(own) {
    const jobs = (items) => commaList(items, (job) => linkTo(job, `job ${job}`));
    const facts = [
      ["Submitted", [moment(own.submittedAt), own.by ? ` by ${own.by}` : ""]],
      ["Started", moment(own.startedAt)],
      ["Finished", moment(own.finishedAt)],
      ["Operations", number(own.size)],
      ["Queues", commaList(own.queues, queueLink)],
      ["Tags", Object.entries(own.tags).map(([name, value]) => `${name}=${value}`).join(", ")],
      ["Reuses", own.reuse ? jobs([own.reuse]) : null],
      ["Retry of", own.retryOf ? jobs([own.retryOf]) : null],
      ["Retried as", own.retries.length > 0 ? commaList(own.retries, (retry) => [linkTo(retry.job, `job ${retry.job}`), ": ", mark(stateOf(retry))]) : null],
    ];
    setFacts(this.#facts, facts);
  }

  #actions(own) {
    const isFinished = own.state === "finished";
    const rest = () => count(this.#document.size - finished(this.#document.counts), "unfinished operation");
    return [
      isFinished ? null : actionButton("cancel", "Cancel", () => perform({
        title: `Cancel job ${own.job}${own.name ? ` “${own.name}”` : ""}?`,
        text: [`${rest()} will not run to an end.`, this.#document.counts.executing > 0 ? `Of these, ${number(this.#document.counts.executing)} executing now will be ended.` : ""],
        confirm: "Cancel the job", isDangerous: true, path: `${this.#path}/cancel`, then: () => this.#reflect(),
      }), { class: "dangerous" }),
      isFinished && own.counts.failed > 0 ? actionButton("retry", own.retries.length > 0 ? "Retry again" : "Retry what failed", () => this.#retry({}, count(own.counts.failed, "failed operation"))) : null,
      own.startedAt ? button("Download the trace", () => this.#saveTrace(), { class: "quiet", "data-action": "trace" }) : null,
    ];
  }

  async #saveTrace() {
    try {
      await download(`${this.#path}/trace`, `job-${this.#document.job}.trace.json`);
      notify("The trace is downloaded. ui.perfetto.dev opens it.");
    } catch (error) {
      notify(error.message, "failed");
    }
  }

  #retry(body, what) {
    const last = this.#document.retries.at(-1);
    perform({
      title: `Retry ${what} of job ${this.#document.job}${last ? " again" : ""}?`,
      text: [last ? `The job was retried already, as job ${last.job}: ${word(stateOf(last))}.` : "", "They run again as a new job, with their dependents."],
      confirm: "Retry", path: `${this.#path}/retry`, body: last ? { ...body, again: true } : body, then: () => this.#reflect(),
    });
  }

  /** Shows at once what an action has changed. */
  async #reflect() {
    try {
      this.#show(await get(this.#path, this.#page.signal));
      await Promise.all([this.failures.now(), this.waiting.now(), this.#partRefresher.now()]);
    } catch {
      // The stream brings it.
    }
  }

  async #loadFailures(signal) {
    if (this.#document.counts.failed === 0) {
      this.failed.hidden = true;
      return;
    }
    const list = await quietly(() => get(`${this.#path}/failures`, signal));
    if (!list) return;
    const isFinished = this.#document.state === "finished";
    reconcile(this.#failureList, list.failures, (group) => `${group.reason} ${group.exitStatus} ${group.signal} ${group.line}`, () => h("li"),
      (item, group) => {
        showOnce(item, [group, isFinished], () => this.#failure(group, isFinished));
      });
    this.#moreFailures.hidden = list.more === 0;
    setText(this.#moreFailures, list.more === 0 ? "" : `${count(list.more, "failed operation")} in other groups.`);
    this.failed.hidden = list.failures.length === 0;
  }

  #failure(group, isFinished) {
    const links = group.operations.map((address, place) => {
      const item = group.items?.[place] ?? null;
      const name = group.names?.[place];
      return h("li", h("a", { href: pathOf(address), title: name }, item === null ? name ?? address : address), item === null ? "" : ` input ${item}`);
    });
    const rest = group.count - group.operations.length;
    const about = `The end of the error output of ${group.operations[0]}`;
    return [
      h("h3", mark("failed", count(group.count, "operation")), h("span", { class: "what" }, `: ${group.message}`)),
      group.stderr ? [hint(about, ":"), atItsEnd(h("pre", { class: "log", tabindex: "0", role: "group", "aria-label": about }, paint(group.stderr.replace(/\n$/, ""), new Set())))] : empty("It wrote nothing to its error output."),
      h("ul", { class: "inputs" }, links, rest > 0 ? h("li", h("a", { href: this.#operations({ outcome: "failed" }) }, `and ${number(rest)} more`)) : null),
      isFinished
        ? actionButton("retry-group", group.count === 1 ? "Retry this one" : `Retry these ${number(group.count)}`, () => this.#retry({ group: group.group }, `the ${count(group.count, "operation")} that failed alike`))
        : mayAct() ? hint("They can be retried when the job is finished.") : null,
    ];
  }

  async #loadWaiting(signal) {
    const { counts, state } = this.#document;
    if (state === "finished" || counts.ready + counts.pending === 0) {
      this.held.hidden = true;
      return;
    }
    const list = await quietly(() => get(`${this.#path}/waiting`, signal));
    if (!list) return;
    reconcile(this.#heldList, list.reasons, (reason) => `${reason.kind} ${reason.queue} ${reason.operation}`, () => h("li"), (item, reason) => {
      setAttribute(item, "data-kind", reason.kind);
      showOnce(item, reason, () => [linked(reason.message), wayOut(reason),
        // What waits for a slot has gone on before somebody looks, and the sentence says all.
        ["slots", "limit", "order"].includes(reason.kind) ? "" : [" ", h("a", { href: pathOf(reason.operation), "aria-label": `Why ${reason.operation} waits` }, "Why")]]);
    });
    this.held.hidden = list.reasons.length === 0;
  }

  /** Names the workers that take much longer for the operations of this job than others do. */
  async #loadWorkers(signal) {
    if (finished(this.#document.counts) === 0) return;
    const list = await quietly(() => get(`${this.#path}/groups?by=worker`, signal));
    if (!list) return;
    const slow = list.groups.filter(({ pace }) => pace >= slowness);
    this.#comparison.hidden = slow.length === 0;
    showOnce(this.#comparisonText, slow.map(({ name, pace }) => [name, pace.toFixed(1)]), () => h("span", {},
      slow.map(({ name, pace }, place) => [place > 0 ? ", and " : "Operations take ", `${pace.toFixed(1)} times as long on `, workerLink(name)]), " as those of the same names elsewhere. ",
      h("a", { href: location.pathname + query({ by: "worker" }) }, "All workers of the job")));
  }

  async #openPart() {
    const name = this.#page.query.get("view") ?? "groups";
    const chosen = partNames.some(([known]) => known === name) ? name : "groups";
    for (const link of this.#partTabs.children) setAttribute(link, "aria-current", link.dataset.tab === chosen ? "page" : null);
    if (this.#partKey === chosen && this.#part?.navigate) {
      this.#part.navigate();
      return this.#partRefresher.now();
    }
    const make = {
      groups: () => new GroupsPart(this.#page, this.#path),
      operations: async () => new (await loaded(import("./operations.js"))).OperationsPart(this.#page, this.#path, () => this.#document, () => this.#reflect()),
      timeline: async () => (await loaded(import("./timeline.js"))).timelinePart(this.#page, this.#path, () => this.#document),
      graph: async () => (await loaded(import("./graph.js"))).graphPart(this.#page, this.#path),
    }[chosen];
    this.#partKey = chosen;
    const part = await make();
    if (this.#page.signal.aborted || this.#partKey !== chosen) return;
    this.#part?.leave?.();
    this.#part = part;
    setChildren(this.#partPlace, h("section", { "data-view": chosen, "aria-label": partNames.find(([known]) => known === chosen)[1] }, part.element));
    return this.#partRefresher.now();
  }

  async #loadPart(signal) {
    const part = this.#part;
    if (!part) return;
    setText(this.#partError, "");
    await quietly(() => part.load(signal), (error) => {
      setText(this.#partError, error.message);
      // Nobody else asks again for a job that is finished.
      if (error.status >= 429) setTimeout(() => this.#partRefresher.poke(), 3000);
    });
    this.#partError.hidden = this.#partError.textContent === "";
    // What is there may answer another question.
    this.#partPlace.hidden = !this.#partError.hidden;
  }
}

/** The filter that finds the operations in a state of the legend. */
function filterOf(state) {
  if (["pending", "ready", "executing"].includes(state)) return { state };
  return { outcome: state === "notNeeded" ? "skipped" : state };
}

function showPace({ pace }, cell) {
  setText(cell, pace === null ? "–" : paceText(pace));
  setAttribute(cell, "data-kind", pace >= slowness ? "slow" : null);
}

/** The operations in groups. */
class GroupsPart {
  #page;
  #path;
  #choice;
  #table;

  constructor(page, path) {
    this.#page = page;
    this.#path = path;
    this.#choice = h("select", { id: "groups-by", on: { change: () => page.set({ by: this.#choice.value === "name" ? null : this.#choice.value }) } },
      [["name", "name"], ["worker", "worker"], ["queue", "queue"], ["reason", "reason of failure"]].map(([value, title]) => h("option", { value }, title)));
    this.more = h("p", { class: "hint", hidden: true });
    this.element = h("div", h("p", { class: "filters" }, h("label", { for: "groups-by" }, "Groups by "), this.#choice), h("div"), this.more);
    this.navigate();
  }

  navigate() {
    this.by = this.#page.query.get("by") ?? "name";
    this.#choice.value = this.by;
    this.#table = new Table({
      name: "groups", caption: `The operations in groups by ${this.by}`, key: (group) => group.first,
      empty: empty("The job has no operations yet."),
      columns: [
        { title: "Group", text: (group) => group.name ?? (this.by === "worker" ? "not run yet" : this.by === "reason" ? "nothing wrong" : "without a name"), link: (group) => this.#link(group) },
        { title: "Done", show: (group, cell) => setChildren(cell, meter(finished(group.counts) / group.size)) },
        amount("Operations", (group) => group.size),
        amount("Executing", (group) => group.counts.executing, "number wide"),
        amount("Failed", (group) => group.counts.failed),
        timeOf("Median", (group) => group.seconds?.p50),
        timeOf("95%", (group) => group.seconds?.p95, "number wide"),
        timeOf("Longest", (group) => group.seconds?.max, "number wide"),
        timeOf("Total time", (group) => group.seconds?.sum, "number wide"),
        this.by === "worker" ? { title: "Compared", show: showPace } : null,
      ].filter(Boolean),
      row: (row, group) => setAttribute(row, "data-kind", group.counts.failed > 0 ? "failed" : null),
    });
    this.element.children[1].replaceWith(this.#table.element);
  }

  #link(group) {
    if (group.size === 1 && this.by === "name") return pathOf(group.first);
    const filter = this.by === "reason" ? { outcome: group.name === null ? null : "failed" } : { [this.by]: group.name };
    return location.pathname + query({ view: "operations", ...filter });
  }

  async load(signal) {
    const by = this.by;
    const list = await get(`${this.#path}/groups${query({ by: by === "name" ? null : by })}`, signal);
    if (by !== this.by) return;
    this.#table.update(list.groups);
    this.more.hidden = list.more === 0;
    setText(this.more, list.more === 0 ? "" : `${count(list.more, "operation")} in further groups, which are not listed.`);
  }
}
