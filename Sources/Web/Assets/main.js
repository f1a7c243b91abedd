// The page itself: it finds the view of an address, follows the live stream for it, and keeps the frame around it.

import { h, setAttribute, setChildren, setText, visible } from "./dom.js";
import { noteClock, wholeSeconds } from "./format.js";
import { LiveStream, Pauses, forgetToken, get, hasToken, loaded, query, quietly, setToken, takeToken } from "./server.js";
import { allowActing, button, updateTimes } from "./widgets.js";

/** The views by the paths of their addresses; their modules are loaded when they are first shown. */
const views = [
  [/^\/$/, "overview", () => import("./overview.js")],
  [/^\/jobs$/, "jobs", () => import("./jobs.js")],
  [/^\/jobs\/([^/]+)$/, "job", () => import("./job.js")],
  [/^\/operations\/([^/]+)\/([^/]+)$/, "operation", () => import("./operation.js")],
  [/^\/workers$/, "workers", () => import("./workers.js")],
  [/^\/workers\/([^/]+)$/, "worker", () => import("./workers.js")],
  [/^\/queues$/, "queues", () => import("./queues.js")],
  [/^\/queues\/([^/]+)$/, "queue", () => import("./queues.js")],
  [/^\/search$/, "search", () => import("./search.js")],
];

const main = document.getElementById("main");
const liveText = document.getElementById("live");
const banner = document.getElementById("banner");
const searchField = document.querySelector("#search input");

/** The view that is shown; `end` aborts its requests. */
let current = null;
let end = new AbortController();
let shownPath = null;
let shownAddress = null;
/** Whether it is known what the holder of the token may do. */
let areRightsKnown = false;

/** The pauses before the page tries again what failed. */
const pauses = new Pauses(3000, 60_000);
/** How long the coordinator may take for the answer whether it is able to answer, in milliseconds. */
const patience = 15_000;

const shortcutKey = "baton-shortcut";
const hasShortcut = () => localStorage.getItem(shortcutKey) !== "off";

const stream = new LiveStream(takeEvent, showStream);

/** What a view may ask of the page. */
class Page {
  constructor(name, parameters, signal) {
    this.name = name;
    this.parameters = parameters;
    this.signal = signal;
    this.main = main;
  }

  /** The items of the address's query. */
  get query() {
    return new URLSearchParams(location.search);
  }

  /** The address of the page with other items in its query; null leaves one out. */
  href(changes) {
    return location.pathname + query(changes, location.search);
  }

  /** Goes to an address of the page with other items in its query. */
  set(changes, { isReplacing = false } = {}) {
    go(this.href(changes), isReplacing);
  }

  /** Follows topics of the live stream that were not known at first. */
  follow(topics) {
    if (!this.signal.aborted) follow(topics);
  }

  /** Whether the key / leads to the search: a key alone is a trap for who speaks to the computer, and can be switched off. */
  get hasShortcut() {
    return hasShortcut();
  }

  set hasShortcut(isOn) {
    localStorage.setItem(shortcutKey, isOn ? "on" : "off");
  }

  /** Names the page in the window's title. */
  title(text) {
    document.title = text ? `${visible(text)} · Baton` : "Baton";
  }

  /** Says that the first data are shown. */
  ready() {
    if (this.signal.aborted) return;
    pauses.reset();
    markReady();
  }

  /** Shows why the view cannot be shown, and tries again where that may help. */
  fail(error) {
    if (this.signal.aborted || error.name === "AbortError") return;
    // Nothing goes on in a view that is not shown any more, and the next try begins anew.
    end.abort();
    current = shownPath = null;
    if (error.status === 0 || error.status >= 429) {
      end = new AbortController();
      tryLater(end.signal, error.needsReload);
    }
    stream.follow([]);
    if (error.status === 401) {
      askForToken(error.message);
    } else {
      setChildren(main, h("h1", error.status === 404 ? "Not found" : "No answer"), h("p", { class: "message", "data-kind": "failed" }, error.message),
        h("p", button("Try again", () => show()), " ", h("a", { href: "/" }, "To the overview")));
      this.title(error.status === 404 ? "Not found" : "No answer");
    }
    markReady();
  }
}

function markReady() {
  main.removeAttribute("aria-busy");
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (!main.hasAttribute("aria-busy")) document.documentElement.dataset.ready = "true";
  }));
}

/** Asks for the token of a coordinator that answers to nobody without one. */
function askForToken(reason) {
  // The stream and the view are refused both; the first refusal has the reason.
  if (main.querySelector("form.token")) return;
  const input = h("input", { name: "token", type: "password", autocomplete: "off", required: true, size: "50", "aria-describedby": "why" });
  const form = h("form", { class: "token" },
    h("label", "Token ", input), h("button", { type: "submit", class: "main" }, "Show the cluster"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setToken(input.value.trim());
    start();
  });
  setChildren(main, h("h1", "This page needs a token"), h("p", { id: "why" }, hasToken() ? reason : "This coordinator answers to whoever has a token."),
    h("p", h("code", "baton dashboard"), " on the coordinator's host prints this address with a token in it."), form);
  document.title = "Token · Baton";
  forgetToken();
  input.focus();
}

/** Goes to an address of this page. */
function go(address, isReplacing = false) {
  if (isReplacing) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  show();
}

/** Shows the view of the address; of the view that is shown, another part. */
async function show() {
  shownAddress = location.pathname + location.search;
  if (location.pathname === shownPath && current?.navigate) {
    current.navigate();
    return;
  }
  const isFirst = shownPath === null;
  shownPath = location.pathname;
  end.abort();
  end = new AbortController();
  const { signal } = end;
  current = null;
  delete document.documentElement.dataset.ready;
  const [found, name, load] = views.map(([pattern, ...rest]) => [pattern.exec(location.pathname), ...rest]).find(([match]) => match) ?? [];
  if (!found) return;
  main.dataset.page = name;
  main.setAttribute("aria-busy", "true");
  for (const link of document.querySelectorAll("header nav a")) {
    const path = link.getAttribute("href");
    const isHere = path === "/" ? location.pathname === "/" : location.pathname.startsWith(path) || (path === "/jobs" && name === "operation");
    setAttribute(link, "aria-current", isHere ? "page" : null);
  }
  if (name !== "search") searchField.value = "";
  const page = new Page(name, found.slice(1).map(decode), signal);
  stream.follow([]);
  try {
    const module = await loaded(load());
    if (signal.aborted) return;
    main.replaceChildren();
    current = module[name](page);
    follow(current.topics ?? []);
    if (!isFirst) {
      window.scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
  } catch (error) {
    page.fail(error);
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows the topics of a view, and the overview, which tells of trouble of the record. */
function follow(topics) {
  stream.follow(topics.length === 0 ? [] : [...new Set([...topics, "overview"])]);
}

/** Hands an event of the stream to the view. */
function takeEvent(kind, data) {
  if (data.time) noteClock(data.time);
  if (kind === "overview") showTrouble(data.recordFault);
  if (kind !== "overview" || current?.topics?.includes(kind)) current?.live?.(kind, data);
}

/** Takes the clock and the trouble of a status; returns whether the coordinator is able to answer. */
function takeStatus(status) {
  if (!status) return false;
  noteClock(status.now);
  showTrouble(status.record.ok ? null : status.record.message);
  return status.record.ok;
}

/** Waits until the coordinator is able to answer, and shows the view then. */
function tryLater(signal, needsReload) {
  const timer = setTimeout(async () => {
    // A hidden tab asks for nothing.
    if (document.hidden) {
      document.addEventListener("visibilitychange", () => tryLater(signal, needsReload), { once: true, signal });
      return;
    }
    // One that hangs is asked again.
    const ask = () => get("/status", AbortSignal.any([signal, AbortSignal.timeout(patience)]));
    const status = await quietly(ask, ({ status }) => [401, 403].includes(status) && start());
    if (signal.aborted) return;
    if (!takeStatus(status)) tryLater(signal, needsReload);
    else if (needsReload) location.reload();
    else show();
  }, pauses.next());
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** Shows trouble of the record above every view. */
function showTrouble(fault) {
  setText(banner, fault ? `The record cannot be written: ${fault} What runs goes on, and nothing new is accepted.` : "");
}

/** Shows whether the data on the page are those of now. */
function showStream(state, error) {
  document.body.dataset.live = state;
  if (error?.status === 401) {
    askForToken(error.message);
    return;
  }
  showAge(error);
  if (state === "live" && !areRightsKnown) start();
}

function showAge(error) {
  const { state } = stream;
  const age = stream.newest === null || state === "live" || state === "off" ? "" : `; data ${wholeSeconds((Date.now() - stream.newest) / 1000)} old`;
  const text = { live: "Live", reconnecting: "Reconnecting", stale: "No connection", off: error ? "Not live" : "" }[state];
  setText(liveText.firstElementChild, error ? `${text}: ${error.message}` : text);
  setText(liveText.lastElementChild, age);
  liveText.hidden = !liveText.textContent;
}

setInterval(() => {
  if (document.hidden) return;
  updateTimes(main);
  stream.check();
  if (stream.state === "reconnecting" || stream.state === "stale") showAge();
}, 1000);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const address = link.getAttribute("href");
  if (!address.startsWith("/") || address.startsWith("/api/") || link.hasAttribute("download")) return;
  event.preventDefault();
  go(address);
});
// A link within the page, as that to its content, is no other view.
window.addEventListener("popstate", () => location.pathname + location.search !== shownAddress && show());
// Somebody opens the address with a token in a tab that shows the page already.
window.addEventListener("hashchange", () => location.hash.startsWith("#token=") && start());
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = searchField.value.trim();
  go("/search" + query({ q: text }));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && hasShortcut() && !isTyping && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    searchField.focus();
    searchField.select();
  } else if (event.key === "Escape" && event.target === searchField) {
    main.focus();
  }
});

/** Finds out what the holder of the token may do, and shows the view of the address. */
async function start() {
  takeToken();
  shownPath = null;
  try {
    const status = await get("/status");
    takeStatus(status);
    allowActing(status.key?.role !== "viewer");
    areRightsKnown = true;
  } catch (error) {
    // The view says itself what the coordinator refuses, and who does not answer is asked again.
    allowActing(false);
    areRightsKnown = [401, 403].includes(error.status);
  }
  show();
}

start();
