// The interface of the coordinator: requests with the token of the tab, and the live stream.

const base = "/api/v1";
const tokenKey = "baton-token";

/** A refusal, or the failure to get an answer (status 0). */
class ServerError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Takes the token out of the address, so that it stays in no history, and keeps it for the tab. */
export function takeToken() {
  const match = /^#token=([\w-]+)$/.exec(location.hash);
  if (!match) return;
  setToken(match[1]);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** Keeps a token for the tab. */
export function setToken(token) {
  sessionStorage.setItem(tokenKey, token);
}

/** Whether the tab has a token. */
export function hasToken() {
  return sessionStorage.getItem(tokenKey) !== null;
}

/** Forgets the token. */
export function forgetToken() {
  sessionStorage.removeItem(tokenKey);
}

function headers(more) {
  const token = sessionStorage.getItem(tokenKey);
  return { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more };
}

/** Sends a request; returns the answer, or throws a `ServerError` with the server's own sentence. */
async function send(path, options) {
  let answer;
  try {
    answer = await fetch(base + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, "The coordinator does not answer.");
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let message = text;
  try {
    message = JSON.parse(text).error.message;
  } catch {
    // The text is the sentence.
  }
  throw new ServerError(answer.status, message.trim() || `The coordinator refuses this with status ${answer.status}.`);
}

/** The query of an address with other items; those that are empty are left out. */
export function query(items, old = "") {
  const parameters = new URLSearchParams(old);
  for (const [name, value] of Object.entries(items)) {
    parameters.delete(name);
    for (const one of [value].flat()) if (one || one === 0) parameters.append(name, one);
  }
  const text = parameters.toString();
  return text ? "?" + text : "";
}

/** The module of an import. Browsers may remember that one has failed: the page has to be loaded anew then. */
export async function loaded(module) {
  try {
    return await module;
  } catch {
    throw Object.assign(new ServerError(0, "The coordinator does not answer."), { needsReload: true });
  }
}

/** Fetches a document. */
export async function get(path, signal) {
  const answer = await send(path, { headers: headers(), signal });
  try {
    return await answer.json();
  } catch (error) {
    throw error.name === "AbortError" ? error : new ServerError(0, "The answer has not come to its end.");
  }
}

/** Fetches an answer of any kind. */
export async function getAnswer(path, signal, method = "GET") {
  return send(path, { method, headers: headers(), signal });
}

/** Asks for a change; returns the document of the reply. */
export async function act(method, path, body, signal) {
  const answer = await send(path, {
    method,
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body ?? {}),
    signal,
  });
  return answer.json();
}

/** Does a request whose failure the page tells elsewhere: where the coordinator is gone the stream breaks as well. */
export async function quietly(request, tell) {
  try {
    return await request();
  } catch (error) {
    if (error.name !== "AbortError" && !(error instanceof ServerError)) throw error;
    if (error.name !== "AbortError" && error.status !== 0) tell?.(error);
    return null;
  }
}

/** The newest document of a view; null while a view that shows one already gets no answer, as the stream or the banner tells. */
export async function loadAgain(view, path, signal) {
  try {
    const document = await get(path, signal);
    view.hasLoaded = true;
    return document;
  } catch (error) {
    if ([0, 503].includes(error.status) && view.hasLoaded) return null;
    throw error;
  }
}

/** How many elements a page of a list has, and how many pages without any are passed over before somebody is asked. */
const pageLength = 100;
const mostEmptyPages = 10;

/** A page of a list with filters, of which pages may be empty although more follows. */
export async function filteredPage(path, filters, placeName, place, listName, signal) {
  let next = place;
  for (let passed = 1; ; passed += 1) {
    const document = await get(path + query({ ...filters, [placeName]: next, limit: pageLength }), signal);
    next = document.next;
    if (document[listName].length > 0 || next === null || passed === mostEmptyPages) return document;
  }
}

/** Lets the browser keep what an address answers as a file. */
export async function download(path, name) {
  save([await (await getAnswer(path)).blob()], name);
}

/** Lets the browser keep pieces as one file. */
export function save(pieces, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(pieces));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Reads server-sent events until the end of the stream.
 *
 * @param take gets the kind, the data as text, and the id of each event.
 * @param beat is called for each piece that arrives.
 */
export async function readEvents(path, take, beat, signal) {
  const answer = await send(path, { headers: headers({ Accept: "text/event-stream" }), signal, cache: "no-store" });
  beat();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    beat();
    rest += value;
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      const event = { event: "message", data: "", id: "" };
      for (const line of rest.slice(0, end).split("\n")) {
        const colon = line.indexOf(": ");
        if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 2);
      }
      rest = rest.slice(end + 2);
      if (event.data) take(event.event, event.data, event.id);
    }
  }
}

/** Calls something again and again until a signal. */
export function repeat(call, milliseconds, signal) {
  const timer = setInterval(call, milliseconds);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** The pauses between tries, each twice as long as the one before, and not the same in many tabs. */
export class Pauses {
  #shortest;
  #longest;
  #next;

  /** @param shortest and @param longest in milliseconds. */
  constructor(shortest, longest) {
    this.#shortest = this.#next = shortest;
    this.#longest = longest;
  }

  /** Begins anew, after a success. */
  reset() {
    this.#next = this.#shortest;
  }

  /** The next pause. */
  next() {
    const pause = this.#next * (0.75 + Math.random() / 2);
    this.#next = Math.min(this.#longest, this.#next * 2);
    return pause;
  }
}

/** How long nothing may arrive, in milliseconds: the first bytes of a stream, and further ones, of which some come every 15 s. */
const longestBeginning = 10_000;
const longestSilence = 20_000;
/** How long a stream may be broken before its data count as stale, in milliseconds. */
const staleAfter = 15_000;

/**
 * The one stream of the tab: it is closed while the tab is hidden, and opened again when it breaks.
 *
 * States: `live`; `reconnecting` while a broken stream is opened again; `stale` when that takes long; `off` without topics, while
 * hidden, and when the server refuses.
 */
export class LiveStream {
  #topics = [];
  #take;
  #changed;
  #control = null;
  #pauses = new Pauses(500, 15_000);
  #timer = null;
  #brokenSince = null;

  /**
   * @param take gets the kind and the document of each event.
   * @param changed gets the state, and why the server refused the stream, if it did.
   */
  constructor(take, changed) {
    this.#take = take;
    this.#changed = changed;
    this.state = "off";
    this.newest = null;
    document.addEventListener("visibilitychange", () => this.#restart());
    window.addEventListener("pagehide", () => this.#close());
    window.addEventListener("pageshow", (event) => event.persisted && this.#restart());
    window.addEventListener("online", () => this.#brokenSince !== null && this.#restart());
  }

  /** Follows other topics. */
  follow(topics) {
    if (topics.join() === this.#topics.join() && this.#control) return;
    this.#topics = topics;
    this.#restart();
  }

  /** Finds out whether the data have become stale. */
  check() {
    if (this.#brokenSince !== null && Date.now() - this.#brokenSince > staleAfter) this.#set("stale");
  }

  #close() {
    clearTimeout(this.#timer);
    this.#control?.abort();
    this.#control = null;
  }

  #restart() {
    this.#close();
    this.#pauses.reset();
    this.#brokenSince = null;
    if (document.hidden || this.#topics.length === 0) {
      this.#set("off");
    } else {
      this.#open();
    }
  }

  async #open() {
    const control = new AbortController();
    this.#control = control;
    let watch = setTimeout(() => control.abort(), longestBeginning);
    const beat = () => {
      this.#brokenSince = null;
      this.#pauses.reset();
      this.newest = Date.now();
      this.#set("live");
      clearTimeout(watch);
      watch = setTimeout(() => control.abort(), longestSilence);
    };
    let refusal;
    try {
      const topics = encodeURIComponent(this.#topics.join());
      await readEvents(`/live?topics=${topics}`, (kind, data) => this.#hand(kind, data), beat, control.signal);
    } catch (error) {
      if (error.status > 0) refusal = error;
    }
    clearTimeout(watch);
    if (this.#control !== control) return;
    this.#control = null;
    if (refusal && [400, 401, 403, 404].includes(refusal.status)) {
      this.#set("off", refusal);
      return;
    }
    this.#brokenSince ??= Date.now();
    this.#set("reconnecting", refusal);
    this.check();
    this.#timer = setTimeout(() => this.#open(), this.#pauses.next());
  }

  /** Hands an event over; what a view does wrong is no fault of the connection. */
  #hand(kind, data) {
    try {
      this.#take(kind, JSON.parse(data));
    } catch (error) {
      reportError(error);
    }
  }

  #set(state, error) {
    if (state === this.state && !error) return;
    this.state = state;
    this.#changed(state, error);
  }
}

/**
 * Repeats a request while a view is shown: when asked, but no sooner than some multiple of the time that the last one took, so that a
 * window costs the coordinator a small part of its time.
 */
export class Refresher {
  #load;
  #least;
  #signal;
  #fail;
  #isRunning = false;
  #isAsked = false;
  #isUrgent = false;
  #waiting = [];
  #timer = null;
  #due = 0;

  /**
   * @param load does the request; it gets the signal.
   * @param least the shortest time between two requests, in milliseconds.
   * @param signal ends it.
   * @param fail gets the error of a request.
   */
  constructor(load, least, signal, fail = (error) => reportError(error)) {
    this.#load = load;
    this.#least = least;
    this.#signal = signal;
    this.#fail = fail;
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
    document.addEventListener("visibilitychange", () => this.#isAsked && this.#next(), { signal });
  }

  /** Asks for newer data, at once where possible. */
  poke() {
    this.#isAsked = true;
    this.#next();
  }

  /** Asks for newer data without regard to how long the last request took, as after an action, and waits for them. */
  now() {
    this.#isUrgent = true;
    const end = new Promise((resolve) => this.#waiting.push(resolve));
    this.poke();
    return end;
  }

  async #next() {
    if (this.#isRunning || this.#signal.aborted || document.hidden) return;
    clearTimeout(this.#timer);
    const wait = this.#isUrgent ? 0 : this.#due - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#next(), wait);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isRunning = true;
    this.#isAsked = this.#isUrgent = false;
    const begin = performance.now();
    try {
      await this.#load(this.#signal);
    } catch (error) {
      if (error.name !== "AbortError") this.#fail(error);
    }
    this.#isRunning = false;
    const end = performance.now();
    this.#due = end + Math.max(this.#least, 10 * (end - begin));
    for (const resolve of waiting) resolve();
    if (this.#isAsked) this.#next();
  }
}
