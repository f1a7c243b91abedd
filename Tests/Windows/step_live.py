"""Hundreds of readers of the live stream: everyone who is admitted gets updates, nobody too many, nobody is dropped."""

import asyncio
import time

import streams
from cluster import Cluster
from report import median, quantile

# The limits of the server (WINDOWS.md): streams at once, updates a second of a topic, and bytes a second of a reader.
MOST_STREAMS, UPDATES, BYTES = 64, 4, 20_000
PATH = "/api/v1/live?topics=overview"


def run(report, options):
    seconds = 6 if options.short else 20
    with Cluster(slots=4) as cluster:
        if not cluster.has("/api/v1/live"):
            report.skip("this program has no /api/v1/live")
            return
        # Some changes a second, for as long as anybody reads.
        cluster.baton("submit", "--array", "1-20000", "--", "sleep", "0.1")
        alone = cpu_for(cluster, seconds / 2)
        readers = [streams.Reader(cluster, PATH, f"127.0.0.{2 + index % 8}") for index in range(options.readers)]
        before = cluster.cpu()
        asyncio.run(streams.read_for(readers, seconds))
        busy = (cluster.cpu() - before) / seconds
        alone = (alone + cpu_for(cluster, seconds / 2)) / 2
        judge(readers, seconds, report)
        report.figure("processor time a second, nobody reading", f"{alone * 1000:.0f} ms")
        report.figure("processor time a second, with the readers", f"{busy * 1000:.0f} ms")
        cluster.baton("cancel", "1")
        cluster.check_health(report)


def cpu_for(cluster, seconds):
    """The coordinator's processor time a second, over so many seconds."""
    before = cluster.cpu()
    time.sleep(seconds)
    return (cluster.cpu() - before) / seconds


def judge(readers, seconds, report):
    admitted = [reader for reader in readers if reader.status == 200]
    refused = [reader for reader in readers if reader.status not in (200, None)]
    closed = [reader for reader in readers if reader.status is None]
    report.figure(
        "readers, admitted, refused, closed at once", f"{len(readers)}, {len(admitted)}, {len(refused)}, {len(closed)}"
    )
    if len(admitted) < len(readers):
        report.limit(
            "admitted readers, of the streams that there may be", len(admitted), least=min(len(readers), MOST_STREAMS)
        )
        strange = [reader for reader in refused if reader.status != 503 or "retry-after" not in reader.headers]
        report.expect(
            not strange, f"{len(strange)} readers were refused with {[reader.status for reader in strange[:5]]}"
        )
    if not admitted:
        return
    counts = [len(reader.events) for reader in admitted]
    report.limit("updates of a reader in all, the least", min(counts), least=seconds)
    report.limit("updates of a reader a second, the most", (max(counts) - 1) / seconds, most=UPDATES)
    # Updates that wait for the processor come together.
    report.limit(
        "updates within a second, the most of any reader", max(reader.most(1) for reader in admitted), most=UPDATES + 1
    )
    report.limit("bytes of a reader a second, the most", max(reader.bytes for reader in admitted) / seconds, most=BYTES)
    dropped = [reader for reader in admitted if reader.has_ended or reader.error]
    report.expect(not dropped, f"{len(dropped)} readers were dropped: {[str(reader.error) for reader in dropped[:3]]}")
    gaps = [
        later - earlier for reader in admitted for (earlier, _), (later, _) in zip(reader.events, reader.events[1:])
    ]
    report.figure(
        "time between updates, median and 99%",
        f"{(median(gaps) or 0) * 1000:.0f} and {(quantile(gaps, 0.99) or 0) * 1000:.0f} ms",
    )
