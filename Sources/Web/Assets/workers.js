// The workers, and one of them: what its slots do, how busy it was, and how long its operations take.

import { h, reconcile, setAttribute, setChildren, setField, setText, showOnce } from "./dom.js";
import { bytes, count, duration, finished, moment, number, pathOf, percent, wholeSeconds, workerPath } from "./format.js";
import { Refresher, get, loadAgain, quietly, repeat } from "./server.js";
import { Table, TableBehind, actionsOn, ago, empty, figure, hint, lineChart, linkTo, meter, noWorker, paceText, section, setFacts, setMark, slowness, timeOf } from "./widgets.js";

/** The most workers whose slots are fetched for the list. */
const mostShownSlots = 24;
/** The most lanes of a worker. */
const mostLanes = 64;
/** How many of the newest jobs may be the one in which workers are compared. */
const newestJobs = 20;

function stateOfWorker(worker) {
  return worker.draining && worker.state === "alive" ? "draining" : worker.state;
}

function setSilence(worker, cell) {
  setText(cell, worker.silentSeconds >= 2 ? wholeSeconds(worker.silentSeconds) : "–");
}

/** The slots of a worker as lanes: what runs in each and since when. */
function showSlots(element, slots, executing) {
  // An execution keeps its lane, so that no link moves under the pointer.
  const keyOf = ({ operation, attempt }) => `${operation} ${attempt}`;
  const lanes = element.lanes ??= [];
  const wanted = new Map(executing.map((execution) => [keyOf(execution), execution]));
  for (let place = 0; place < lanes.length; place += 1) {
    if (lanes[place] && !wanted.delete(keyOf(lanes[place]))) lanes[place] = null;
  }
  for (const execution of wanted.values()) {
    const free = lanes.findIndex((lane) => !lane);
    lanes[free < 0 ? lanes.length : free] = execution;
  }
  lanes.length = Math.max(lanes.findLastIndex(Boolean) + 1, Math.min(mostLanes, slots));
  reconcile(element, Array.from(lanes, (lane, place) => ({ lane, place })), ({ place }) => String(place), () => h("li"), (item, { lane }) => {
    setAttribute(item, "class", lane ? "busy" : "quiet");
    showOnce(item, lane ? keyOf(lane) : null, () => (lane ? [linkTo(lane.operation), " ", ago(lane.startedAt, "", "")] : "free"));
  });
}

/** Compares the workers, by name, in the job, of the newest, of which most is finished; null without an answer. */
async function comparison(signal) {
  const list = await quietly(() => get(`/jobs?limit=${newestJobs}`, signal));
  const job = list?.jobs.reduce((best, other) => (finished(other.counts) > finished(best.counts) ? other : best), list.jobs[0]);
  const groups = job && await quietly(() => get(`/jobs/${job.job}/groups?by=worker`, signal));
  return groups && new Map(groups.groups.map(({ name, pace }) => [name, { pace, job: job.job }]));
}

function showPace(paces, name, cell) {
  const { pace, job } = paces?.get(name) ?? { pace: null };
  showOnce(cell, [pace, job], () => (pace === null ? "–" : [paceText(pace), " in ", linkTo(job, `job ${job}`)]));
  setAttribute(cell, "data-kind", pace >= slowness ? "slow" : null);
}

const paceMeaning = "Compared: how long operations take here, against those of the same names on other workers, in one of the latest jobs.";

/** How much of something that a worker has is asked for; null for a worker of which only the name is known. */
const share = (text, used, whole) => (whole === null ? null : `${text(used ?? 0)} of ${text(whole)} asked for`);

/** The actions on a worker. */
function workerActions({ worker, state, draining, executing }, then) {
  if (state === "lost" || state === "left") return [];
  const offer = actionsOn(workerPath(worker), then);
  return [
    draining
      ? offer("undrain", "Let it take operations", `Let ${worker} take operations again?`, [], `${worker} takes operations again.`)
      : offer("drain", "Drain", `Drain ${worker}?`, executing === 0 ? "It gets nothing new." : `It gets nothing new; ${count(executing, "executing operation")} may finish.`, `${worker} gets nothing new.`),
    offer("stop", "Stop", `Stop ${worker}?`, `It leaves when ${count(executing, "executing operation")} ${executing === 1 ? "has" : "have"} finished.`, `${worker} leaves.`, {
      isDangerous: true, body: (values) => ({ now: values.now === "on" }),
      fields: [h("label", h("input", { type: "checkbox", name: "now" }), " End them at once; they run again elsewhere.")],
    }),
  ];
}

export function workers(page) {
  return new WorkersView(page);
}

class WorkersView {
  #page;
  #details = new Map();
  #workers = null;
  #paces = new Map();
  #table;
  topics = ["workers"];

  constructor(page) {
    this.#page = page;
    page.title("Workers");
    this.#table = new Table({
      name: "workers", caption: "Workers", key: (worker) => worker.worker,
      columns: [
        { title: "Worker", text: (worker) => worker.worker, link: (worker) => workerPath(worker.worker) },
        { title: "State", show: (worker, cell) => setMark(cell, stateOfWorker(worker)) },
        { title: "Host", kind: "name wide", text: (worker) => worker.host ?? "–" },
        { title: "Busy", show: (worker, cell) => setChildren(cell, worker.keeper ? "keeps files" : meter(worker.slots === 0 ? 0 : worker.executing / worker.slots, `${number(worker.executing)} of ${number(worker.slots)}`)) },
        { title: "Processors", kind: "number wide", text: ({ cpus, used }) => share(number, used?.cpus, cpus) ?? "–" },
        { title: "Memory", kind: "number wide", text: ({ memory, used }) => share(bytes, used?.memory, memory) ?? "–" },
        { title: "Slots", kind: "wide", show: (worker, cell) => this.#showSlots(worker, cell) },
        { title: "Compared", kind: "number", show: (worker, cell) => showPace(this.#paces, worker.worker, cell) },
        { title: "Silent for", kind: "number", show: setSilence },
        { title: "Note", kind: "note", text: (worker) => worker.reason ?? "" },
      ],
      empty: noWorker(),
    });
    this.more = hint();
    page.main.append(h("h1", "Workers"), this.#table.element, this.more, hint(paceMeaning));
    this.paces = new Refresher((signal) => this.#loadPaces(signal), 10_000, page.signal);
    this.details = new Refresher((signal) => this.#loadDetails(signal), 2000, page.signal);
    get("/workers", page.signal).then((list) => {
      this.live("workers", { more: 0, ...list });
      page.ready();
    }, (error) => page.fail(error));
  }

  /** Takes an event of the stream. */
  live(kind, list) {
    this.#workers = list.workers;
    this.#table.update(list.workers);
    setText(this.more, list.more > 0 ? `${count(list.more, "further worker")} are not shown; baton workers lists all.` : "");
    this.details.poke();
    this.paces.poke();
  }

  async #loadDetails(signal) {
    const names = this.#workers.filter(({ state }) => state !== "lost" && state !== "left").slice(0, mostShownSlots).map(({ worker }) => worker);
    const documents = await Promise.all(names.map((name) => quietly(() => get(workerPath(name), signal))));
    this.#details = new Map(names.map((name, place) => [name, documents[place]]));
    this.#table.update(this.#workers);
  }

  #showSlots(worker, cell) {
    const list = cell.firstChild ?? cell.appendChild(h("ul", { class: "slots" }));
    const detail = this.#details.get(worker.worker);
    if (detail) showSlots(list, worker.slots, detail.executing.slice(0, 8));
  }

  async #loadPaces(signal) {
    this.#paces = await comparison(signal) ?? this.#paces;
    this.#table.update(this.#workers);
  }
}

export function worker(page) {
  return new WorkerView(page, page.parameters[0]);
}

class WorkerView {
  #page;
  #path;
  #actions;
  #facts;
  #refresher;
  #paces;
  #busyChart;
  #busyBehind;
  #busyText;
  topics = ["workers"];

  constructor(page, name) {
    this.#page = page;
    this.#path = workerPath(name);
    page.title(`Worker ${name}`);
    this.state = h("span");
    this.reason = h("p", { class: "sentence" });
    this.#actions = h("div", { class: "actions" });
    this.slots = h("ul", { class: "slots" });
    this.busy = section("Busy, last 15 minutes", { hidden: true });
    this.#facts = h("dl", { class: "facts" });
    this.ended = new Table({
      name: "ended", caption: "The last attempts on this worker, newest first", key: (attempt) => `${attempt.operation} ${attempt.endedAt}`,
      columns: [
        { title: "Operation", text: (attempt) => attempt.operation, link: (attempt) => pathOf(attempt.operation) },
        { title: "End", show: (attempt, cell) => setMark(cell, stateOfEnd(attempt), endText(attempt)) },
        timeOf("Time", (attempt) => attempt.seconds),
        { title: "Ended", text: (attempt) => moment(attempt.endedAt) },
      ],
      empty: empty("Nothing has ended here yet."),
    });
    page.main.append(h("p", { class: "path" }, h("a", { href: "/workers" }, "Workers"), " / ", h("span", name)),
      h("div", { class: "head" }, h("h1", `Worker ${name}`), this.state, this.#actions), this.reason,
      h("dl", { class: "figures" }, figure("Busy", "executing"), figure("Silent for", "silentSeconds"), figure("Succeeded", "succeeded"), figure("Did not succeed", "unsuccessful"), figure("Compared", "pace")),
      hint(paceMeaning), section("Slots", {}, this.slots), this.busy, section("Last attempts", {}, this.ended.element), section("Details", {}, this.#facts));
    this.#refresher = new Refresher((signal) => this.#load(signal), 1000, page.signal, (error) => page.fail(error));
    const pace = page.main.querySelector('[data-field="pace"]');
    this.#paces = new Refresher(async (signal) => showPace(await comparison(signal), name, pace), 10_000, page.signal);
    this.#refresher.now().then(() => page.ready());
    this.#paces.poke();
    repeat(() => [this.#refresher, this.#paces].forEach((refresher) => refresher.poke()), 5000, page.signal);
  }

  /** Takes an event of the stream. */
  live() {
    this.#refresher.poke();
  }

  async #load(signal) {
    const own = await loadAgain(this, this.#path, signal);
    if (!own) return;
    const { worker } = own;
    const { main } = this.#page;
    setMark(this.state, stateOfWorker(worker));
    setText(this.reason, [worker.reason, worker.drainedBy ? `Drained by ${worker.drainedBy}, ${moment(worker.drainedAt)}.` : "", worker.endsAt ? `It ends at ${moment(worker.endsAt)}.` : ""].filter(Boolean).join(" "));
    setField(main, "executing", worker.keeper ? "keeps files" : `${number(worker.executing)} of ${number(worker.slots)}`);
    setSilence(worker, main.querySelector('[data-field="silentSeconds"]'));
    setField(main, "succeeded", number(own.succeeded));
    setField(main, "unsuccessful", number(own.unsuccessful));
    showSlots(this.slots, worker.slots, own.executing);
    this.ended.update(own.ended);
    showOnce(this.#actions, [worker.state, worker.draining, worker.executing], () => (worker.keeper ? [] : workerActions(worker, () => this.#refresher.now())));
    this.#showBusy(own);
    const list = (values) => Object.entries(values ?? {}).map(([name, value]) => `${name}=${value}`).join(", ");
    const facts = [
      ["Host", worker.host], ["Process", String(worker.processID)], ["Since", moment(own.since)], ["Processors", share(number, worker.used?.cpus, worker.cpus)],
      ["Memory", share(bytes, worker.used?.memory, worker.memory)], ["Resources", list(worker.resources)], ["Labels", list(worker.labels) || "none"],
      ["Types", worker.types.join(", ")],
    ];
    setFacts(this.#facts, facts);
  }

  #showBusy(own) {
    const busy = own.busy ?? [];
    this.busy.hidden = busy.length < 2;
    if (busy.length < 2) return;
    const whole = Math.round(900 / own.busyBucketSeconds);
    const mean = busy.reduce((sum, value) => sum + value, 0) / busy.length;
    if (!this.#busyChart) {
      this.#busyChart = h("div");
      this.#busyBehind = new TableBehind({
        name: "busy", caption: "The used share of the slots, bucket by bucket", key: (bucket) => bucket.time,
        columns: [{ title: "Ago", kind: "number", text: (bucket) => bucket.time }, { title: "Busy", kind: "number", text: (bucket) => percent(bucket.value) }],
      });
      this.#busyText = h("p", { class: "axis" });
      this.busy.append(this.#busyChart, this.#busyText, this.#busyBehind.element);
    }
    setChildren(this.#busyChart, lineChart([...Array(Math.max(0, whole - busy.length)).fill(null), ...busy], 1, `The used share of the slots over the last 15 minutes, ${percent(mean)} on average`));
    setChildren(this.#busyText, h("span", "15 min ago"), h("span", `${percent(mean)} on average`), h("span", "now"));
    this.#busyBehind.update(() => busy.map((value, place) => ({ time: duration((busy.length - place) * own.busyBucketSeconds), value })).reverse());
  }
}

function stateOfEnd({ end, exitStatus }) {
  if (exitStatus === 0 || end === "result") return "succeeded";
  return { cancelled: end, lost: end, stopped: "lost", givenBack: end }[end] ?? "failed";
}

function endText({ end, exitStatus, signal }) {
  if (end === "exit") return exitStatus === 0 ? "succeeded" : `exit ${exitStatus}`;
  if (end === "signal") return `signal ${signal}`;
  return { result: "succeeded", error: "error", givenBack: "given back", memory: "too much memory", launch: "not started" }[end] ?? end;
}
