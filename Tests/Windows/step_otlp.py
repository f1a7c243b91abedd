"""The spans of baton otlp, as a receiver gets them that is away for a while, from a cluster that loses a worker."""

import json
import signal
import subprocess

from cluster import Cluster
from otlp_receiver import Receiver, values

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
# What each attempt says of itself, on the disk, so that it is known of lost attempts too.
SAY = 'echo "$BATON_OPERATION $BATON_ATTEMPT $TRACEPARENT" >> said; '
RESULTS = {"success", "failure", "timeout", "skip", "cancellation"}


def graph(count):
    """A job with each way in which operations and attempts end."""
    return {
        "name": "study",
        "operations": [
            {"name": "fetch", "command": SAY + "true"},
            {"name": "flaky", "command": SAY + "test $BATON_ATTEMPT = 3", "retries": 3, "retryDelay": "1ms"},
            {"name": "tile", "array": f"1-{count}", "needs": ["fetch", "flaky"], "command": SAY + "true"},
            {"name": "join", "needs": ["tile"], "command": SAY + "true"},
            {"name": "slow", "command": SAY + "sleep 100", "timeout": "100ms"},
            {"name": "bad", "command": SAY + "exit 3"},
            {"name": "never", "needs": ["bad"], "command": SAY + "true"},
            {"name": "after", "needs": ["never"], "command": SAY + "true"},
            {"name": "alarm", "onFailure": ["bad"], "command": SAY + "true"},
            {"name": "signal", "command": SAY + "kill -9 $$"},
            {"name": "held", "command": SAY + "true", "hold": True},
            {"name": "stopped", "command": SAY + "touch stopping; sleep 100"},
            {"name": "long", "command": SAY + "test $BATON_ATTEMPT != 1 || { touch running; sleep 100; }"},
        ],
    }


class Exporter:
    """A baton otlp in the background; its lines tell how far it has come."""

    def __init__(self, cluster, receiver, *arguments):
        self.lines = open(cluster.home / "positions", "ab")
        self.errors = open(cluster.home / "otlp.log", "ab")
        self.process = subprocess.Popen(
            [cluster.program, "otlp", "--json", "--endpoint", receiver.url, *arguments],
            env=cluster.environment,
            stdin=subprocess.DEVNULL,
            stdout=self.lines,
            stderr=self.errors,
        )
        cluster.processes.append(self.process)

    def end(self, number):
        """Ends the process by a signal; returns its status."""
        self.process.send_signal(number)
        status = self.process.wait(60)
        self.lines.close()
        self.errors.close()
        return status


def position(cluster):
    """The last number that an exporter has told; 0 if it has told none."""
    lines = (cluster.home / "positions").read_text().splitlines()
    return json.loads(lines[-1])["seq"] if lines else 0


def run(report, options):
    count = 100 if options.short else 3000
    with Receiver() as receiver, Receiver() as other, Cluster(workers=2, slots=4) as cluster:
        exporter = Exporter(cluster, receiver, "--since", "0")
        jobs = [submit(cluster, graph(count))]
        lose_a_worker(cluster)
        receiver.mode = "503"
        cluster.environment["TRACEPARENT"] = PARENT
        jobs.append(int(cluster.baton("submit", "--retries", "1", "--", "sh", "-c", SAY + "exit 1")))
        opened = cluster.document("submit", "--open", "--name", "sweep")["job"]
        del cluster.environment["TRACEPARENT"]
        await_turned_away(cluster, receiver)
        receiver.mode = "drops"
        cluster.baton("submit", "--job", str(opened), "--array", "1-5", "--", "sh", "-c", SAY + "true")
        cluster.baton("close", str(opened))
        jobs.append(opened)
        await_turned_away(cluster, receiver)
        receiver.mode = "takes"
        report.expect(exporter.process.poll() is None, "the exporter has ended while its receiver was away")

        # An exporter that is killed is started again at the position that it has told last.
        status = exporter.end(signal.SIGKILL)
        report.expect(status == -signal.SIGKILL, f"the exporter has ended before, with status {status}")
        jobs.append(submit(cluster, graph(7)))
        lose_a_worker(cluster)
        exporter = Exporter(cluster, receiver, "--since", str(position(cluster)))
        for job in jobs:
            subprocess.run([cluster.program, "wait", str(job)], env=cluster.environment, capture_output=True)
        expected = {attempt for job in jobs for attempt in ended_attempts(cluster, job)}
        for _ in cluster.await_until("the arrival of all spans"):
            with receiver.lock:
                if expected <= set(arrived(receiver)) and all(root(receiver, job) for job in jobs):
                    break
        status = exporter.end(signal.SIGTERM)
        report.expect(status == 143, f"the exporter ends with status {status} at SIGTERM")
        check(report, cluster, receiver, jobs, expected)

        # The same from the histories alone, under the same identities.
        cluster.baton("otlp", "--once", "--endpoint", other.url)
        report.expect(
            set(other.spans) == set(receiver.spans), "an export of the histories has other spans than one of the events"
        )
        report.expect(
            all(len(arrivals) == 1 for arrivals in other.spans.values()), "an export of the histories has a span twice"
        )
        cluster.baton("otlp", "--once", "--job", str(jobs[1]), "--endpoint", other.url)
        again = {key for key, arrivals in other.spans.items() if len(arrivals) == 2}
        report.expect(len(again) == 3, f"an export of one job has {len(again)} spans, and not 3")
        cluster.processes = [process for process in cluster.processes if process.poll() is None]
        cluster.check_health(report)


def submit(cluster, graph):
    """Submits a job, holds nothing back but what is to be cancelled, and cancels that."""
    for name in ("running", "stopping"):
        (cluster.home / name).unlink(missing_ok=True)
    job = json.loads(cluster.baton("submit", "--file", "-", "--json", input=json.dumps(graph).encode()))["job"]
    for _ in cluster.await_until("operations that run"):
        if (cluster.home / "running").exists() and (cluster.home / "stopping").exists():
            break
    cluster.baton("cancel", f"{job}/held", f"{job}/stopped")
    return job


def lose_a_worker(cluster):
    """Kills the worker of the operation "long" of the last job, and starts another one in its place."""
    operations = cluster.document("show", "last")["operations"]
    operation = next(operation for operation in operations if operation["name"] == "long")
    name = operation["worker"]
    process = next(process for process in cluster.processes if process.args[1:4] == ["worker", "--name", name])
    process.kill()
    process.wait()
    cluster.processes.remove(process)
    cluster.spawn(["worker", "--name", name, "--slots", "4", "--memory-control", "sampling"])


def await_turned_away(cluster, receiver):
    before = receiver.turned_away
    for _ in cluster.await_until("a request to a receiver that is away"):
        if receiver.turned_away > before:
            return


def ended_attempts(cluster, job):
    """The attempts of a finished job by (operation, attempt), as its trace has them."""
    trace = json.loads(cluster.baton("trace", str(job)))
    return {
        (event["args"]["operation"], event["args"]["attempt"])
        for event in trace["traceEvents"]
        if "attempt" in event.get("args", {})
    }


def arrived(receiver):
    """The spans of attempts and operations by (operation, attempt), each a list of distinct keys."""
    found = {}
    for key, arrivals in receiver.spans.items():
        attributes = values(arrivals[0].attributes)
        if "cicd.pipeline.task.run.id" in attributes:
            place = (attributes["cicd.pipeline.task.run.id"], attributes["baton.attempt"])
            found.setdefault(place, []).append(key)
    return found


def root(receiver, job):
    """The keys of the root spans of a job."""
    found = []
    for key, arrivals in receiver.spans.items():
        attributes = values(arrivals[0].attributes)
        if attributes["cicd.pipeline.run.id"] == str(job) and "cicd.pipeline.task.run.id" not in attributes:
            found.append(key)
    return found


def check(report, cluster, receiver, jobs, expected):
    report.expect(not receiver.complaints, f"the receiver complains: {receiver.complaints[:3]}")
    report.expect(all(path == "/v1/traces" for path, _ in receiver.requests), "a request has another path")
    found = arrived(receiver)
    report.expect(set(found) >= expected, f"attempts without a span: {sorted(expected - set(found))[:5]}")
    without = {place for place in found if place[1] == 0}
    report.expect(
        set(found) - without == expected, f"spans without an attempt: {sorted(set(found) - without - expected)[:5]}"
    )
    report.expect(
        len(without) == 6, f"operations without an attempt: {sorted(without)}, and not held, never and after of two jobs"
    )
    report.expect(all(len(keys) == 1 for keys in found.values()), "an attempt has spans with two ids")
    said = dict(
        ((operation, int(attempt)), context)
        for operation, attempt, context in (line.split() for line in (cluster.home / "said").read_text().splitlines())
    )
    report.expect(len(said) > len(expected) / 2, f"only {len(said)} attempts have said what their span is")
    report.expect(set(said) <= set(found), f"attempts that ran have no span: {sorted(set(said) - set(found))[:5]}")
    for place, context in said.items():
        _, trace, span, flags = context.split("-")
        if place in found and (found[place][0] != (trace, span) or flags != "01"):
            report.expect(False, f"attempt {place} has the span {found[place][0]} and says {context}")
            break
    roots = {job: root(receiver, job) for job in jobs}
    report.expect(all(len(keys) == 1 for keys in roots.values()), f"jobs have other than one root span: {roots}")
    results, kinds, links = set(), set(), 0
    for (trace, _), arrivals in receiver.spans.items():
        report.checks += 1
        first = arrivals[0]
        attributes = values(first.attributes)
        job = int(attributes["cicd.pipeline.run.id"])
        if any(arrival != first for arrival in arrivals):
            report.expect(False, f"a span differs when it is exported again: {first}")
        if trace != roots[job][0][0]:
            report.expect(False, f"a span of job {job} is in another trace: {first}")
        parent = (trace, first.parent_span_id.hex())
        is_root = "cicd.pipeline.task.run.id" not in attributes
        if is_root and job in jobs[1:3]:
            report.expect(parent == tuple(PARENT.split("-")[1:3]), f"job {job} has the parent {parent}")
        elif is_root:
            report.expect(first.parent_span_id == b"", f"job {job} has a parent")
        elif parent not in receiver.spans:
            report.expect(False, f"a span has a parent that does not exist: {first}")
        for link in first.links:
            links += 1
            if (link.trace_id.hex(), link.span_id.hex()) not in receiver.spans:
                report.expect(False, f"a link leads to no span: {first}")
        if not is_root:
            results.add(attributes["cicd.pipeline.task.run.result"])
            kinds.add(first.kind)
        if (first.status.code == 2) != ("error.type" in attributes):
            report.expect(False, f"an error has no type, or the other way round: {first}")
        if first.end_time_unix_nano < first.start_time_unix_nano:
            report.expect(False, f"a span ends before it begins: {first}")
    report.expect(results == RESULTS, f"the results are {results}")
    report.expect(kinds == {5}, f"the kinds of attempts are {kinds}")
    first = [arrivals[0] for (trace, _), arrivals in receiver.spans.items() if trace == roots[jobs[0]][0][0]]
    joined = next(span for span in first if span.name == "join")
    # An element that was lost with the killed worker has two spans.
    tiles = len({values(span.attributes)["cicd.pipeline.task.run.id"] for span in first if span.name == "tile"})
    report.expect(
        len(joined.links) == min(tiles, 128) and joined.dropped_links_count == max(0, tiles - 128),
        f"join has {len(joined.links)} links, and {joined.dropped_links_count} left out, to {tiles} tiles",
    )
    report.figure("spans, and how often they came", f"{len(receiver.spans)}, {sum(map(len, receiver.spans.values()))}")
    report.figure("requests taken, and turned away", f"{len(receiver.requests)}, {receiver.turned_away}")
    report.figure("links", str(links))
