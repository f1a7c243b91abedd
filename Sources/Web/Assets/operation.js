// The story of one operation: its state and why, its attempts, its neighbours in the graph, its output and its result.

import { h, setChildren, setText, showOnce } from "./dom.js";
import { bytes, commandLine, count, duration, moment, number, pathOf, percent, secondsBetween, stateOf, word } from "./format.js";
import { LogView } from "./log.js";
import { Refresher, download, get, getAnswer, quietly } from "./server.js";
import { actionsOn, ago, andMore, button, commaList, empty, hint, linkTo, linked, mark, mayAct, notify, queueLink, reasonList, section, setFacts, setMark, workerLink } from "./widgets.js";

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
    this.commandHint = hint();
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
      const own = await get(this.#path, this.#page.signal);
      if (own.array !== undefined) {
        this.#showArray(own);
      } else {
        this.topics = [`operation:${own.operation}`];
        this.#path = `/operations/${own.operation}`;
        this.#show(own);
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
  live(kind, own) {
    if (kind === "gone") {
      this.#page.fail({ status: 404, message: own.message });
    } else if (kind === "operation" && this.#document) {
      this.#show(own);
      this.attempts.poke();
      this.reasons.poke();
      this.neighbours.poke();
      this.#loadResultLength(this.#page.signal);
      this.#loadFiles(this.#page.signal);
      this.#log?.update(own);
    }
  }

  #show(own) {
    this.#document = own;
    const title = [own.operation, own.name, own.item === null ? null : `(${own.item})`].filter(Boolean);
    setText(this.heading, title.join(" · ").replace(" · (", " ("));
    const state = stateOf(own);
    setMark(this.state, state, own.held && state !== "finished" ? `${word(state)}, held` : word(state));
    this.#page.title(`${title.slice(0, 2).join(" ")} ${word(state)}`);
    setChildren(this.sentence, this.#sentence(own, state));
    const commands = own.filledCommands ?? (own.command ? [own.command] : own.commands ?? []);
    setText(this.command, own.type ? `${own.type} ${own.argument ?? ""}` : commands.map(commandLine).join("\n"));
    setText(this.commandHint, !own.filledCommands && own.item !== null && this.command.textContent.includes("{}") ? `{} stands for ${own.item}.` : "");
    this.#showFacts(own);
    this.#showActions(own);
  }

  #sentence(own, state) {
    const on = own.worker ? [" on ", workerLink(own.worker)] : "";
    const attempt = own.attempt > 1 ? `, at attempt ${own.attempt}` : "";
    const took = own.attempt > 0 && own.startedAt && own.finishedAt ? ` after ${duration(secondsBetween(own.startedAt, own.finishedAt))}` : "";
    const progress = own.progress > 0 && own.progress < 1 ? `, ${percent(own.progress)} done` : "";
    switch (state) {
      case "executing": return ["It has been executing", on, attempt, " for ", ago(own.startedAt, "", ""), progress, ".", own.paused ? [` It is paused${own.paused.by === null ? "" : ` by ${own.paused.by}`} since `, moment(own.paused.since), "."] : "", own.stop ? [` ${own.stop.name} has stopped its process since `, moment(own.stop.since), "; it waits for SIGCONT."] : "", own.progressMessage ? ` ${own.progressMessage}` : ""];
      case "succeeded": return ["It succeeded ", ago(own.finishedAt), on, took, attempt, ". ", linked(own.message ?? "")];
      case "failed": return ["It failed ", ago(own.finishedAt), on, took, attempt, ". ", own.message ?? ""];
      case "pending": case "ready": return [`It has been ${word(state)} for `, ago(own.readyAt ?? own.submittedAt, "", ""), "."];
      default: return [`It was ${word(state)} `, ago(own.finishedAt), on, ". ", linked(own.message ?? ""),
        own.skippedBecauseOf ? [" The cause is ", linkTo(own.skippedBecauseOf), "."] : ""];
    }
  }

  #showFacts(own) {
    const facts = [
      ["Input", own.item], ["Queue", queueLink(own.queue)], ["Priority", priorities.find(([value]) => value === String(own.priority))?.[1] ?? String(own.priority)],
      ["Submitted", moment(own.submittedAt)], ["Ready", moment(own.readyAt)], ["Started", moment(own.startedAt)], ["Finished", moment(own.finishedAt)],
      ["Processor time", own.cpuSeconds === null ? null : duration(own.cpuSeconds)], ["Peak memory", own.peakMemory === null ? null : bytes(own.peakMemory)],
      ["Result", own.hasResult ? button(this.resultLength === null ? "Download" : `Download (${bytes(this.resultLength)})`, () => this.#save("result", `result-${own.operation.replace("/", "-")}`), { "data-action": "result" }) : null],
      ...Object.entries(own.settings ?? {}).filter(([name, value]) => !shownElsewhere.includes(name) && value !== usualSettings[name]).map(([name]) => [name, settingText(name, own.settings)]),
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

  /** Saves what is at a path below that of the operation. */
  #save(part, name) {
    download(`${this.#path}/${part}`, name).catch((error) => notify(error.message, "failed"));
  }

  async #loadFiles(signal) {
    const { files, operation } = this.#document;
    if (!files) return;
    const list = await quietly(() => get(`${this.#path}/files?limit=${mostFiles}`, signal));
    if (!list) return;
    this.files.hidden = list.files.length === 0;
    const more = files.count - list.files.length;
    showOnce(this.files, [list.files, more, mayAct()], () => [
      h("h2", "Files"),
      hint(`${count(files.count, "file")}, ${bytes(files.bytes)}; `, h("code", `baton fetch ${operation}`), " copies them."),
      h("ul", { class: "reasons" }, list.files.map((file) => this.#fileLine(file)), andMore(more)),
    ]);
  }

  /** A file with its size; a viewer sees its name alone, and so does everybody of a file that is lost or too large for the page. */
  #fileLine({ path, size, state, holders, copies }) {
    const parts = path.split("/");
    const isLost = state === "lost";
    const tooFew = copies > holders.length ? `(${holders.length} of ${copies} copies) ` : "";
    return h("li", { "data-file": path }, h("code", path), ` ${bytes(size)} `,
      isLost ? mark(state) : ["at ", commaList(holders, workerLink), ` ${tooFew}`],
      mayAct() && !isLost && size <= mostFetchedBytes
        ? button("Download", () => this.#save(`files/${parts.map(encodeURIComponent).join("/")}`, parts.at(-1)), { "data-action": "file", "aria-label": `Download ${path}` }) : null);
  }

  #showActions(own) {
    const name = own.operation;
    const offer = actionsOn(this.#path, () => this.#reflect());
    const isFinished = own.state === "finished";
    const isWaiting = !isFinished && own.state !== "executing";
    const again = { path: "/operations/retry", body: { operations: [name], cancelled: own.outcome === "cancelled", again: true } };
    showOnce(this.actions, [own.state, own.outcome, own.held, own.priority, own.cancelled, Boolean(own.paused)], () => [
      isFinished ? null : offer("cancel", "Cancel", `Cancel ${name}?`, "It will not run to an end. Operations that need its success are skipped.", "", { isDangerous: true }),
      isWaiting && own.held ? offer("release", "Release", `Release ${name}?`, "It runs as soon as nothing else keeps it.", "It is released.") : null,
      isWaiting && !own.held ? offer("hold", "Hold", `Hold ${name}?`, "It does not start until somebody releases it.", "It is held.") : null,
      own.state === "executing" && !own.type && !own.paused && !own.cancelled ? offer("pause", "Pause", `Pause ${name}?`, "Its processes stand still until somebody continues it.", "It is paused.") : null,
      own.paused ? offer("resume", "Continue", `Continue ${name}?`, "Its processes go on.", "It goes on.") : null,
      isWaiting ? offer("priority", "Priority", `Priority of ${name}`, "It goes behind the others of the same priority.", "The priority is set.", {
        confirm: "Set it", body: (values) => ({ priority: Number(values.priority) }),
        fields: [h("label", "Priority ", h("select", { name: "priority" }, priorities.map(([value, title]) => h("option", { value, selected: value === String(own.priority) }, title))))],
      }) : null,
      ["failed", "cancelled"].includes(own.outcome) ? offer("retry", "Retry", `Retry ${name}?`, "It runs again as a new job, with its dependents, if its own job is finished.", "", again) : null,
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
    const why = await quietly(() => get(`${this.#path}/explain`, signal));
    if (!why) return;
    this.why.hidden = false;
    showOnce(this.why, why.waitsFor, () => [h("h2", "Why it does not run"), why.waitsFor.length === 0 ? h("p", linked(why.message)) : reasonList(why.waitsFor)]);
  }

  async #loadAttempts(signal) {
    const list = await quietly(() => get(`${this.#path}/attempts`, signal));
    if (!list) return;
    this.#log?.setAttempts(list.attempts);
    this.listed = list.attempts;
    showOnce(this.story, [list.attempts, this.#document.state], () => this.#entries(list.attempts));
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
    const line = (address, other, condition, size = 1) => h("li", {},
      linkTo(address, address.includes("/") ? address : `job ${address}`), " ", other?.name ?? "",
      size > 1 ? ` and ${number(size - 1)} more` : "", conditions[condition], " ", other ? mark(stateOf(other)) : "");
    setChildren(this.dependencies, listed.length === 0 ? empty("Nothing.") : h("ul", { class: "reasons" },
      listed.slice(0, mostNeighbours).map(({ operation, condition }, place) => line(operation, documents[place], condition)),
      andMore(listed.length - mostNeighbours)));
    const list = await quietly(() => get(`${this.#path}/dependents?limit=${mostNeighbours}`, signal));
    if (!list) return;
    setChildren(this.dependents, list.dependents.length === 0 ? empty("Nothing.") : h("ul", { class: "reasons" },
      list.dependents.map((dependent) => line(dependent.operation, dependent, dependent.condition, dependent.size)),
      andMore(list.more)));
  }
}
