"""The forms of numbers, times and states on the page, made apart from the page's own code, for the step page of scripts/windows."""

import datetime

SHOWN_STATES = {"notNeeded": "not needed"}
# The parts of a job's counts that its legend has; what was not needed is among the skipped ones.
PARTS = ("succeeded", "failed", "cancelled", "skipped", "notNeeded", "executing", "ready", "pending")


def number(value):
    return "–" if value is None else f"{value:,}"


def percent(part):
    """A part of 1; 100 only when all is done."""
    return "–" if part is None else "100%" if part >= 1 else f"{min(99, int(part * 100))}%"


def duration(seconds):
    if seconds is None:
        return "–"
    milliseconds = round(seconds * 1000)
    whole = milliseconds // 1000
    if whole == 0:
        return f"{milliseconds}ms"
    if whole < 60:
        return f"{whole}.{milliseconds % 1000 // 100}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole // 60 % 60:02}m"
    return f"{whole // 86400}d {whole // 3600 % 24:02}h"


def between(start, end):
    """The seconds between two moments of the interface."""
    first, second = (datetime.datetime.fromisoformat(text) for text in (start, end))
    return (second - first).total_seconds()


def state(document):
    """The word for the state of a job or an operation, or for how it ended."""
    if document["state"] != "finished":
        return document["state"]
    if document["outcome"] == "skipped" and document.get("reason") == "notNeeded":
        return SHOWN_STATES["notNeeded"]
    return document["outcome"]


def parts(counts):
    """The parts of counts that are not zero."""
    shown = counts | {"skipped": counts["skipped"] - counts["notNeeded"]}
    return {name: shown[name] for name in PARTS if shown[name] > 0}


def done(counts):
    return sum(counts[name] for name in ("succeeded", "failed", "cancelled", "skipped"))


def size(counts):
    return sum(parts(counts).values())
