"""The coordinator's memory for the web interface, and what one live stream carries."""

import asyncio
import time

import load
import streams
from cluster import Cluster
from report import median

MOST_IDLE_MEGABYTES, MOST_STREAM_KILOBYTES = 8, 64
MOST_UPDATES, MOST_BYTES = 4, 20_000
STREAMS = 60


def run(report, options):
    idle(report, 3 if options.short else 9)
    with Cluster() as cluster:
        path = "/api/v1/live?topics=overview"
        if cluster.has("/api/v1/live"):
            live(cluster, report, 5 if options.short else 30)
        else:
            report.skip("this program has no /api/v1/live; its streams are those of events")
            path = "/api/v1/events"
        each_stream(cluster, path, report)


def idle(report, rounds):
    """Compares coordinators that have just started, with the web interface and without."""
    differences, all_without = [], []
    for index in range(rounds):
        found = {}
        for http in ("127.0.0.1:0", "off") if index % 2 == 0 else ("off", "127.0.0.1:0"):
            with Cluster(workers=1, http=http) as cluster:
                cluster.baton("run", "--", "true")
                if http != "off":
                    cluster.get("/api/v1/status")
                found[http] = cluster.memory()
        differences.append((found["127.0.0.1:0"] - found["off"]) / 1e6)
        all_without.append(found["off"] / 1e6)
    report.figure("coordinator's memory without HTTP", f"{median(all_without):.1f} MB")
    report.limit("memory for HTTP, idle", median(differences), "MB", most=MOST_IDLE_MEGABYTES)


def each_stream(cluster, path, report):
    """Opens many streams, and divides what the memory grows by."""

    async def grow():
        # What the first stream needs is there once for all.
        first = streams.Reader(cluster, path)
        await streams.read_for([first], 1)
        before = cluster.memory()
        readers = [streams.Reader(cluster, path) for _ in range(STREAMS)]
        after = await streams.read_for(readers, 3, lambda: (time.sleep(2), cluster.memory())[1])
        return before, after, sum(reader.status == 200 for reader in readers)

    before, after, admitted = asyncio.run(grow())
    report.expect(admitted == STREAMS, f"{admitted} of {STREAMS} streams were opened")
    report.limit("memory of a stream", (after - before) / 1000 / max(1, admitted), "kB", most=MOST_STREAM_KILOBYTES)


def live(cluster, report, seconds):
    """Counts what a tab gets while everything changes as fast as it can."""
    held = cluster.baton("submit", "--hold", "--array", "1-1000", "--", "true").decode().strip()
    topics = f"overview,job:{held},workers,queues"
    reader = streams.Reader(cluster, f"/api/v1/live?topics={topics}")

    def work():
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            load.throughput(cluster, 50_000)

    begin = time.monotonic()
    asyncio.run(streams.read_for([reader], 0.1, work))
    elapsed = time.monotonic() - begin
    report.expect(reader.status == 200, f"the live stream is answered with {reader.status}")
    kinds = sorted({kind for _, kind in reader.events})
    for kind in kinds:
        count = sum(other == kind for _, other in reader.events)
        report.limit(f"live stream: {kind} a second", (count - 1) / elapsed, most=MOST_UPDATES)
    report.expect("overview" in kinds, "the live stream has no overview")
    report.limit("live stream: bytes a second", reader.bytes / elapsed, most=MOST_BYTES)
