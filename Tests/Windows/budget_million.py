"""A trace of many attempts, and each route beside a job of a million operations."""

import pathlib
import re
import subprocess
import time

from cluster import Cluster
from report import median, quantile

ATTEMPTS, MOST_TRACE_SECONDS, MOST_GROWTH_MEGABYTES = 100_000, 3, 16
MOST_BYTES, MOST_SECONDS, MOST_SCRAPE_MILLISECONDS = 300_000, 1, 20
# What has a budget of its own, and what does not end.
APART = re.compile(r"/(trace|events|live|follow)$")
# What has up to 2,000 operations or attempts one by one, if the job has so few: a page of a large job does not load it.
ONE_BY_ONE = re.compile(r"/(timeline|graph(\.svg|\.dot)?)$")

# Queries without which a route has nothing to answer.
NEEDED = {"/api/v1/search": "?q=bench"}


def run(report, options):
    with Cluster(slots=4) as cluster:
        trace(cluster, report, ATTEMPTS // 10 if options.short else ATTEMPTS)
        documents(cluster, report, 100_000 if options.short else 1_000_000)
        cluster.check_health(report)


def job_of(cluster, operations):
    """Runs a job of operations that do nothing; returns its number."""
    cluster.baton("bench", "array", "--coordinator", cluster.address, "--operations", str(operations), "--json")
    jobs = cluster.document("list")["jobs"]
    return next(job["job"] for job in jobs if job["counts"]["succeeded"] == operations)


def trace(cluster, report, attempts):
    """Takes the trace of a job, and of one with a tenth of the attempts: neither may need more memory."""
    jobs = [job_of(cluster, attempts // 10), job_of(cluster, attempts)]
    found = [printed(cluster, job, report) for job in jobs]
    (_, before), (seconds, after) = found
    report.limit(f"baton trace, {attempts:,} attempts", seconds, "s", most=MOST_TRACE_SECONDS)
    report.limit(
        "baton trace: memory beyond that for a tenth", (after - before) / 1e6, "MB", most=MOST_GROWTH_MEGABYTES
    )
    if not cluster.has("/api/v1/jobs/{job}/trace"):
        report.skip("this program has no traces by HTTP")
        return
    growths = []
    for job in jobs:
        cluster.get(f"/api/v1/jobs/{job}/trace")
        cluster.forget_peak()
        before = cluster.memory()
        answer = cluster.get(f"/api/v1/jobs/{job}/trace")
        growths.append((cluster.memory("VmHWM") - before) / 1e6)
        report.expect(
            answer.status == 200 and answer.json["otherData"]["attempts"] in (attempts, attempts // 10),
            f"the trace: {answer}",
        )
    report.limit(f"trace by HTTP, {attempts:,} attempts", answer.seconds, "s", most=MOST_TRACE_SECONDS)
    report.limit(
        "trace by HTTP: memory beyond that for a tenth", growths[1] - growths[0], "MB", most=MOST_GROWTH_MEGABYTES
    )


def printed(cluster, job, report):
    """Prints a trace; returns how long it took, in seconds, and the command's highest memory in bytes."""
    peak = 0
    begin = time.monotonic()
    with subprocess.Popen(
        [cluster.program, "trace", str(job)], env=cluster.environment, stdout=subprocess.DEVNULL
    ) as process:
        # What wait4 tells would begin with the memory of this process.
        while process.poll() is None:
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.002)
    report.expect(process.returncode == 0, f"baton trace ends with status {process.returncode}")
    return time.monotonic() - begin, peak


def memory_of(process):
    """The highest memory of a process, in bytes; 0 once it has ended."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    match = re.search(r"VmHWM:\s+(\d+)", text)
    return int(match[1]) * 1024 if match else 0


def documents(cluster, report, size):
    """Asks each route that reads, beside a large job that is finished and another one that is running."""
    finished = job_of(cluster, size)
    cluster.baton("queue", "set", "large", "--max-concurrent", "2")
    running = (
        cluster.baton("submit", "--queue", "large", "--array", f"1-{size}", "--", "sleep", "0.05").decode().strip()
    )
    mixed = cluster.baton("submit", "--array", "1-2000", "--", "sh", "-c", "test $(({} % 3)) != 0").decode().strip()
    places = {
        "job": [finished, running, mixed],
        "operation": ["0", str(size // 2)],
        "queue": ["default", "large"],
        "worker": ["w1"],
    }
    paths = cluster.get("/api/v1/openapi.json").json["paths"]
    worst = []
    for path, route in paths.items():
        if "get" not in route or APART.search(path):
            continue
        for place in [place + query for place in filled(path, places) for query in queries(path, route["get"])]:
            answers = [cluster.get(place) for _ in range(3)]
            slow, size_of = max(answer.seconds for answer in answers), len(answers[0].body)
            is_apart = f"/{mixed}/" in place and ONE_BY_ONE.search(place)
            worst.append((slow, 0 if is_apart else size_of, place))
            report.expect(answers[0].status in (200, 404), f"{place}: {answers[0]}")
            report.expect(slow <= MOST_SECONDS, f"{place} takes {slow:.2f} s")
            if is_apart:
                report.figure(f"{place}, one by one", f"{size_of:,} bytes")
            else:
                report.expect(size_of <= MOST_BYTES, f"{place} has {size_of:,} bytes")
    report.limit("slowest answer", max(worst)[0], f"s ({max(worst)[2]})", most=MOST_SECONDS)
    largest = max(worst, key=lambda entry: entry[1])
    report.limit("largest answer", largest[1], f"bytes ({largest[2]})", most=MOST_BYTES)
    if cluster.has("/metrics"):
        times = [cluster.get("/metrics").seconds * 1000 for _ in range(30)]
        report.figure("/metrics, 99%", f"{quantile(times, 0.99):.1f} ms")
        report.limit("/metrics, median", median(times), "ms", most=MOST_SCRAPE_MILLISECONDS)
    else:
        report.skip("this program has no /metrics")
    cluster.baton("cancel", running)


def queries(path, route):
    """The queries of a route: none, and each word of a parameter that takes one of several."""
    if path in NEEDED:
        return [NEEDED[path]]
    parameters = [(each["name"], each["schema"].get("enum", [])) for each in route.get("parameters", [])]
    return ["", *(f"?{name}={word}" for name, words in parameters for word in words)]


def filled(path, places):
    """The addresses of a path, with each of the values that its parts may have."""
    match = re.search(r"\{(\w+)\}", path)
    if not match:
        return [path]
    values = places.get(match[1], ["1"])
    return [place for value in values for place in filled(path.replace(match[0], str(value), 1), places)]
