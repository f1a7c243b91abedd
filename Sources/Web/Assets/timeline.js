// The timeline of a job: the attempts in a lane for each slot, or how busy the workers were where there are too many attempts.

import { h, setChildren, setText } from "./dom.js";
import { bytes, count, duration, moment, now, number, pathOf, rate, word } from "./format.js";
import { get, query } from "./server.js";
import { TableBehind, button, empty, hint, signButton } from "./widgets.js";

const mostGroups = 8;
/** With more lanes, those are left out in which nothing ran. */
const mostHighLanes = 40;
/** Sizes in pixels. */
const [axisHeight, stripHeight, mostHeight, breakWidth] = [24, 46, 620, 52];
/** In milliseconds: the shortest window, the shortest job with times of day on its axis, a day, and steps of an axis. */
const [leastWindow, longJob, day] = [0.5, 3_600_000, 86_400_000];
/** How long the critical path of a running job holds, in milliseconds. */
const pathAge = 5000;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map((seconds) => 1000 * seconds);
/** The colours of the ends that have stripes. */
const endColours = { failed: "failed", lost: "lost", cancelled: "cancelled", stopped: "cancelled", givenBack: "cancelled" };
const clock = new Intl.DateTimeFormat("sv", { timeStyle: "medium" });

/** The milliseconds of a moment in RFC 3339, with its microseconds; and back. */
const parse = (text) => Date.parse(text) + Number(/\.\d{3}(\d{3})/.exec(text)?.[1] ?? 0) / 1000;
const format = (time) => new Date(Math.floor(time)).toISOString().replace("Z", `${String(Math.floor((time % 1) * 1000)).padStart(3, "0")}Z`);
const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
const keyOf = (attempt) => `${attempt.operation} ${attempt.attempt}`;
const lengthOf = ({ start, stop }) => duration((stop - start) / 1000);
const slotOf = ({ worker, lane }) => `${worker ?? "unknown"}, slot ${lane + 1}`;
const colourOf = (place) => (place < mostGroups ? `group-${place}` : "soft");

export function timelinePart(page, path, job) {
  return new TimelinePart(page, path, job);
}

class TimelinePart {
  #page;
  #path;
  #job;
  #end = new AbortController();
  #document = null;
  #groups = null;
  /** When the critical path of the running job is fetched again, and that of the finished one. */
  #pathDue = 0;
  #pathEnd = 0;
  #layout = null;
  #chosen = null;
  #present = now();
  #brushFrom = null;
  #brushed = null;
  #view;
  #fold;
  #canvas;
  #filler;
  #brush;
  #tip;
  #frame;
  #legend;
  #about;
  #chart;
  #nothing;
  #pathTable;
  #pathText;
  #critical;
  #context;

  constructor(page, path, job) {
    this.#page = page;
    this.#path = path;
    this.#job = job;
    this.#build();
    const signal = AbortSignal.any([page.signal, this.#end.signal]);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(this.#view);
    signal.addEventListener("abort", () => observer.disconnect());
    this.navigate();
  }

  #build() {
    this.#fold = h("input", { type: "checkbox", on: { change: () => this.#page.set({ fold: this.#fold.checked ? "1" : null }) } });
    this.#canvas = h("canvas", { "aria-hidden": "true" });
    this.#filler = h("div");
    this.#view = h("div", {
      class: "timeline-view", tabindex: "0", role: "application", "aria-label": "Timeline", "aria-describedby": "timeline-keys",
      on: {
        keydown: (event) => this.#press(event), scroll: () => this.#hideTip(), pointerdown: (event) => this.#beginBrush(event),
        pointermove: (event) => this.#point(event), pointerup: (event) => this.#endBrush(event), pointercancel: () => this.#stopBrush(),
      },
    }, this.#canvas, this.#filler);
    this.#brush = h("div", { class: "timeline-brush", hidden: true });
    this.#tip = h("div", { class: "timeline-tip", role: "status", hidden: true });
    this.#frame = h("div", { class: "timeline-frame", on: { pointerleave: () => document.activeElement !== this.#view && this.#hideTip() } }, this.#view, this.#brush, this.#tip);
    this.#legend = h("ul", { class: "legend" });
    this.#about = hint();
    this.#chart = h("div", this.#about,
      h("div", { class: "filters" }, signButton("←", "Earlier", () => this.#pan(-0.5)), signButton("→", "Later", () => this.#pan(0.5)), signButton("+", "Zoom in", () => this.#zoom(0.5)),
        signButton("−", "Zoom out", () => this.#zoom(2)), button("Whole job", () => this.#go(-Infinity, Infinity)), h("label", this.#fold, " Fold gaps")),
      this.#frame, this.#legend,
      h("p", { class: "hint", id: "timeline-keys" }, "Drag to zoom in. Keys: ← → + − Home for the window, ↑ ↓ Enter for attempts."));
    this.#nothing = empty();
    const table = (name, caption, key, columns) => new TableBehind({
      name, caption, key, columns: columns.map(([title, text, kind]) => ({ title, text, kind, link: title === "Operation" ? (item) => pathOf(item.operation) : null })),
    });
    const operation = ["Operation", (item) => item.operation];
    this.attempts = table("attempts", "The attempts as a table (at most 500)", keyOf, [
      operation, ["Name", (attempt) => this.#groups.name(attempt) ?? "–"], ["Where", slotOf], ["Start", (attempt) => this.#timeText(attempt.start), "number"],
      ["Time", lengthOf, "number"], ["End", (attempt) => word(attempt.outcome ?? "executing")]]);
    this.buckets = table("buckets", "The chart as a table", ({ start }) => String(start), [
      ["From", ({ start }) => this.#timeText(start), "number"], ["Executing", ({ executing }) => rate(executing), "number"],
      ["Finished", ({ finished }) => number(finished), "number"], ["Of them failed", ({ failed }) => number(failed), "number"]]);
    this.#pathTable = table("critical-path", "The critical path as a table", ({ operation }) => operation, [
      operation, ["Name", ({ name }) => name ?? "–"], ["Took", ({ seconds }) => duration(seconds), "number"], ["Waited before", ({ waited }) => duration(waited), "number"]]);
    this.#pathText = hint();
    this.element = h("div", this.#nothing, this.#chart, this.attempts.element, this.buckets.element, this.#pathText, this.#pathTable.element);
  }

  /** Stops what outlives the elements. */
  leave() {
    this.#end.abort();
  }

  /** Takes the window out of the address, and shows what is known of it while the rest is on its way. */
  navigate() {
    const items = this.#page.query;
    this.window = { from: items.get("from"), to: items.get("to") };
    this.#fold.checked = items.get("fold") === "1";
    this.#hideTip();
    this.draw();
  }

  /** Fetches the window and shows it. */
  async load(signal) {
    const { window } = this;
    const buckets = clamp(Math.floor((this.#view.clientWidth || 900) / 3), 30, 600);
    const [document] = await Promise.all([get(`${this.#path}/timeline${query({ ...window, buckets })}`, signal), this.#loadGroups(signal), this.#loadPath(signal)]);
    if (window !== this.window) return;
    this.#present = window.to ? now() : parse(document.to);
    this.#take(document);
    const { attempts } = this.#document;
    const hasNothing = attempts?.length === 0 && document.buckets.every(({ finished }) => finished === 0);
    this.#chart.hidden = hasNothing && !window.from && !window.to;
    setText(this.#nothing, !hasNothing ? "" : this.#chart.hidden ? "Nothing has run yet." : "Nothing ran in this window.");
    this.attempts.element.hidden = !attempts?.length;
    this.buckets.element.hidden = Boolean(attempts);
    if (attempts) this.attempts.update(() => attempts.slice(0, 500));
    else this.buckets.update(() => this.#document.buckets);
    this.#showLegend();
    this.draw();
  }

  /** Fetches the names of the operations, or of their groups where the graph has no more than those, unless they are known. */
  async #loadGroups(signal) {
    const { size } = this.#job();
    if (this.#groups?.size === size) return;
    const graph = size <= 2000 ? await get(`${this.#path}/graph`, signal) : null;
    this.#groups = graph?.level === "operations" ? groupsOfOperations(graph.nodes) : groupsOfRanges((await get(`${this.#path}/groups`, signal)).groups);
    this.#groups.size = size;
  }

  /** Fetches the critical path, while the job runs now and then, and once when the job is finished. */
  async #loadPath(signal) {
    const isFinal = this.#job().state === "finished";
    if (performance.now() < (isFinal ? this.#pathEnd : this.#pathDue)) return;
    const { operations, seconds, isCut } = await get(`${this.#path}/critical-path`, signal);
    this.#pathDue = performance.now() + pathAge;
    if (isFinal) this.#pathEnd = Infinity;
    this.#critical = new Set(operations.map(({ operation }) => operation));
    this.#pathText.hidden = this.#pathTable.element.hidden = operations.length === 0;
    setText(this.#pathText, `The critical path, which has an outline, decided when ${isFinal ? "the job" : "the last finished operation"} ended: ${count(operations.length, "operation")}${operations.length > 1 ? " one after the other" : ""}, ${duration(seconds)}${isCut ? ", and others before" : ""}.`);
    this.#pathTable.update(() => operations);
  }

  /** Makes rows of a document. */
  #take({ from, to, bucketSeconds, buckets, workers, operations }) {
    const [begin, end, length] = [parse(from), parse(to), bucketSeconds * 1000];
    const attempts = operations?.map((attempt) => ({ ...attempt, start: parse(attempt.from), stop: parse(attempt.to), group: this.#groups.place(attempt) }));
    const lanes = new Map(workers.map(({ worker, slots }) => [worker, Array.from({ length: slots ?? 1 }, () => [])]));
    for (const attempt of attempts ?? []) {
      const own = lanes.get(attempt.worker) ?? [];
      lanes.set(attempt.worker, own);
      while (own.length <= attempt.lane) own.push([]);
      own[attempt.lane].push(attempt);
    }
    const all = attempts ? [...lanes].flatMap(([worker, own]) => own.map((list, lane) => ({ worker, lane, list })))
      : workers.map((worker) => ({ ...worker, most: worker.slots === null ? Math.max(...worker.busy, 1) : 1 }));
    const rows = all.filter(({ list }) => all.length <= mostHighLanes || list?.length !== 0);
    rows.forEach((row, place) => row.list?.forEach((attempt) => { attempt.row = place; }));
    this.#chosen = attempts?.find((attempt) => this.#chosen && keyOf(attempt) === keyOf(this.#chosen)) ?? null;
    this.#document = {
      attempts, rows, bucketSeconds,
      buckets: buckets.map((bucket, place) => ({ ...bucket, start: begin + place * length, stop: Math.min(end, begin + (place + 1) * length) })),
    };
  }

  #showLegend() {
    const { attempts } = this.#document;
    const [groups, ends] = ["group", "outcome"].map((name) => new Set(attempts?.map((attempt) => attempt[name])));
    const entries = attempts
      ? [...this.#groups.names, "others"].map((name, place) => [colourOf(place), name, groups.has(place)])
        .concat([["executing", "executing", ends.has(null), "open"]], Object.entries(endColours).map(([end, colour]) => [colour, word(end), ends.has(end), "striped"]))
      : [["executing", "executing", true], ["succeeded", "finished", true], ["failed", "failed", true]];
    setChildren(this.#legend, entries.filter(([, , isUsed]) => isUsed).map(([colour, text, , kind]) => {
      const swatch = h("span", { class: "swatch", "data-kind": kind });
      swatch.style.color = `var(--${colour})`;
      return h("li", swatch, text ?? "without a name");
    }));
  }

  // The window

  #whole() {
    const { submittedAt, finishedAt } = this.#job();
    const from = parse(submittedAt);
    return { from, to: Math.max(from + leastWindow, finishedAt ? parse(finishedAt) : this.#present) };
  }

  #shown() {
    const whole = this.#whole();
    const [from, to] = ["from", "to"].map((name) => (this.window[name] ? parse(this.window[name]) : whole[name]));
    return to > from ? { from, to } : whole;
  }

  /** Puts a window into the address; nothing, if it is the whole job. Moving on from one is no step of the history of its own. */
  #go(from, to, isReplacing = Boolean(this.window.from)) {
    const whole = this.#whole();
    const length = Math.max(leastWindow, to - from);
    const begin = clamp(from, whole.from, whole.to - length);
    this.#page.set(length < whole.to - whole.from ? { from: format(begin), to: format(begin + length) } : { from: null, to: null }, { isReplacing });
  }

  #pan(part) {
    const { from, to } = this.#shown();
    this.#go(from + part * (to - from), to + part * (to - from));
  }

  #zoom(factor) {
    const { from, to } = this.#shown();
    const { start, stop } = this.#chosen ?? { start: from, stop: to };
    const centre = clamp((start + stop) / 2, from, to);
    this.#go(centre - factor * (centre - from), centre + factor * (to - centre));
  }

  #isLong() {
    const { from, to } = this.#whole();
    return to - from >= longJob;
  }

  /** A moment as the axis has it, with as many digits as a step needs. */
  #timeText(time, step = 1) {
    if (this.#isLong()) return step < day ? clock.format(time) : moment(format(time)).slice(0, 10);
    const seconds = (time - this.#whole().from) / 1000;
    const digits = clamp(Math.ceil(3 - Math.log10(step) - 1e-9), 0, 6);
    return seconds < 60 ? `${seconds.toFixed(digits)} s` : `${Math.floor(seconds / 60)} min ${(seconds % 60).toFixed(digits)} s`.replace(/ 0 s$/, "");
  }

  // Drawing

  #colour(name) {
    return this.style.getPropertyValue(`--${name}`);
  }

  /** Stripes: rising for failures, falling for other ends, both for losses. */
  #stripes(end) {
    const tile = h("canvas", { width: "6", height: "6" });
    const lines = tile.getContext("2d");
    lines.strokeStyle = this.#colour(endColours[end]);
    lines.lineWidth = 1.8;
    for (const place of [-6, 0, 6]) {
      for (const isRising of end === "lost" ? [true, false] : [end === "failed"]) {
        lines.moveTo(place - 1, isRising ? 7 : -1);
        lines.lineTo(place + 7, isRising ? -1 : 7);
      }
    }
    lines.stroke();
    return this.#context.createPattern(tile, "repeat");
  }

  /** Draws what is known of the window. */
  draw() {
    const width = this.#view.clientWidth;
    if (!this.#document || width === 0) return;
    const { attempts, rows, bucketSeconds } = this.#document;
    const top = axisHeight + stripHeight * (attempts ? 1 : 2);
    const rowHeight = rows.length > mostHighLanes ? 16 : 22;
    const all = top + rows.length * rowHeight + 4;
    const height = Math.min(all, mostHeight);
    this.#view.style.height = this.#canvas.style.height = `${height}px`;
    this.#filler.style.height = `${all - height}px`;
    this.style = getComputedStyle(this.#view);
    this.#canvas.width = Math.round(width * devicePixelRatio);
    this.#canvas.height = Math.round(height * devicePixelRatio);
    const context = this.#context = this.#canvas.getContext("2d");
    context.scale(devicePixelRatio, devicePixelRatio);
    context.textBaseline = "middle";
    const [left, right] = [Math.round(clamp(width * 0.15, 66, 160)), width - 8];
    const shown = this.#shown();
    const scroll = this.#view.scrollTop;
    const scale = new Scale(shown, left, right, this.#fold.checked ? this.#gaps(shown) : []);
    this.#layout = { left, right, top, rowHeight, height, scale, scroll, shown };
    this.#drawAxis();
    this.#drawStrip(axisHeight, "executing", [["executing", "executing"]], rate);
    if (!attempts) this.#drawStrip(axisHeight + stripHeight, `per ${duration(bucketSeconds)}`, [["finished", "succeeded"], ["failed", "failed"]], number);
    context.save();
    context.beginPath();
    context.rect(0, top, width, height - top);
    context.clip();
    const first = Math.floor(scroll / rowHeight);
    const visible = rows.slice(first, Math.ceil((scroll + height - top) / rowHeight)).map((row, place) => [row, top + (first + place) * rowHeight - scroll]);
    visible.forEach(([{ worker, lane, busy, most }, y], place) => {
      const middle = y + rowHeight / 2;
      const isFirst = visible[place - 1]?.[0].worker !== worker;
      const isHidden = middle < top && visible[1]?.[0].worker !== worker;
      if (isFirst) this.#fillRectangle("line", 0, Math.floor(y), width, 1);
      if (isFirst && !isHidden) this.#text(worker ?? "unknown", 2, Math.max(middle, top + 8), left - (busy ? 8 : 28), "text");
      if (busy) this.#fillArea("executing", y + rowHeight, (_, bucket) => ((rowHeight - 4) * Math.min(busy[bucket], most)) / most);
      else this.#text(String(lane + 1), left - 6, middle, 20, "soft", "right");
    });
    if (attempts) this.#drawAttempts(visible);
    context.restore();
    for (const { isGap, from, to, x, width: space } of scale.pieces) {
      if (!isGap) continue;
      this.#fillRectangle("back", x, axisHeight - 6, space, height);
      for (const border of [x + 1, x + space - 2]) this.#fillRectangle("soft", border, axisHeight - 6, 1, height);
      this.#text(duration((to - from) / 1000), x + space / 2, axisHeight + stripHeight / 2, space - 6, "soft", "center");
    }
    setText(this.#about, `${duration((shown.to - shown.from) / 1000)} from ${moment(format(shown.from))}; the axis ${this.#isLong() ? "has times of day" : "counts from the job's submission"}. `
      + (attempts ? `${count(attempts.length, "attempt")}.` : "Zoom in to see the attempts one by one."));
  }

  #fillRectangle(colour, ...box) {
    this.#context.fillStyle = this.#colour(colour);
    this.#context.fillRect(...box);
  }

  #text(text, x, y, width, colour = "soft", align = "left") {
    const context = this.#context;
    context.fillStyle = this.#colour(colour);
    context.font = `${colour === "text" ? 600 : 400} 11px ${this.style.fontFamily}`;
    context.textAlign = align;
    const letters = [...text];
    const most = Math.floor((letters.length * (width - 4)) / context.measureText(text).width);
    // Names of one kind differ at their ends.
    if (most < letters.length) letters.splice(most / 3, letters.length - most + 1, "…");
    context.fillText(letters.join(""), x, y);
  }

  #drawAxis() {
    const { left, right, height, scale, shown } = this.#layout;
    const least = 96 / scale.density;
    const fine = [1, 2, 5, 10].map((factor) => factor * 10 ** Math.floor(Math.log10(least)));
    const step = [...(least < 500 ? fine : steps), Math.ceil(least / day) * day].find((one) => one >= least * 0.999);
    // Steps of hours begin where the days of the reader begin.
    const origin = this.#isLong() ? new Date(shown.from).setHours(0, 0, 0, 0) : this.#whole().from;
    for (const { isGap, from, to, x: begin, width } of scale.pieces) {
      for (let time = origin + Math.ceil((from - origin) / step - 1e-6) * step; !isGap && time <= to; time += step) {
        const x = scale.x(time);
        this.#fillRectangle("line", Math.round(x), axisHeight - 6, 1, height);
        if (x < right - 30 && x > left - 20 && (scale.pieces.length === 1 || x < begin + width - 40)) this.#text(this.#timeText(time, step), x, 9, 90, "soft", "center");
      }
    }
  }

  /** Fills an area whose height a function gives for each bucket. */
  #fillArea(colour, base, height) {
    const { left, right, scale } = this.#layout;
    this.#context.fillStyle = this.#colour(colour);
    this.#context.beginPath();
    this.#document.buckets.forEach((bucket, place) => {
      const from = Math.max(left, scale.x(bucket.start));
      const high = height(bucket, place);
      // A failure among thousands is seen as well.
      if (high > 0) this.#context.rect(from, base, Math.max(1, Math.min(right, scale.x(bucket.stop)) - from), -Math.max(1.5, high));
    });
    this.#context.fill();
  }

  #drawStrip(y, label, series, text) {
    const { left, right } = this.#layout;
    const base = y + stripHeight - 6;
    const most = this.#document.buckets.reduce((highest, bucket) => Math.max(highest, bucket[series[0][0]]), 0);
    this.#text(label, 2, base - 24, left - 8);
    this.#text(`up to ${text(most)}`, 2, base - 9, left - 8);
    this.#fillRectangle("line", left, base, right - left, 1);
    for (const [name, colour] of series) this.#fillArea(colour, base, (bucket) => ((stripHeight - 12) * bucket[name]) / most);
  }

  /** The left and right end of an attempt; short ones are as wide as can be seen. */
  #extent({ start, stop }) {
    const { scale, shown } = this.#layout;
    const x = scale.x(Math.max(start, shown.from));
    return [x, Math.max(x + 2, scale.x(Math.min(stop, shown.to)))];
  }

  #drawAttempts(visible) {
    const context = this.#context;
    const { rowHeight, shown } = this.#layout;
    const [bars, stripes, tips, outline] = [{}, {}, {}, new Path2D()];
    const path = (paths, name) => (paths[name] ??= new Path2D());
    let chosen = null;
    for (const [row, y] of visible) {
      for (const attempt of row.list) {
        if (attempt.stop < shown.from || attempt.start > shown.to) continue;
        const [x, until] = this.#extent(attempt);
        const box = [x, y + 4, until - x, rowHeight - 7];
        const around = [x - 1, y + 3, box[2] + 2, box[3] + 2];
        const { outcome } = attempt;
        path(bars, colourOf(attempt.group)).rect(...box);
        if (outcome === null) {
          // The right end is open, as an arrow.
          path(tips, "executing").addPath(new Path2D(`M${until - 7} ${box[1]}l7 ${box[3] / 2}l-7 ${box[3] / 2}z`));
        } else if (endColours[outcome]) {
          path(stripes, outcome).rect(...box);
          path(tips, endColours[outcome]).rect(Math.max(x, until - 3), box[1], Math.min(3, box[2]), box[3]);
        }
        if (this.#critical.has(attempt.operation)) outline.rect(...around);
        if (attempt === this.#chosen) chosen = around;
      }
    }
    const fill = (paths, style) => Object.entries(paths).forEach(([name, area]) => {
      context.fillStyle = style(name);
      context.fill(area);
    });
    fill(bars, (name) => this.#colour(name));
    // The paper below the stripes keeps them apart from the colour of any group.
    context.globalAlpha = 0.6;
    fill(stripes, () => this.#colour("back"));
    context.globalAlpha = 1;
    fill(stripes, (end) => this.#stripes(end));
    fill(tips, (name) => this.#colour(name));
    context.lineWidth = 2;
    context.strokeStyle = this.#colour("text");
    context.stroke(outline);
    context.lineWidth = 3;
    context.strokeStyle = this.#colour("accent");
    if (chosen) context.strokeRect(...chosen);
  }

  /** The stretches of a window in which nothing executes for more than a twentieth of it. */
  #gaps({ from, to }) {
    const { attempts, buckets } = this.#document;
    const gaps = [];
    let end = from;
    for (const { start, stop } of [...(attempts ?? buckets.filter(({ executing, finished }) => executing + finished > 0)), { start: to, stop: to }]) {
      if (Math.min(start, to) - end > 0.05 * (to - from)) gaps.push([end, Math.min(start, to)]);
      end = Math.max(end, stop);
    }
    return gaps;
  }

  // Pointer and keys

  /** Where an event is, and the attempt that is there. */
  #find(event) {
    const box = this.#view.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const { left, top, rowHeight, scroll } = this.#layout;
    const row = y < top ? undefined : this.#document.rows[Math.floor((y - top + scroll) / rowHeight)];
    const attempt = row?.list?.find((one) => {
      const [from, until] = this.#extent(one);
      return x >= left && x >= from - 1 && x <= until + 1;
    });
    return { x, attempt };
  }

  #point(event) {
    if (!this.#layout) return;
    const { left, right } = this.#layout;
    const { x, attempt } = this.#find(event);
    if (this.#brushFrom !== null) {
      const [from, to] = [this.#brushFrom, clamp(x, left, right)].sort((one, other) => one - other);
      this.#brushed = to - from < 4 ? null : [from, to];
      this.#brush.hidden = !this.#brushed;
      this.#brush.style.left = `${from}px`;
      this.#brush.style.width = `${to - from}px`;
      return;
    }
    this.#view.style.cursor = attempt ? "pointer" : "crosshair";
    if (attempt) this.#choose(attempt, x);
    else this.#hideTip();
  }

  #choose(attempt, x = this.#extent(attempt)[0]) {
    if (attempt === this.#chosen) return;
    this.#chosen = attempt;
    this.draw();
    const { top, rowHeight, scroll } = this.#layout;
    const exact = (time) => (this.#isLong() ? moment(format(time)) : `${this.#timeText(time)} (${clock.format(time)})`);
    const came = attempt.fetch;
    const fetched = came && `fetched ${count(came.count, "file")}, ${bytes(came.bytes)}, in ${lengthOf({ start: parse(came.from), stop: parse(came.to) })} before`;
    const lines = [
      [h("a", { href: pathOf(attempt.operation), tabindex: "-1" }, attempt.operation), ` ${this.#groups.name(attempt) ?? ""}`], `${slotOf(attempt)}, attempt ${attempt.attempt}`,
      `started at ${exact(attempt.start)}`, `${attempt.outcome ? `${word(attempt.outcome)} at ${exact(attempt.stop)}, after` : "executing for"} ${lengthOf(attempt)}`,
      fetched ?? "", this.#critical.has(attempt.operation) ? "on the critical path" : "",
    ];
    setChildren(this.#tip, lines.map((line) => h("p", line)));
    this.#tip.hidden = false;
    this.#tip.style.left = `${clamp(x, 0, Math.max(0, this.#frame.clientWidth - this.#tip.offsetWidth))}px`;
    this.#tip.style.top = `${top + (attempt.row + 1) * rowHeight - scroll}px`;
  }

  #hideTip() {
    this.#tip.hidden = true;
    if (!this.#chosen && this.#view.scrollTop === this.#layout?.scroll) return;
    this.#chosen = null;
    this.draw();
  }

  #beginBrush(event) {
    if (event.button !== 0 || !this.#layout) return;
    const { x } = this.#find(event);
    // A press on the scroll bar or on the labels is none.
    if (x < this.#layout.left || x > this.#view.clientWidth) return;
    this.#brushFrom = x;
    this.#view.setPointerCapture(event.pointerId);
  }

  #endBrush(event) {
    if (this.#brushFrom === null) return;
    const brushed = this.#brushed;
    this.#stopBrush();
    if (brushed) this.#go(...brushed.map((x) => this.#layout.scale.time(x)), false);
    else this.#open(this.#find(event).attempt);
  }

  #stopBrush() {
    this.#brushFrom = this.#brushed = null;
    this.#brush.hidden = true;
  }

  /** Opens the page of an operation as its link does. */
  #open(attempt) {
    if (!attempt) return;
    this.#choose(attempt);
    this.#tip.querySelector("a").click();
  }

  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#layout) return;
    const act = {
      ArrowLeft: () => this.#pan(-0.2), ArrowRight: () => this.#pan(0.2), "+": () => this.#zoom(0.5), "=": () => this.#zoom(0.5), "-": () => this.#zoom(2), Home: () => this.#go(-Infinity, Infinity),
      ArrowDown: () => this.#walk(1), ArrowUp: () => this.#walk(-1), Enter: () => this.#open(this.#chosen), Escape: () => (this.#brushFrom === null ? this.#hideTip() : this.#stopBrush()),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Goes to the next or the previous attempt by their starts. */
  #walk(step) {
    const { attempts } = this.#document;
    const place = attempts?.indexOf(this.#chosen);
    const next = attempts?.[place < 0 ? 0 : clamp(place + step, 0, attempts.length - 1)];
    if (!next) return;
    const { top, rowHeight, height } = this.#layout;
    this.#view.scrollTop = clamp(this.#view.scrollTop, (next.row + 1) * rowHeight - (height - top), next.row * rowHeight);
    this.#choose(next);
  }
}

/** Where moments of a window are on the axis; gaps that are folded all have one width. */
class Scale {
  constructor({ from, to }, left, right, gaps) {
    const length = to - from - gaps.reduce((sum, [start, stop]) => sum + stop - start, 0);
    const room = right - left - gaps.length * breakWidth;
    const isFolded = room > 100 && length > 0;
    /** Pixels a millisecond. */
    this.density = isFolded ? room / length : (right - left) / (to - from);
    this.pieces = [];
    let [time, x] = [from, left];
    for (const [until, isGap] of [...(isFolded ? gaps : []).flatMap(([start, stop]) => [[start, false], [stop, true]]), [to, false]]) {
      if (until <= time) continue;
      const width = isGap ? breakWidth : (until - time) * this.density;
      this.pieces.push({ from: time, to: until, x, width, isGap });
      [time, x] = [until, x + width];
    }
  }

  x(time) {
    const piece = this.pieces.find((one) => time <= one.to) ?? this.pieces.at(-1);
    return piece.x + ((time - piece.from) / (piece.to - piece.from)) * piece.width;
  }

  time(x) {
    const piece = this.pieces.find((one) => x <= one.x + one.width) ?? this.pieces.at(-1);
    return piece.from + ((x - piece.x) / piece.width) * (piece.to - piece.from);
  }
}

/** The heaviest groups, which have colours of their own, and the group of an attempt. */
function coloured(groups, weight, find, name) {
  const names = groups.toSorted((one, other) => weight(other) - weight(one)).slice(0, mostGroups).map((group) => group.name);
  const places = new Map(names.map((one, place) => [one, place]));
  return { names, name, place: (attempt) => places.get(find(attempt)) ?? mostGroups };
}

/** Groups of operations whose names differ in digits alone. */
function groupsOfOperations(nodes) {
  const known = new Map(nodes.map(({ id, name }) => [id, name]));
  const folded = (name) => name?.replace(/\d+/g, "*") ?? null;
  const groups = [...Map.groupBy(nodes, ({ name }) => folded(name))].map(([name, { length }]) => ({ name, length }));
  const name = ({ operation }) => known.get(operation);
  return coloured(groups, ({ length }) => length, (attempt) => folded(name(attempt)), name);
}

/**
 * Groups of operations that are too many to be known one by one.
 *
 * The operations of an array follow each other. Those of another group need not: where the stretches of two groups overlap, nothing
 * says to which of them an operation belongs.
 */
function groupsOfRanges(groups) {
  const index = (address) => Number(address.split("/")[1]);
  const ranges = groups.map((group) => ({ ...group, begin: index(group.first), end: index(group.first) + group.size }));
  const alone = ranges.filter((range) => ranges.every(({ begin, end }) => begin === range.begin || end <= range.begin || begin >= range.end));
  const name = ({ operation }) => alone.find(({ begin, end }) => begin <= index(operation) && index(operation) < end)?.name;
  return coloured(alone, ({ seconds }) => seconds?.sum ?? 0, name, name);
}
