// The list of jobs, newest first, with filters.

import { h, showOnce } from "./dom.js";
import { count, duration, finished, moment, number, pathOf, secondsBetween, stateOf, titleOf, total, word } from "./format.js";
import { Refresher, filteredPage, quietly } from "./server.js";
import { Choice, Filters, Table, amount, bar, empty, linkTo, mark, mayAct, updateBar } from "./widgets.js";

/** The columns of a list of jobs. */
export function jobColumns() {
  return [
    { title: "Job", text: (job) => String(job.job), link: (job) => pathOf(job.job) },
    { title: "Name", kind: "name", show: (job, cell) => showOnce(cell, titleOf(job), () => titleLink(job)) },
    { title: "State", show: (job, cell) => showOnce(cell, [stateOf(job), job.open, job.retries], () => jobState(job)) },
    { title: "Operations by state", kind: "wide", show: showBar },
    { title: "Done", kind: "number", text: (job) => `${number(finished(job.counts))} of ${number(total(job.counts))}` },
    amount("Failed", (job) => job.counts.failed),
  ];
}

/** A link with the title of a job; a command that is too long for its cell shows its end. */
function titleLink(job) {
  const title = titleOf(job);
  return job.name ? linkTo(job.job, title) : h("a", { class: "command", href: pathOf(job.job) }, h("bdi", { dir: "ltr" }, title));
}

/** The state of a job, with that of its last retry, after which a failure needs nobody's attention. */
export function jobState(job) {
  const text = job.open && job.state !== "finished" ? `${word(job.state)}, open` : undefined;
  const last = job.retries?.at(-1);
  return last ? [mark(last.outcome === "succeeded" ? "left" : stateOf(job), word(stateOf(job))), " ", retriedAs(job)] : mark(stateOf(job), text);
}

/** The last retry of a job: its number, and its state; nothing for a job that was not retried. */
function retriedAs({ retries }) {
  const last = retries?.at(-1);
  return last ? h("span", { class: "hint" }, "retried as ", linkTo(last.job, String(last.job)), ": ", mark(stateOf(last))) : null;
}

function showBar(job, cell) {
  if (cell.firstChild) updateBar(cell.firstChild, job.counts);
  else cell.append(bar(job.counts));
}

export function jobs(page) {
  return new JobsView(page);
}

class JobsView {
  #page;
  #filters = {};
  /** The filters whose page is shown. */
  #shown = null;
  topics = ["overview"];

  constructor(page) {
    this.#page = page;
    page.title("Jobs");
    this.form = new Filters(page, "before", [["name", "Name or pattern"], ["queue", "Queue"], ["tag", "Tag"], ["since", "Since, such as 2026-11-21T03:00:00Z"]]);
    this.choice = new Choice((job) => String(job.job), () => this.table.items, (operations) => [{
      action: "cancel", label: "Cancel", title: `Cancel ${count(operations.length, "job")}?`, isDangerous: true,
      text: `What is unfinished of ${operations.map((job) => `job ${job}`).join(", ")} will not run to an end.`,
      path: "/operations/cancel", body: { operations }, then: () => this.refresher.now(),
    }]);
    this.table = new Table({
      name: "jobs", caption: "Jobs, newest first", key: (job) => String(job.job),
      columns: [
        ...jobColumns(),
        { title: "Submitted", kind: "wide", text: (job) => moment(job.submittedAt) },
        { title: "Took", kind: "number wide", text: (job) => (job.finishedAt ? duration(secondsBetween(job.submittedAt, job.finishedAt)) : "–") },
        mayAct() ? this.choice.column : null,
      ].filter(Boolean),
      empty: empty("There is no such job. ", h("code", "baton submit -- echo hello"), " submits one."),
    });
    this.pager = h("p", { class: "pager" });
    page.main.append(h("h1", "Jobs"), this.form.element, this.choice.element, this.table.element, this.pager);
    this.refresher = new Refresher((signal) => this.#load(signal), 1000, page.signal);
    this.navigate();
  }

  /** Shows the page of the list that the address names now. */
  async navigate() {
    this.#filters = this.form.read();
    this.choice.clear();
    this.table.forget();
    window.scrollTo(0, 0);
    await this.refresher.now();
    this.#page.ready();
  }

  /** Something has happened in the cluster. */
  live() {
    this.refresher.poke();
  }

  async #load(signal) {
    const filters = this.#filters;
    const before = this.#page.query.get("before");
    const list = await quietly(() => filteredPage("/jobs", filters, "before", before, "jobs", signal), (error) => (error.status === 503 && this.#shown === filters) || this.#page.fail(error));
    if (!list || filters !== this.#filters) return;
    this.#shown = filters;
    this.table.update(list.jobs);
    showOnce(this.pager, [before, list.next, list.jobs.length === 0], () => [before ? h("a", { href: this.#page.href({ before: null }) }, "Newest") : null, " ",
      list.next === null ? null : h("a", { href: this.#page.href({ before: list.next }), "data-field": "next" }, list.jobs.length === 0 ? `Search on before job ${list.next}` : "Older jobs")]);
  }
}
