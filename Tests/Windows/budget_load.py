"""What dispatch and submissions lose to tabs and scrapes: two clusters side by side, one without HTTP, take turns."""

import asyncio
import threading

import load
import streams
from cluster import Cluster
from report import median

TABS = 5
LIVE = "/api/v1/live?topics=overview,workers,queues"
LEAST_THROUGHPUT, MOST_SUBMISSION = 0.95, 1.1


class Watched:
    """Tabs on a cluster and a scrape a second, until the end of the with block."""

    def __init__(self, cluster):
        self.readers = [streams.Reader(cluster, LIVE) for _ in range(TABS)]
        self.asking = load.Asking(cluster, "/metrics", 1)

    def __enter__(self):
        self.loop = asyncio.new_event_loop()
        self.end = asyncio.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.read(),))
        self.thread.start()
        self.asking.__enter__()
        return self

    async def read(self):
        await asyncio.gather(*(reader.run(self.end) for reader in self.readers))

    def __exit__(self, *error):
        self.asking.__exit__(*error)
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join()
        self.loop.close()


def run(report, options):
    operations, count, rounds = (30_000, 200, 2) if options.short else (300_000, 1_000, options.rounds)
    with Cluster() as watched, Cluster(http="off") as plain:
        missing = [path for path in ("/api/v1/live", "/metrics") if not watched.has(path)]
        if missing:
            report.skip(
                f"this program has no {' and no '.join(missing)}, and so no tabs and scrapes that could cost something"
            )
            return
        for cluster in (watched, plain):
            load.throughput(cluster, operations)
        found = {watched: [], plain: []}
        with Watched(watched) as windows:
            # The tabs are open all the time. Where they have no changes to show, they cost the other side nothing.
            for index in range(rounds):
                for cluster in (watched, plain) if index % 2 == 0 else (plain, watched):
                    rates = load.throughput(cluster, operations)
                    found[cluster].append((rates, load.submissions(cluster, count)))
        left = [reader for reader in windows.readers if reader.status != 200 or reader.has_ended or reader.error]
        report.expect(not left, f"{len(left)} tabs lost their streams")
        report.expect(not windows.asking.failures, f"scrapes failed: {windows.asking.failures[:1]}")
        rates, times = (
            [one[index] / other[index] for one, other in zip(found[watched], found[plain])] for index in (0, 1)
        )
        report.figure("operations a second, without HTTP", f"{median([values[0] for values in found[plain]]):,.0f}")
        report.limit("operations a second with tabs and scrapes, of without", median(rates), least=LEAST_THROUGHPUT)
        report.figure("submission, 99%, without HTTP", f"{median([values[1] for values in found[plain]]):.2f} ms")
        report.limit("submission, 99%, with tabs and scrapes, of without", median(times), most=MOST_SUBMISSION)
