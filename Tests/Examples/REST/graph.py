#!/usr/bin/env python3
"""Submits a graph over HTTP, follows it to its end, and prints what it has left: results, and why operations failed.

    python3 graph.py GRAPH.json [KEY]

The graph is a graph file in JSON. A second run with the same KEY submits nothing: it follows the job of the first one. The exit status
is 0 if the job has succeeded. The interface is that of the variable BATON_URL, else http://127.0.0.1:7462, and the token the content of
the file BATON_TOKEN_FILE, else that of the state directory on this host.
"""

import http.client
import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("BATON_URL", "http://127.0.0.1:7462").rstrip("/") + "/api/v1"
HOME = os.environ.get("BATON_HOME") or pathlib.Path.home() / ".local/state/baton"
TOKEN_FILE = os.environ.get("BATON_TOKEN_FILE") or pathlib.Path(HOME) / "http-token"
# The server sends something every 15 s: after this many seconds of silence the connection is dead.
SILENCE = 45
# How often something is tried again while nobody answers, and the seconds between.
TRIES, PAUSE = 60, 1


class Refused(Exception):
    """The sentence with which a request was refused."""


class Unavailable(Exception):
    """Nobody answers, or not now."""


def ask(path, body=None, headers=None):
    """Sends a request, which is a POST if it has a body; returns the answer, to be read and closed."""
    request = urllib.request.Request(URL + path, data=body, headers=headers or {})
    request.add_header("Authorization", "Bearer " + pathlib.Path(TOKEN_FILE).read_text().strip())
    if body is not None:
        request.add_header("Content-Type", "application/json")
    try:
        return urllib.request.urlopen(request, timeout=SILENCE)
    except urllib.error.HTTPError as error:
        with error:
            text = error.read().decode(errors="replace")
        try:
            sentence = json.loads(text)["error"]["message"]
        except (ValueError, KeyError, TypeError):
            sentence = f"{path} is answered with status {error.code}."
        raise (Unavailable if error.code in (429, 503) else Refused)(sentence) from None
    except OSError as error:
        raise Unavailable(f"No coordinator answers at {URL}: {error}.") from None


def document(path, body=None, headers=None):
    """The document that a request is answered with; asks again while nobody answers."""
    for attempt in range(TRIES):
        try:
            with ask(path, body, headers) as answer:
                return json.load(answer)
        except (Unavailable, OSError, http.client.HTTPException) as error:
            if attempt == TRIES - 1:
                raise
            print(f"{error} Trying again.", file=sys.stderr)
            time.sleep(PAUSE)


def events(job, last):
    """The events of a job behind a number, over lost connections and restarts of the coordinator."""
    while True:
        try:
            with ask(f"/events?job={job}", headers={"Last-Event-ID": str(last)}) as stream:
                kind, data = "", ""
                for line in stream:
                    field, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if field == "id":
                        last = int(value)
                    elif field == "event":
                        kind = value
                    elif field == "data":
                        data = value
                    elif not field and data:
                        yield kind, json.loads(data)
                        kind, data = "", ""
        except (Unavailable, OSError, http.client.HTTPException) as error:
            print(f"{error} Connecting again.", file=sys.stderr)
        time.sleep(PAUSE)


def follow(job, since):
    """Prints what becomes of the operations until the job is finished; returns the outcome."""
    state = document(f"/jobs/{job}")
    if state["state"] == "finished":
        return state["outcome"]
    for kind, event in events(job, since):
        if kind == "missed":
            # More has happened than is kept: the job itself tells how far it is.
            state = document(f"/jobs/{job}")
            if state["state"] == "finished":
                return state["outcome"]
        elif kind == "job" and event["state"] == "finished":
            return event["outcome"]
        elif kind == "operation" and "operation" in event:
            print(event["operation"], event.get("outcome") or event["state"], flush=True)


def operations(job, condition):
    """All operations of a job that meet a condition, page by page."""
    start = 0
    while start is not None:
        page = document(f"/jobs/{job}/operations?{condition}&from={start}&limit=1000")
        yield from page["operations"]
        start = page["next"]


def report(job):
    """Prints the results, and for each kind of failure how often it occurred and one log."""
    for operation in operations(job, "outcome=succeeded"):
        if operation["hasResult"]:
            with ask(f"/operations/{operation['operation']}/result") as answer:
                print(
                    f"{operation['name'] or operation['operation']}: {answer.read().decode(errors='replace').rstrip()}"
                )
    failures = document(f"/jobs/{job}/failures?limit=100")
    for group in failures["failures"]:
        print(f"{group['count']} failed: {group['message']} One of them, {group['operations'][0]}, wrote:")
        with ask(f"/operations/{group['operations'][0]}/log?stream=stderr") as answer:
            print(answer.read().decode(errors="replace").rstrip())
    if failures["more"]:
        print(f"{failures['more']} more kinds of failures are not shown.")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 64
    try:
        graph = pathlib.Path(sys.argv[1]).read_bytes()
        key = sys.argv[2] if len(sys.argv) == 3 else str(uuid.uuid4())
        # What happens after this number cannot be missed, however soon it happens.
        since = document("/status")["seq"]
        # Where the answer is lost the same request is safe under the same key.
        job = document("/jobs", graph, {"Idempotency-Key": key})["job"]
        print(f"job {job}", flush=True)
        outcome = follow(job, since)
        report(job)
        print(f"job {job} {outcome}")
        return 0 if outcome == "succeeded" else 1
    except (Refused, Unavailable, OSError) as error:
        print(error, file=sys.stderr)
        return 1


sys.exit(main())
