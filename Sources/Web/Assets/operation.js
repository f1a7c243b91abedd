// The story of one operation: its state and why, its attempts, its neighbours in the graph, its output and its result.

import { h, setChildren, setText, showOnce } from "./dom.js";
import { bytes, commandLine, count, duration, moment, number, pathOf, percent, secondsBetween, stateOf, word } from "./format.js";
import { LogView } from "./log.js";
import { Refresher, download, get, getAnswer, quietly } from "./server.js";
import { actionsOn, ago, button, empty, linkTo, linked, mark, mayAct, notify, queueLink, reasonList, section, setFacts, setMark, workerLink } from "./widgets.js";

/** The most dependencies whose names and states are fetched. */
const mostNeighbours = 40;
/** The most files that are listed. */
const mostFiles = 100;
/** The most bytes of a file that the page fetches: a browser may keep all of them in memory until it saves them. */
const mostFetchedBytes = 1e9;
const priorities = [["8", "very high"], ["4", "high"], ["0", "normal"], ["-4", "low"], ["-8", "very low"]];

/** Settings that the page shows in other places, and those that say nothing at their usual values. */
const shownElsewhere = ["priority", "hold", "input", "columns", "memoryUpTo", "timeoutUpTo"];
const usualSettings = { restart: "onLoss", grace: "5s", stopSignal: "TERM", keepResult: "onSuccess", inputNames: "number", workspace: "shared", retryDelay: "1s" };

/** A setting in words; nothing for one that is not set. */
function settingText(name, settings) {
  const value = settings[name], last = settings[`${name}UpTo`];
  if (last) return name === "memory" ? `${bytes(value)} to ${bytes(last)}` : `${value} to ${last}`;
  if (value === true) return "yes";
  if (Array.isArray(value)) return value.join(", ");
  if (value !== null && typeof value === "object") return Object.entries(value).map(([name, amount]) => `${name}=${amount}`).join(", ");
  return value ? String(value) : null;
}

export function operation(page) {
  return new OperationView(page, ...page.parameters);
}

class OperationView {
  #page;
  #path;
  #document = null;
  #log = null;
  resultLength = null;

  constructor(page, job, name) {
    this.#page = page;
    this.#path = `/operations/${encodeURIComponent(job)}/${encodeURIComponent(name)}`;
    this.#build(job, name);
    this.attempts = new Refresher((signal) => this.#loadAttempts(signal), 500, page.signal);
    this.reasons = new Refresher((signal) => this.#loadReasons(signal), 1000, page.signal);
    this.neighbours = new Refresher((signal) => this.#loadNeighbours(signal), 3000, page.signal);
    this.topics = [];
    this.#start();
  }

  #build(job, name) {
    this.heading = h("h1", `${job}/${name}`);
    this.state = h("span", { "data-field": "state" });
    this.actions = h("div", { class: "actions" });
    this.sentence = h("p", { class: "sentence" });
    this.why = section("Why it does not run", { "data-part": "explain", hidden: true });
    this.story = h("ol", { class: "story", "data-part": "attempts" });
    this.dependencies = h("div");
    this.dependents = h("div");
    this.command = h("pre", { tabindex: "0", role: "group", "aria-label": "Command" });
    this.commandHint = h("p", { class: "hint" });
    this.facts = h("dl", { class: "facts" });
    this.logPlace = h("div");
    this.files = section("Files", { "data-part": "files", hidden: true });
    this.#page.main.append(
      h("p", { class: "path" }, linkTo(job, `Job ${job}`), " / ", h("span", name)),
      h("div", { class: "head" }, this.heading, this.state, this.actions), this.sentence, this.why,
      h("div", { class: "columns" },
        section("What happened", {}, this.story),
        h("div", section("Waits for", {}, this.dependencies), section("Needed by", {}, this.dependents))),
      section("Command", {}, this.command, this.commandHint), section("Output", {}, this.logPlace), this.files, section("Details", {}, this.facts));
  }

  async #start() {
    try {
      const document = await get(this.#path, this.#page.signal);
      if (document.array !== undefined) {
        this.#showArray(document);
      } else {
        this.topics = [`operation:${document.operation}`];
        this.#path = `/operations/${document.operation}`;
        this.#show(document);
        await Promise.all([this.attempts.now(), this.reasons.now(), this.neighbours.now()]);
        this.#log = new LogView(this.#page, this.#path, this.#document);
        this.#log.setAttempts(this.listed ?? []);
        this.logPlace.append(this.#log.element);
        await Promise.all([this.#log.start(), this.#loadResultLength(this.#page.signal), this.#loadFiles(this.#page.signal)]);
      }
      this.#page.ready();
      this.#page.follow(this.topics);
    } catch (error) {
      this.#page.fail(error);
    }
  }

  #showArray(array) {
    this.#page.title(`${array.job}/${array.name}`);
    setChildren(this.#page.main,
      h("h1", `Array ${array.name} of job ${array.job}`),
      h("p", { class: "sentence" }, `It has ${count(array.count, "operation")}, from `, linkTo(`${array.job}/${array.first}`), ` to ${array.job}/${array.first + array.count - 1}.`),
      h("p", h("a", { href: `${pathOf(array.job)}?view=operations&name=${encodeURIComponent(array.name)}` }, "List them")));
  }

  /** Shows the output that the address names now. */
  navigate() {
    this.#log?.navigate();
  }

  /** Takes an event of the stream. */
  live(kind, document) {
    if (kind === "gone") {
      this.#page.fail({ status: 404, message: document.message });
    } else if (kind === "operation" && this.#document) {
      this.#show(document);
      this.attempts.poke();
      this.reasons.poke();
      this.neighbours.poke();
      this.#loadResultLength(this.#page.signal);
      this.#loadFiles(this.#page.signal);
      this.#log?.update(document);
    }
  }

  #show(document) {
    this.#document = document;
    const title = [document.operation, document.name, document.item === null ? null : `(${document.item})`].filter(Boolean);
    setText(this.heading, title.join(" · ").replace(" · (", " ("));
    const state = stateOf(document);
    setMark(this.state, state, document.held && state !== "finished" ? `${word(state)}, held` : word(state));
    this.#page.title(`${title.slice(0, 2).join(" ")} ${word(state)}`);
    setChildren(this.sentence, this.#sentence(document, state));
    const commands = document.filledCommands ?? (document.command ? [document.command] : document.commands ?? []);
    setText(this.command, document.type ? `${document.type} ${document.argument ?? ""}` : commands.map(commandLine).join("\n"));
    setText(this.commandHint, !document.filledCommands && document.item !== null && this.command.textContent.includes("{}") ? `{} stands for ${document.item}.` : "");
    this.#showFacts(document);
    this.#showActions(document);
  }

  #sentence(document, state) {
    const on = document.worker ? [" on ", workerLink(document.worker)] : "";
    const attempt = document.attempt > 1 ? `, at attempt ${document.attempt}` : "";
    const took = document.attempt > 0 && document.startedAt && document.finishedAt ? ` after ${duration(secondsBetween(document.startedAt, document.finishedAt))}` : "";
    const progress = document.progress > 0 && document.progress < 1 ? `, ${percent(document.progress)} done` : "";
    switch (state) {
      case "executing": return ["It has been executing", on, attempt, " for ", ago(document.startedAt, "", ""), progress, ".", document.paused ? [` It is paused${document.paused.by === null ? "" : ` by ${document.paused.by}`} since `, moment(document.paused.since), "."] : "", document.stop ? [` ${document.stop.name} has stopped its process since `, moment(document.stop.since), "; it waits for SIGCONT."] : "", document.progressMessage ? ` ${document.progressMessage}` : ""];
      case "succeeded": return ["It succeeded ", ago(document.finishedAt), on, took, attempt, ". ", linked(document.message ?? "")];
      case "failed": return ["It failed ", ago(document.finishedAt), on, took, attempt, ". ", document.message ?? ""];
      case "pending": case "ready": return [`It has been ${word(state)} for `, ago(document.readyAt ?? document.submittedAt, "", ""), "."];
      default: return [`It was ${word(state)} `, ago(document.finishedAt), on, ". ", linked(document.message ?? ""),
        document.skippedBecauseOf ? [" The cause is ", linkTo(document.skippedBecauseOf), "."] : ""];
    }
  }

  #showFacts(document) {
    const facts = [
      ["Input", document.item], ["Queue", queueLink(document.queue)], ["Priority", priorities.find(([value]) => value === String(document.priority))?.[1] ?? String(document.priority)],
      ["Submitted", moment(document.submittedAt)], ["Ready", moment(document.readyAt)], ["Started", moment(document.startedAt)], ["Finished", moment(document.finishedAt)],
      ["Processor time", document.cpuSeconds === null ? null : duration(document.cpuSeconds)], ["Peak memory", document.peakMemory === null ? null : bytes(document.peakMemory)],
      ["Result", document.hasResult ? button(this.resultLength === null ? "Download" : `Download (${bytes(this.resultLength)})`, () => this.#saveResult(), { "data-action": "result" }) : null],
      ...Object.entries(document.settings ?? {}).filter(([name, value]) => !shownElsewhere.includes(name) && value !== usualSettings[name]).map(([name]) => [name, settingText(name, document.settings)]),
    ];
    setFacts(this.facts, facts);
  }

  async #loadResultLength(signal) {
    if (!this.#document.hasResult || this.resultLength !== null) return;
    const answer = await quietly(() => getAnswer(`${this.#path}/result`, signal, "HEAD"));
    const length = answer?.headers.get("Content-Length");
    if (length) this.resultLength = Number(length);
    this.#showFacts(this.#document);
  }

  #saveResult() {
    download(`${this.#path}/result`, `result-${this.#document.operation.replace("/", "-")}`).catch((error) => notify(error.message, "failed"));
  }

  async #loadFiles(signal) {
    if (!this.#document.files) return;
    const list = await quietly(() => get(`${this.#path}/files?limit=${mostFiles}`, signal));
    if (!list) return;
    this.files.hidden = list.files.length === 0;
    const more = this.#document.files.count - list.files.length;
    showOnce(this.files, [list.files, more, mayAct()], () => [
      h("h2", "Files"),
      h("p", { class: "hint" }, `${count(this.#document.files.count, "file")}, ${bytes(this.#document.files.bytes)}; `, h("code", `baton fetch ${this.#document.operation}`), " copies them."),
      h("ul", { class: "reasons" }, list.files.map((file) => this.#fileLine(file)), more > 0 ? h("li", `and ${number(more)} more`) : null),
    ]);
  }

  /** A file with its size; a viewer sees its name alone, and so does everybody of a file that is lost or too large for the page. */
  #fileLine(file) {
    const name = file.path.split("/").pop();
    const path = `${this.#path}/files/${file.path.split("/").map(encodeURIComponent).join("/")}`;
    const fetched = mayAct() && file.state !== "lost" && file.size <= mostFetchedBytes;
    const save = () => download(path, name).catch((error) => notify(error.message, "failed"));
    return h("li", { "data-file": file.path }, h("code", file.path), ` ${bytes(file.size)} `,
      file.state === "lost" ? mark("lost", "lost") : ["at ", file.holders.map((holder, place) => [place > 0 ? ", " : "", workerLink(holder)]), " "],
      fetched ? button("Download", save, { "data-action": "file", "aria-label": `Download ${file.path}` }) : null);
  }

  #showActions(document) {
    const name = document.operation;
    const offer = actionsOn(this.#path, () => this.#reflect());
    const isFinished = document.state === "finished";
    const isWaiting = !isFinished && document.state !== "executing";
    const again = { path: "/operations/retry", body: { operations: [name], cancelled: document.outcome === "cancelled", again: true } };
    showOnce(this.actions, [document.state, document.outcome, document.held, document.priority, document.cancelled, Boolean(document.paused)], () => [
      isFinished ? null : offer("cancel", "Cancel", `Cancel ${name}?`, "It will not run to an end. Operations that need its success are skipped.", "", { isDangerous: true }),
      isWaiting && document.held ? offer("release", "Release", `Release ${name}?`, "It runs as soon as nothing else keeps it.", "It is released.") : null,
      isWaiting && !document.held ? offer("hold", "Hold", `Hold ${name}?`, "It does not start until somebody releases it.", "It is held.") : null,
      document.state === "executing" && !document.type && !document.paused && !document.cancelled ? offer("pause", "Pause", `Pause ${name}?`, "Its processes stand still until somebody continues it.", "It is paused.") : null,
      document.paused ? offer("resume", "Continue", `Continue ${name}?`, "Its processes go on.", "It goes on.") : null,
      isWaiting ? offer("priority", "Priority", `Priority of ${name}`, "It goes behind the others of the same priority.", "The priority is set.", {
        confirm: "Set it", body: (values) => ({ priority: Number(values.priority) }),
        fields: [h("label", "Priority ", h("select", { name: "priority" }, priorities.map(([value, title]) => h("option", { value, selected: value === String(document.priority) }, title))))],
      }) : null,
      ["failed", "cancelled"].includes(document.outcome) ? offer("retry", "Retry", `Retry ${name}?`, "It runs again as a new job, with its dependents, if its own job is finished.", "", again) : null,
    ]);
  }

  async #reflect() {
    try {
      this.#show(await get(this.#path, this.#page.signal));
      await Promise.all([this.attempts.now(), this.reasons.now()]);
    } catch {
      // The stream brings it.
    }
  }

  async #loadReasons(signal) {
    const { state } = this.#document;
    if (state !== "pending" && state !== "ready") {
      this.why.hidden = true;
      return;
    }
    const document = await quietly(() => get(`${this.#path}/explain`, signal));
    if (!document) return;
    this.why.hidden = false;
    showOnce(this.why, document.waitsFor, () => [h("h2", "Why it does not run"), document.waitsFor.length === 0 ? h("p", linked(document.message)) : reasonList(document.waitsFor)]);
  }

  async #loadAttempts(signal) {
    const document = await quietly(() => get(`${this.#path}/attempts`, signal));
    if (!document) return;
    this.#log?.setAttempts(document.attempts);
    this.listed = document.attempts;
    showOnce(this.story, [document.attempts, this.#document.state], () => this.#entries(document.attempts));
  }

  /** The story of the operation, from the submission to the end. */
  #entries(attempts) {
    const own = this.#document;
    const entries = [h("li", "Submitted ", h("span", { class: "when" }, moment(own.submittedAt)))];
    for (const attempt of attempts) {
      const waited = attempt.attempt === 1 && own.attempt === 1 && own.readyAt && attempt.startedAt ? `, ${duration(secondsBetween(own.readyAt, attempt.startedAt))} after it was ready` : "";
      const most = [attempt.memory ? bytes(attempt.memory) : null, attempt.timeout].filter(Boolean);
      entries.push(h("li", { "data-attempt": attempt.attempt },
        mark(attempt.end === "executing" ? "executing" : attempt.end === "stopped" ? "lost" : attempt.end, `Attempt ${attempt.attempt} ${word(attempt.end)}`),
        attempt.worker ? [" on ", workerLink(attempt.worker)] : "",
        most.length > 0 ? ` with at most ${most.join(", ")}` : "",
        attempt.end === "executing" ? [" for ", ago(attempt.startedAt, "", "")] : attempt.seconds === null ? "" : ` after ${duration(attempt.seconds)}`,
        h("div", { class: "when" }, attempt.startedAt ? `started ${moment(attempt.startedAt)}${waited}` : "never started", attempt.finishedAt ? `, ended ${moment(attempt.finishedAt)}` : ""),
        attempt.message ? h("div", attempt.message) : null));
    }
    if (own.state === "finished" && attempts.length === 0) entries.push(h("li", mark(stateOf(own)), " ", h("span", { class: "when" }, moment(own.finishedAt)), " It never ran."));
    return entries;
  }

  async #loadNeighbours(signal) {
    const listed = this.#document.dependencies;
    const documents = await Promise.all(listed.slice(0, mostNeighbours).map(({ operation }) =>
      quietly(() => get(operation.includes("/") ? `/operations/${operation}` : `/jobs/${operation}`, signal))));
    if (signal.aborted) return;
    const conditions = { success: "", failure: " to fail", failureOfAll: " to fail, as all others", any: " to finish" };
    const line = (address, document, condition, size = 1) => h("li", {},
      linkTo(address, address.includes("/") ? address : `job ${address}`), " ", document?.name ?? "",
      size > 1 ? ` and ${number(size - 1)} more` : "", conditions[condition], " ", document ? mark(stateOf(document)) : "");
    setChildren(this.dependencies, listed.length === 0 ? empty("Nothing.") : h("ul", { class: "reasons" },
      listed.slice(0, mostNeighbours).map(({ operation, condition }, place) => line(operation, documents[place], condition)),
      listed.length > mostNeighbours ? h("li", `and ${number(listed.length - mostNeighbours)} more`) : null));
    const document = await quietly(() => get(`${this.#path}/dependents?limit=${mostNeighbours}`, signal));
    if (!document) return;
    setChildren(this.dependents, document.dependents.length === 0 ? empty("Nothing.") : h("ul", { class: "reasons" },
      document.dependents.map((dependent) => line(dependent.operation, dependent, dependent.condition, dependent.size)),
      document.more > 0 ? h("li", `and ${number(document.more)} more`) : null));
  }
}
