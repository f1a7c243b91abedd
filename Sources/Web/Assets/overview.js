// The overview: what the cluster does now, and what needs somebody.

import { field, h, setAttribute, setChildren, setField, setText, showOnce } from "./dom.js";
import { count, inSeconds, now, number, rate, roughly } from "./format.js";
import { jobColumns } from "./jobs.js";
import { Refresher, get, quietly, repeat } from "./server.js";
import { Table, TableBehind, amount, empty, figure, hint, lineChart, linkTo, linked, mark, noWorker, queueLink, section, workerLink } from "./widgets.js";

/** The time that the chart shows, in seconds, and the parts of it that a point stands for. */
const chartSeconds = 900;
const secondsOfPoint = 5;

export function overview(page) {
  return new Overview(page);
}

class Overview {
  #page;
  #document = null;
  #buckets = [];
  #waiting = new Map();
  #failedLink;
  #chart;
  #peak;
  #behind;
  #jobTable;
  #moreJobs;
  #trouble;
  #troubles;
  #foot;
  #throughput;
  #rate;
  topics = ["overview"];

  constructor(page) {
    this.#page = page;
    page.title("");
    this.#failedLink = h("a", { href: failedLastHour() }, "Failed in the last hour");
    this.#chart = h("div");
    this.#peak = h("span");
    this.#behind = new TableBehind({
      name: "throughput", caption: "Finished operations, minute by minute", key: (minute) => minute.time,
      columns: [
        { title: "Minute", text: (minute) => minute.time }, amount("Succeeded", (minute) => minute.succeeded),
        amount("Failed", (minute) => minute.failed), amount("Executing", (minute) => minute.executing),
        amount("Ready", (minute) => minute.ready),
      ],
    });
    this.#jobTable = new Table({
      name: "unfinished-jobs", caption: "Unfinished jobs, newest first", key: (job) => String(job.job),
      columns: [
        ...jobColumns(),
        { title: "Time left", kind: "number", text: (job) => (job.etaSeconds === null ? "–" : `${roughly(job.etaSeconds)}, at ${inSeconds(job.etaSeconds)}`) },
        { title: "Waits for", kind: "note", text: (job) => (job.counts.executing > 0 ? "" : this.#waiting.get(job.job)?.message ?? "") },
      ],
      empty: [empty("Nothing is running.")],
    });
    this.#moreJobs = hint(h("a", { href: "/jobs?state=pending&state=ready&state=executing" }, "All unfinished jobs"), " · ", h("a", { href: "/jobs" }, "All jobs"));
    this.#trouble = h("ul", { class: "reasons" });
    this.#troubles = section("What needs somebody", { "data-part": "trouble", hidden: true }, this.#trouble);
    this.begin = section("How to begin", { "data-part": "begin", hidden: true });
    this.#foot = hint("Coordinator ", field("coordinator"), ", version ", field("version"), ".");
    page.main.append(
      h("h1", "Overview"),
      h("dl", { class: "figures" },
        figure("Slots busy", "slots"), figure("Executing", "counts.executing"), figure("Ready", "counts.ready"), figure("Waiting for others", "counts.pending"),
        figure("Finished a second", "finishedPerSecond"), figure(this.#failedLink, "failedLastHour"), figure("Workers", "workers")),
      this.begin, this.#troubles,
      section("Jobs", {}, this.#jobTable.element, this.#moreJobs),
      section("Finished operations a second, last 15 minutes", {}, this.#chart, h("p", { class: "axis" }, h("span", "15 min ago"), this.#peak, h("span", "now")), this.#behind.element),
      this.#foot);
    this.#throughput = new Refresher((signal) => this.#loadThroughput(signal), 5000, page.signal);
    this.#throughput.poke();
    this.waiting = new Refresher((signal) => this.#loadWaiting(signal), 5000, page.signal);
    // Where the stream is refused, for want of a token or by the limits, the page says why.
    get("/status", page.signal).catch((error) => page.fail(error));
    repeat(() => this.#throughput.poke(), 5000, page.signal);
  }

  /** Takes an event of the stream. */
  live(kind, own) {
    const isFirst = this.#document === null;
    this.#document = own;
    const { main } = this.#page;
    const { counts } = own;
    setField(main, "slots", `${number(Math.min(counts.executing, own.slots))} of ${number(own.slots)}`);
    for (const name of ["executing", "ready", "pending"]) setField(main, `counts.${name}`, number(counts[name]));
    setField(main, "finishedPerSecond", own.finishedPerSecond === null ? this.#rate ?? "–" : rate(own.finishedPerSecond));
    setField(main, "failedLastHour", number(own.failedLastHour));
    setAttribute(main.querySelector('[data-field="failedLastHour"]').closest(".figure"), "data-kind", own.failedLastHour > 0 ? "bad" : null);
    setField(main, "workers", own.awaitedWorkers > 0 ? `${number(own.workers)}, ${number(own.awaitedWorkers)} awaited` : number(own.workers));
    setField(main, "coordinator", own.coordinator);
    setField(main, "version", own.version);
    this.#jobTable.update(own.jobs);
    this.waiting.poke();
    this.#showTroubles(own);
    this.#showBeginning(own);
    this.#page.title(own.jobs.length === 0 ? "Overview" : `${count(counts.executing, "operation")} executing`);
    if (isFirst) this.#page.ready();
  }

  #showTroubles(own) {
    setAttribute(this.#failedLink, "href", failedLastHour());
    const { counts } = own;
    const queue = (queue) => h("li", mark(queue.suspended ? "suspended" : "ready", queue.suspended ? "suspended" : "full"), " queue ", queueLink(queue.queue),
      `: ${number(queue.executing)} executing${queue.maxConcurrent === null ? "" : ` of at most ${number(queue.maxConcurrent)}`}; ${number(queue.waiting)} waiting`);
    const worker = (worker) => h("li", mark(worker.state), " worker ", workerLink(worker.worker), worker.reason ? `: ${worker.reason}` : "");
    const items = [
      own.workers === 0 && counts.ready > 0 ? h("li", mark("lost", "no worker"), ` ${count(counts.ready, "operation")} could run. Start a worker with `, h("code", "baton worker"), ".") : null,
      own.failedLastHour > 0 ? h("li", mark("failed"), " ", h("a", { href: failedLastHour() }, `${count(own.failedLastHour, "operation")} in the last hour`)) : null,
      ...own.jobs.filter((job) => job.counts.executing === 0 && needsSomebody(this.#waiting.get(job.job), own.workers)).map(({ job }) =>
        h("li", mark("pending", "waits"), " ", linkTo(job, `job ${job}`), ": ", linked(this.#waiting.get(job).message))),
      ...own.troubledWorkers.map(worker), own.moreTroubledWorkers > 0 ? h("li", h("a", { href: "/workers" }, `and ${number(own.moreTroubledWorkers)} more workers`)) : null,
      ...own.queues.map(queue), own.moreQueues > 0 ? h("li", h("a", { href: "/queues" }, `and ${number(own.moreQueues)} more queues`)) : null,
    ].filter(Boolean);
    showOnce(this.#trouble, [failedLastHour(), ...items.map(({ textContent }) => textContent)], () => items);
    this.#troubles.hidden = items.length === 0;
  }

  /** Says how to begin where there is nothing. */
  #showBeginning(own) {
    const isEmpty = own.workers === 0 || (own.finished === 0 && own.jobs.length === 0);
    this.begin.hidden = !isEmpty;
    if (isEmpty) showOnce(this.begin, own.workers === 0, () => [h("h2", "How to begin"),
      own.workers === 0 ? noWorker() : null,
      h("p", h("code", "baton submit -- echo hello"), " submits a job.")]);
  }

  /** Finds out why jobs stand still of which nothing executes. */
  async #loadWaiting(signal) {
    const still = this.#document.jobs.filter(({ counts }) => counts.executing === 0);
    const documents = await Promise.all(still.map(({ job }) => quietly(() => get(`/jobs/${job}/waiting`, signal))));
    this.#waiting = new Map(still.map(({ job }, place) => [job, documents[place]?.reasons[0]]));
    this.#jobTable.update(this.#document.jobs);
    this.#showTroubles(this.#document);
  }

  async #loadThroughput(signal) {
    // What is known already is not fetched again.
    const missing = this.#buckets.length === 0 ? chartSeconds : Math.min(chartSeconds, Math.ceil((now() - Date.parse(this.#buckets.at(-1).time)) / 1000) + 2);
    const list = await quietly(() => get(`/throughput?seconds=${missing}`, signal));
    if (!list) return;
    const oldest = list.buckets[0]?.time;
    this.#buckets = [...this.#buckets.filter(({ time }) => time < oldest), ...list.buckets].slice(-chartSeconds);
    const values = this.#buckets.map((bucket) => bucket.succeeded + bucket.failed);
    // Points stand for the same seconds each time, so that the line does not change while it moves.
    const sums = new Map();
    this.#buckets.forEach(({ time }, place) => {
      const point = Math.floor(Date.parse(time) / 1000 / secondsOfPoint);
      sums.set(point, (sums.get(point) ?? 0) + values[place] / secondsOfPoint);
    });
    // The last point is not over yet, and seconds in which there was no coordinator have none.
    const first = Math.floor(now() / 1000 / secondsOfPoint) - chartSeconds / secondsOfPoint;
    const points = Array.from({ length: chartSeconds / secondsOfPoint }, (_, place) => sums.get(first + place) ?? null);
    const most = Math.max(1, ...points.map((value) => value ?? 0));
    const last = values.slice(-11, -1);
    this.#rate = last.length === 0 ? "–" : rate(last.reduce((sum, value) => sum + value, 0) / last.length);
    if (this.#document?.finishedPerSecond === null) setField(this.#page.main, "finishedPerSecond", this.#rate);
    setChildren(this.#chart, lineChart(points, most, `Finished operations a second over the last 15 minutes, at most ${rate(most)}`));
    setText(this.#peak, `highest ${rate(most)}`);
    this.#behind.update(() => minutes(this.#buckets));
  }
}

/** The address of the jobs that failed in the last hour, to the minute. */
function failedLastHour() {
  const minute = 60_000;
  return `/jobs?outcome=failed&since=${new Date(Math.floor(now() / minute - 60) * minute).toISOString()}`;
}

/** Whether a reason stays until somebody does something. */
function needsSomebody(reason, workers) {
  return reason?.possible === false || ["hold", "failing"].includes(reason?.kind) || (reason?.kind === "noWorker" && workers > 0);
}

/** The sums of the minutes of a throughput, newest first. */
function minutes(buckets) {
  const sums = new Map();
  for (const bucket of buckets) {
    const time = bucket.time.slice(0, 16).replace("T", " ") + " UTC";
    const sum = sums.get(time) ?? { time, succeeded: 0, failed: 0 };
    sum.succeeded += bucket.succeeded;
    sum.failed += bucket.failed;
    sum.executing = bucket.executing;
    sum.ready = bucket.ready;
    sums.set(time, sum);
  }
  return [...sums.values()].reverse();
}
