"""What a cluster does under load: its throughput, its submissions, and how fast it answers others meanwhile."""

import json
import threading
import time


def bench(cluster, scenario, operations):
    """Runs a scenario of "baton bench" on a cluster; returns the median of each figure."""
    output = cluster.baton(
        "bench", scenario, "--coordinator", cluster.address, "--operations", str(operations), "--json"
    )
    figures = json.loads(output)["scenarios"][0]["figures"]
    return {name: figure["median"] for name, figure in figures.items()}


def throughput(cluster, operations):
    """Operations that do nothing, a second."""
    return bench(cluster, "array", operations)["operationsPerSecond"]


def submissions(cluster, count):
    """What 99% of so many submissions of one operation take at most, in milliseconds: from a connected client, with the operation."""
    return bench(cluster, "single", count)["connectedP99Milliseconds"]


class Asking:
    """Asks a route at a steady rate on another thread until the end of the with block, and notes how long the answers take."""

    def __init__(self, cluster, path, pause):
        self.cluster = cluster
        self.path = path
        self.pause = pause
        self.times = []
        self.failures = []
        self.end = threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.work)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.end.set()
        self.thread.join()

    def work(self):
        due = time.monotonic()
        while not self.end.wait(max(0, due - time.monotonic())):
            due += self.pause
            try:
                answer = self.cluster.get(self.path, timeout=60)
                self.times.append(answer.seconds)
                if answer.status != 200:
                    self.failures.append(str(answer))
            except OSError as error:
                self.failures.append(repr(error))
