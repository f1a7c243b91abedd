"""Makes every mistake of certain kinds in a file, one at a time: the checks have to find each.

A member of an object or an element of a list is left out, one is added, and each value becomes another one. The tables below
say which values may be others.
"""

import json
import re

from commands import MENTIONS, comments_of, head_of

# Numbers and units in texts that a user may choose: the last names of their places. Their ranges are in the shapes.
SIZES = {"memory", "ephemeral-storage", "storage", "sizeLimit", "max-size", "stop_grace_period", "cpu", "cpus"}
TIMES = {"scrape_interval", "evaluation_interval", "for"}
PROSE = {"summary", "description"}
UNITS = {"Ki": "Mi", "Mi": "Gi", "Gi": "Ti", "k": "m", "m": "g", "M": "G", "G": "T"}


def places_of(value, place=()):
    """Each place of a document, from its root: the keys and numbers that lead to it."""
    yield place
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_of(part, (*place, key))


def at(document, place):
    for key in place:
        document = document[key]
    return document


def words_of(text):
    """The names of metrics, labels and functions in an expression, and the values of labels; no durations."""
    without_durations = re.sub(r"\[[^\]]*\]", lambda found: " " * len(found[0]), text)
    return re.finditer(r"(?<![\w:.])[a-z_:][\w:]*", without_durations)


def other_texts(name, text):
    """Texts that are wrong where this one is right."""
    if name in {"alert", "record"}:
        return [text + "x", text[:-1], ""]
    if name in PROSE:
        return ["", "{{ $labels.nothing }}" + text, text + " {{", text[:-1]]
    found = ["", "x" + text, text + "x"]
    if name == "expr":
        # Its numbers say when there is an alert.
        found += [text + ")", "(" + text, text + " >", "* " + text, text + " 1", text.replace("=", "", 1)]
        found += [text.replace(", instance", " instance", 1), text.replace("m]", "x]", 1)]
        return found + [text[: word.end()] + "x" + text[word.end() :] for word in words_of(text)]
    # A size without its last digit may be one.
    if name not in SIZES or not text[-1:].isdigit():
        found.append(text[:-1])
    amount = re.fullmatch(r"(\d+)([A-Za-z]*)", text)
    if amount and name in SIZES | TIMES:
        found += ["0" + amount[2], "-1", "100000" + amount[2]]
        lower = {upper: unit for unit, upper in UNITS.items()}
        if name in SIZES:
            found += [amount[1] + table[amount[2]] for table in (UNITS, lower) if amount[2] in table]
    elif re.search(r"\d", text):
        found.append(re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), text))
        found.append(re.sub(r"\d", "", text))
    return found


def others(name, value):
    """Values that are wrong where this one is right."""
    if isinstance(value, str):
        return [*other_texts(name, value), None, 1, [value]]
    if isinstance(value, bool):
        return [not value, None, str(value).lower(), int(value)]
    if isinstance(value, int):
        return [-1, 10**9, str(value), None, 0 if value else 1]
    return [None, "x"]


def changed(document, place, key, value, mode):
    """A copy of a document with one change at a place."""
    # An object that a YAML file has once and names twice is two in the copy.
    copy = json.loads(json.dumps(document))
    part = at(copy, place)
    if mode == "remove":
        del part[key]
    elif mode == "insert" and isinstance(part, list):
        part.insert(key, value)
    else:
        part[key] = value
    return copy


def mistakes_of(documents):
    """Each mistake: what it is, and the documents with it."""
    for place in places_of(documents):
        value = at(documents, place)
        name = place[-1] if place else ""
        shown = ".".join(map(str, place)) or "the documents"
        if isinstance(value, dict):
            yield f"{shown} with another member", changed(documents, place, "unknown", True, "set")
        if isinstance(value, list):
            yield f"{shown} with another element", changed(documents, place, len(value), "unknown", "insert")
            if value:
                yield f"{shown} with its last element twice", changed(documents, place, 0, value[-1], "insert")
        if not place:
            continue
        # An alert may be one at once.
        if name != "for":
            yield f"{shown} left out", changed(documents, place[:-1], name, None, "remove")
        for other in others(name, value):
            if other != value or type(other) is not type(value):
                yield f"{shown} as {other!r}", changed(documents, place[:-1], name, other, "set")


def mistaken_texts(text):
    """Each mistake in the comments: what it is, and the text of the file with it."""
    for line in dict.fromkeys(head_of(text)):
        for other in ["", line[:-1], line + " x", re.sub(r"\b[a-z]", "x", line, count=1)]:
            if other != line:
                yield f"the command {other!r}", text.replace(f"#   {line}\n", f"#   {other}\n")
    prose = comments_of(text)
    for kind, pattern in MENTIONS.items():
        for found in dict.fromkeys(pattern.findall(prose)):
            if kind in {"address", "command"}:
                other = found[:1] + "x" + found[1:]
            else:
                other = found + "x" if kind == "option" else "x" + found
            # A mention that lines divide has its parts in two places.
            if found in text:
                yield f"the {kind} {other!r} in prose", text.replace(found, other)
