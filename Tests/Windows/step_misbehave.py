"""Clients that misbehave, and what they take from those that do not."""

import contextlib

import load
from cluster import Cluster
from misbehaving import Crowd
from report import median, quantile

CLIENTS = 64
# Where the crowd is: nowhere, at another coordinator on the same host, and at the one that is measured. Beside the second place it
# shows what the crowd does to a coordinator, and beside the first also what it takes of the host's processors.
NOWHERE, ELSEWHERE, HERE = range(3)
# What the others may lose to a crowd here, compared with one elsewhere.
LEAST_THROUGHPUT, MOST_SLOWER = 0.9, 1.25
# What a round may leave behind, on an average of those after the first, which fills what jobs and connections keep.
MOST_MEGABYTES = 16
# How each kind is answered, where it is answered at all: a time that is over is 408.
STATUSES = {
    "slow_header": set(), "silent": {408}, "huge_header": {431}, "huge_body": {413, 429}, "endless_body": {413, 429, 408},
    "half_closed": {400, 408}, "never_reading": set(), "resetting": set(),
}  # fmt: skip


def run(report, options):
    operations, count, rounds = (30_000, 200, 2) if options.short else (300_000, 1_000, options.rounds)
    with Cluster() as cluster, Cluster(workers=0) as other:
        # The first of everything is slower.
        load.throughput(cluster, operations)
        files, memories = cluster.files(), [cluster.memory()]
        found = {place: [] for place in (NOWHERE, ELSEWHERE, HERE)}
        rounds_of, statuses = {}, {}
        for index in range(rounds):
            # The order changes from round to round, so that no place always follows the same one.
            for place in sorted(found, key=lambda place: (place + index) % 3):
                target = {NOWHERE: None, ELSEWHERE: other, HERE: cluster}[place]
                with Crowd(target, CLIENTS) if target else contextlib.nullcontext() as crowd:
                    found[place].append(measure(cluster, operations, count, report))
                for kind in crowd.rounds if place == HERE else []:
                    rounds_of[kind] = rounds_of.get(kind, 0) + crowd.rounds[kind]
                    statuses[kind] = statuses.get(kind, set()) | crowd.statuses[kind]
            memories.append(cluster.memory())
        compare(found, report)
        for kind, number in rounds_of.items():
            words = ", ".join(map(str, sorted(statuses[kind]))) or "no answer"
            report.figure(f"{kind}: connections, and how they were answered", f"{number}, {words}")
            strange = statuses[kind] - STATUSES[kind]
            report.expect(not strange, f"{kind} was answered with {', '.join(map(str, sorted(strange)))}")
        for _ in cluster.await_until("the end of the connections"):
            if cluster.files() <= files + 4:
                break
        report.figure("open files before and after", f"{files} and {cluster.files()}")
        report.figure(
            "memory before and after each round, MB", ", ".join(f"{memory / 1e6:.0f}" for memory in memories)
        )
        growth = (memories[-1] - memories[1]) / max(1, rounds - 1) / 1e6
        report.limit("memory that a round leaves behind, MB", growth, most=MOST_MEGABYTES)
        cluster.check_health(report)


def measure(cluster, operations, count, report):
    """Measures once: throughput, submissions, and the answers that others get meanwhile."""
    with load.Asking(cluster, "/api/v1/status", 0.05) as asking:
        figures = [load.throughput(cluster, operations), load.submissions(cluster, count)]
    report.expect(not asking.failures, f"{len(asking.failures)} requests of others failed: {asking.failures[:1]}")
    return [*figures, (quantile(asking.times, 0.5) or 0) * 1000, (quantile(asking.times, 0.99) or 0) * 1000]


def compare(found, report):
    names = [
        "operations a second",
        "submission, 99%, ms",
        "answer to another client, median, ms",
        "answer to another client, 99%, ms",
    ]
    for index, name in enumerate(names):
        medians = [median([values[index] for values in found[place]]) for place in (NOWHERE, ELSEWHERE, HERE)]
        report.figure(f"{name}: crowd nowhere, elsewhere, here", ", ".join(f"{value:,.2f}" for value in medians))
        ratio = median([here[index] / max(there[index], 1e-9) for there, here in zip(found[ELSEWHERE], found[HERE])])
        if index == 0:
            report.limit(f"{name}: here, of elsewhere", ratio, least=LEAST_THROUGHPUT)
        else:
            report.limit(f"{name}: here, of elsewhere", ratio, most=MOST_SLOWER)
