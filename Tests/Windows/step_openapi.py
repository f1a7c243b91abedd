"""The description of the interface, and requests that are made of it: valid, at the limits, and wrong."""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import streams
from cluster import Cluster, Failure

# What schemathesis looks at in each answer. Not among them: that everything beside the description is refused, because header and
# query may have items that nobody asks for, and that what the description admits is accepted, because job 7 may not exist.
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "ignored_auth", "unsupported_method", "use_after_free",
]  # fmt: skip
# Streams do not end, and schemathesis waits for the end of an answer.
STREAMS = re.compile(r"/(events|live|follow)$")
GRAPH = {
    "name": "graph",
    "operations": [
        {"name": "a", "command": "echo out; echo err >&2; printf 7 > $BATON_RESULT"},
        {"name": "b", "command": "exit 3", "needs": ["a"]},
        {"name": "c", "command": "true", "needs": ["b"]},
    ],
}


def run(report, options):
    with Cluster(workers=2) as cluster, tempfile.TemporaryDirectory(prefix="baton-windows-") as name:
        work = pathlib.Path(name)
        for _ in range(3):
            cluster.baton("submit", "--file", "-", input=json.dumps(GRAPH).encode())
        cluster.baton("submit", "--array", "1-20", "--queue", "narrow", "--hold", "--", "true")
        document = cluster.get("/api/v1/openapi.json")
        (work / "openapi.json").write_bytes(document.body)
        validator = pathlib.Path(sys.executable).parent / "openapi-spec-validator"
        done = subprocess.run([validator, work / "openapi.json"], capture_output=True, text=True)
        report.expect(done.returncode == 0, f"openapi-spec-validator: {(done.stdout + done.stderr)[-500:]}")
        paths = document.json["paths"]
        report.figure(
            "routes",
            f"{sum(len(set(path) & {'get', 'post', 'patch'}) for path in paths.values())} at {len(paths)} paths",
        )
        examples = 10 if options.short else 50
        try_schema(work, cluster, report, examples, "any address", "")
        known = '"path.job" = 1\n"path.operation" = "0"\n"path.queue" = "narrow"\n"path.worker" = "w1"\n'
        try_schema(work, cluster, report, examples, "addresses that exist", known)
        asyncio.run(try_streams(cluster, paths, report))
        # What was asked for may have stopped the workers, suspended queues, and let them execute nothing.
        for queue in cluster.document("queue", "list")["queues"]:
            cluster.baton("queue", "resume", queue["queue"])
            cluster.baton("queue", "set", queue["queue"], "--max-concurrent=-1")
        cluster.spawn(["worker", "--name", "fresh", "--slots", "1", "--memory-control", "sampling"])
        cluster.check_health(report)


def try_schema(work, cluster, report, examples, what, parameters):
    """Lets schemathesis ask, with the token in a header that no list of processes shows.

    - parameters: lines of its configuration that set parameters of paths.
    """
    (work / "schemathesis.toml").write_text(
        'headers = { Authorization = "Bearer ${BATON_TOKEN}" }\nseed = 7\n[parameters]\n' + parameters
    )
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", work / "schemathesis.toml",
        "run", f"{cluster.url}/api/v1/openapi.json", "--max-examples", str(examples), "--checks", ",".join(CHECKS),
        "--exclude-path-regex", STREAMS.pattern, "--request-timeout", "60", "--workers", "1", "--no-color",
        # Requests that change something are limited to 100 a second.
        "--rate-limit", "90/s", "--phases", "examples,coverage,fuzzing", "--continue-on-failure",
    ]  # fmt: skip
    environment = os.environ | {"BATON_TOKEN": cluster.token}
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True)
    words = done.stdout + done.stderr
    for line in words.splitlines():
        if re.search(r"\d generated,|Selected: \d|⚠️", line):
            report.figure(f"schemathesis, {what}", " ".join(line.split()).lstrip("⚠️ "))
    if not report.expect(done.returncode == 0, f"schemathesis, {what}: it ends with status {done.returncode}"):
        summary = words[words.find("= FAILURES") :] if "= FAILURES" in words else words
        print("\n".join(f"    {line}" for line in summary.splitlines()[:120]), flush=True)
    if cluster.coordinator.poll() is not None:
        raise Failure(f"The coordinator has ended with status {cluster.coordinator.returncode}.")


async def try_streams(cluster, paths, report):
    """Opens each stream: it begins as such a stream, and a wrong query is refused in a sentence."""
    found = [path for path in paths if STREAMS.search(path)]
    for path in found:
        place = path.replace("{job}", "1").replace("{operation}", "0")
        query = "?topics=overview" if path.endswith("/live") else "?since=0" if path.endswith("/events") else ""
        reader = streams.Reader(cluster, place + query)
        await streams.read_for([reader], 2)
        kind = reader.headers.get("content-type", "")
        report.expect(
            reader.status == 200 and kind.startswith("text/event-stream"),
            f"{path}: {reader.status} {kind} {reader.error}",
        )
        report.expect(reader.bytes > 0, f"{path} sends nothing")
        wrong = cluster.get(place + "?nothing=1", timeout=10)
        report.expect(
            wrong.status == 400 and wrong.json["error"]["message"], f"{path} with an unknown item in the query: {wrong}"
        )
    report.figure("streams", ", ".join(found) or "none")
