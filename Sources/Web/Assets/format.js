// Numbers, times, sizes and states, as people read them; the same forms as the command line's.

const numbers = new Intl.NumberFormat("en");
const dates = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat("sv", { timeStyle: "short" });

/** The coordinator's clock less that of the browser, in milliseconds. */
let clockDifference = 0;

/** Notes what the coordinator's clock shows now. */
export function noteClock(text) {
  const time = Date.parse(text);
  if (Number.isFinite(time)) clockDifference = time - Date.now();
}

/** The present by the coordinator's clock, in milliseconds. */
export function now() {
  return Date.now() + clockDifference;
}

const isMissing = (value) => value === null || value === undefined;

/** A whole number with separators; a dash for none. */
export function number(value) {
  return isMissing(value) ? "–" : numbers.format(value);
}

/** A number of things with their noun. */
export function count(value, noun, plural = noun + "s") {
  return `${number(value)} ${value === 1 ? noun : plural}`;
}

/** A rate with as many digits as it is worth. */
export function rate(value) {
  if (isMissing(value)) return "–";
  return value >= 100 ? number(Math.round(value)) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A part of 1 in percent; 100 only when all is done. */
export function percent(value) {
  if (isMissing(value)) return "–";
  return `${value >= 1 ? 100 : Math.min(99, Math.floor(value * 100))}%`;
}

/** A time in seconds, such as 34ms, 5.2s, 3m 07s or 2d 04h; a dash for none. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const two = (value) => String(value).padStart(2, "0");
  const whole = Math.floor(milliseconds / 1000);
  if (whole === 0) return `${milliseconds}ms`;
  if (whole < 60) return `${whole}.${Math.floor((milliseconds % 1000) / 100)}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h ${two(Math.floor(whole / 60) % 60)}m`;
  return `${Math.floor(whole / 86400)}d ${two(Math.floor(whole / 3600) % 24)}h`;
}

/** A time that goes on while somebody reads: a tenth of a second says nothing then. */
export function wholeSeconds(seconds) {
  return seconds < 60 ? `${Math.floor(seconds)}s` : duration(seconds);
}

/** A time that is estimated, without digits that nobody can know. */
export function roughly(seconds) {
  if (seconds < 1) return "less than 1s";
  if (seconds < 60) return `about ${Math.round(seconds)}s`;
  if (seconds < 600) return `about ${duration(Math.round(seconds / 5) * 5)}`;
  return `about ${seconds < 3570 ? `${Math.round(seconds / 60)}m` : duration(Math.round(seconds / 60) * 60)}`;
}

/** Seconds between two moments in RFC 3339; the present stands for a missing second one. */
export function secondsBetween(from, to) {
  if (!from) return null;
  return Math.max(0, ((to ? Date.parse(to) : now()) - Date.parse(from)) / 1000);
}

/** A moment in the browser's time zone, such as 2026-11-22 20:40:22. */
export function moment(text) {
  return text ? dates.format(Date.parse(text)) : "–";
}

/** The time of day of a moment that lies so many seconds ahead; with the date unless it is today. */
export function inSeconds(seconds) {
  const then = Date.now() + seconds * 1000;
  const text = dates.format(then);
  return text.slice(0, 10) === dates.format(Date.now()).slice(0, 10) ? clock.format(then) : text.slice(0, 16);
}

/** A size in bytes, such as 1.5 kB. */
export function bytes(value) {
  if (isMissing(value)) return "–";
  if (value < 1000) return `${value} B`;
  let unit = 0;
  let size = value / 1000;
  while (size >= 999.5 && unit < 4) {
    size /= 1000;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${["kB", "MB", "GB", "TB", "PB"][unit]}`;
}

/** The states and outcomes of counts, in the order of bars and legends. */
const states = [
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
  ["skipped", "skipped"],
  ["notNeeded", "not needed"],
  ["executing", "executing"],
  ["ready", "ready"],
  ["pending", "pending"],
];

/** The state of an operation, or how it ended: one of the names in `states`. */
export function stateOf({ state, outcome, reason, notNeeded }) {
  if (state !== "finished") return state;
  return notNeeded || (outcome === "skipped" && reason === "notNeeded") ? "notNeeded" : outcome ?? "finished";
}

/** The word for a state. */
export function word(state) {
  return { notNeeded: "not needed", givenBack: "given back" }[state] ?? state;
}

/** The counts of a job by state, without what counts twice: operations that were not needed are among the skipped ones. */
export function parts(counts) {
  return states
    .map(([state]) => [state, state === "skipped" ? counts.skipped - counts.notNeeded : counts[state]])
    .filter(([, value]) => value > 0);
}

/** How many operations have counts. */
export function total(counts) {
  return parts(counts).reduce((sum, [, value]) => sum + value, 0);
}

/** How many operations are finished. */
export function finished(counts) {
  return counts.succeeded + counts.failed + counts.cancelled + counts.skipped;
}

/** The path of the page of a job or an operation: 12, 12/3 or 12/sepia. */
export function pathOf(address) {
  const parts = String(address).split("/");
  if (parts.length === 1) return `/jobs/${encodeURIComponent(parts[0])}`;
  return `/operations/${encodeURIComponent(parts[0])}/${encodeURIComponent(parts.slice(1).join("/"))}`;
}

/** The path of the page of a queue, which is also that of its document. */
export function queuePath(name) {
  return `/queues/${encodeURIComponent(name)}`;
}

/** The path of the page of a worker, which is also that of its document. */
export function workerPath(name) {
  return `/workers/${encodeURIComponent(name)}`;
}

/** A command as one line, in which words are quoted where a shell needs it. */
export function commandLine(command) {
  return (command ?? [])
    .map((item) => (/^[\w@%+=:,./-]+$/.test(item) ? item : `'${item.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** What a job without a name is called: the end of its command, which tells the files of a compiler. */
export function titleOf({ name, command }) {
  if (name) return name;
  const line = commandLine(command);
  return line.length > 80 ? "…" + line.slice(-79) : line;
}
