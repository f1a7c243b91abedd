// Elements, made without markup: every text from elsewhere becomes a text node, and nothing else.

const svgNamespace = "http://www.w3.org/2000/svg";

/** Characters that are not seen where they stand: those that PrintableText keeps from a terminal, except tabs and line feeds, and joiners. */
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** A text in which each unseen character is shown as its number, such as \u{202e}. */
export function visible(text) {
  return String(text).replace(unseen, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** Makes an HTML element; properties, if there are any, are attributes, `on` has listeners, and children are nodes or texts. */
export function h(name, properties, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** Makes an SVG element. */
export function s(name, properties, ...children) {
  return fill(document.createElementNS(svgNamespace, name), properties, children);
}

function fill(element, properties, children) {
  if (properties?.constructor !== Object) return append(element, [properties, children]);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else {
      setAttribute(element, name, value);
    }
  }
  return append(element, children);
}

/** Sets an attribute: false, null and undefined remove it, and true leaves it empty. */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) {
    element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : visible(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

/** What an element that can have the focus is known by: what it does, where it leads, or what it is called. */
const identityOf = (element) => ["data-field", "data-action", "href", "aria-label"].map((name) => element.getAttribute(name)).find(Boolean) ?? element.textContent;

/** Replaces what an element contains; the focus stays on what is known by the same name. */
export function setChildren(element, ...children) {
  const focused = element !== document.activeElement && element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren();
  append(element, children);
  if (focused) [...element.querySelectorAll(focused.localName)].find((other) => identityOf(other) === identityOf(focused))?.focus({ preventScroll: true });
  return element;
}

/** Fills an element with what `make` makes, unless it shows the same values already: what somebody points at stays. */
export function showOnce(element, values, make) {
  const key = JSON.stringify(values);
  if (element.shownKey === key) return;
  element.shownKey = key;
  setChildren(element, make());
}

/** Sets the text of an element, and touches nothing if it has the text already. */
export function setText(element, text) {
  const shown = visible(text ?? "");
  if (element.textContent !== shown) element.textContent = shown;
  return element;
}

/** An element for a figure of the page's document, which tests and users' styles find by the name of its JSON field. */
export function field(name) {
  return h("span", { "data-field": name });
}

/** Sets the text of each figure of a name within an element. */
export function setField(root, name, text) {
  for (const element of root.querySelectorAll(`[data-field="${name}"]`)) setText(element, text);
}

/**
 * Brings the children of an element in line with items, and keeps the element of each item that stays.
 *
 * @param parent the element; children that this function did not make are removed.
 * @param items what to show, in order.
 * @param key gives an item's own string.
 * @param make makes the element of an item.
 * @param update brings an element up to date, also one that was just made.
 */
export function reconcile(parent, items, key, make, update) {
  const known = parent.itemElements ?? new Map();
  const next = new Map();
  for (const item of items) {
    const name = key(item);
    if (next.has(name)) continue;
    const element = known.get(name) ?? make(item);
    update(element, item);
    next.set(name, element);
  }
  const stay = new Set(next.values());
  for (const child of [...parent.childNodes]) if (!stay.has(child)) child.remove();
  let place = parent.firstChild;
  for (const element of stay) {
    if (element === place) place = place.nextSibling;
    else parent.insertBefore(element, place);
  }
  parent.itemElements = next;
}

/** What begins with an escape: colours (kept), and all else that a terminal would do (left out). */
const escapes = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g;

/**
 * The text of a log with the colours of a terminal as classes.
 *
 * @param style the classes in force; it is changed by the text.
 */
export function paint(text, style) {
  const nodes = [];
  let end = 0;
  const put = (piece) => {
    if (piece === "") return;
    nodes.push(style.size === 0 ? piece : h("span", { class: [...style].join(" ") }, piece));
  };
  const clean = text.replace(/\r\n?/g, "\n");
  for (const match of clean.matchAll(escapes)) {
    put(clean.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[2] === "m") setStyle(style, match[1]);
  }
  put(clean.slice(end));
  return nodes;
}

function setStyle(style, codes) {
  const withoutInk = () => [...style].filter((name) => name.startsWith("ink-")).forEach((name) => style.delete(name));
  const numbers = codes.split(/[;:]/).map(Number);
  for (let place = 0; place < numbers.length; place += 1) {
    const code = numbers[place];
    if (code === 0) style.clear();
    else if (code === 1) style.add("bold");
    else if (code === 2) style.add("faint");
    else if (code === 4) style.add("underlined");
    else if (code === 22) ["bold", "faint"].forEach((name) => style.delete(name));
    else if (code === 24) style.delete("underlined");
    else if (code === 39) withoutInk();
    else if (code === 38 || code === 48) place += numbers[place + 1] === 5 ? 2 : 4;
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      withoutInk();
      style.add(`ink-${code % 10}`);
    }
  }
}
