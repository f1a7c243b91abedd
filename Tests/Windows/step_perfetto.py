"""The trace of a job, as Perfetto's own engine understands it."""

import collections
import contextlib
import json
import pathlib
import tempfile

import perfetto_engine
from cluster import Cluster, Failure

WORKERS = "join thread_track t on s.track_id = t.id join thread using (utid) join process p using (upid) where p.name glob 'worker *'"
OVERLAPS = f"""select count(*) from (
  select s.ts as ts, lag(s.ts + s.dur) over (partition by s.track_id order by s.ts, s.dur) as before from slice s {WORKERS}
) where ts < before"""
LANES = """select p.name, count(*) from thread t join process p using (upid)
where p.name glob 'worker *' and t.name glob 'slot *' group by 1"""
SLOTS = 2
# As odd as names may be.
HOSTILE = 'script<b>"\\&{}ä'


def run(report, options):
    count = 10_000 if options.short else 100_000
    with (
        Cluster(workers=2, slots=SLOTS, arguments=["--suspect-after", "1s", "--lost-after", "2s"]) as cluster,
        tempfile.TemporaryDirectory(prefix="baton-windows-") as name,
    ):
        work = pathlib.Path(name)
        cluster.baton("bench", "graph", "--coordinator", cluster.address, "--operations", str(count), "--json")
        job = cluster.document("list")["jobs"][0]
        if not report.expect(
            job["counts"]["succeeded"] == count, f"the job of the benchmark has the counts {job['counts']}"
        ):
            return
        file = fetch(work / "large.json", cluster, job["job"], report)
        check(file, f"{count:,} attempts", report, attempts=count)
        job, dependencies = mixed_job(cluster)
        check(fetch(work / "mixed.json", cluster, job, report), "a job with failures", report, flows=dependencies)
        check(
            fetch(work / "lost.json", cluster, job_with_loss(cluster), report),
            "a job with a lost worker",
            report,
            losses=1,
        )
        cluster.check_health(report)


def content(trace):
    """A trace without the order of its events, and without the newest event, which only HTTP tells."""
    document = json.loads(trace)
    document.pop("seq", None)
    document["traceEvents"] = sorted(json.dumps(event) for event in document["traceEvents"])
    return document


def fetch(file, cluster, job, report):
    """Fetches a trace by HTTP, and checks that the command prints the same."""
    printed = cluster.baton("trace", str(job))
    if cluster.has("/api/v1/jobs/{job}/trace"):
        answer = cluster.get(f"/api/v1/jobs/{job}/trace")
        report.expect(answer.status == 200, f"the trace of job {job}: {answer}")
        report.expect(content(answer.body) == content(printed), f"the trace of job {job} is another one by HTTP than by the command")
        file.write_bytes(answer.body)
    else:
        report.skip("this program has no traces by HTTP; they are those of the command")
        file.write_bytes(printed)
    report.figure(f"trace of job {job}", f"{file.stat().st_size:,} bytes")
    return file


def mixed_job(cluster):
    """Runs a graph with failures, repetitions, skips and odd names; returns its number and how many dependencies it has."""
    operations, dependencies = [], 0
    for index in range(300):
        needs = sorted({f"step{index - distance}" for distance in (1 + index % 7, 11) if index >= distance})
        operation = {"name": f"step{index}", "command": "false" if index % 50 == 49 else "true", "after": needs}
        if index % 50 == 49:
            operation |= {"retries": 2, "retryDelay": "10ms"}
        dependencies += len(needs)
        operations.append(operation)
    operations.append({"name": HOSTILE, "command": ["true"], "onFailure": ["step49"]})
    operations.append({"name": "never", "command": ["true"], "needs": ["step49"]})
    text = json.dumps({"name": HOSTILE, "operations": operations}).encode()
    job = cluster.baton("submit", "--file", "-", input=text).decode().strip()
    with contextlib.suppress(Failure):
        cluster.baton("wait", job)
    # What was skipped has no attempt, and so no arrow leads to it.
    return job, dependencies + 1


def job_with_loss(cluster):
    """Kills a worker with an operation, which runs again on another one; returns the job's number."""

    def start(name):
        return cluster.spawn(
            ["worker", "--name", name, "--slots", "1", "--label", "place=away", "--memory-control", "sampling"]
        )

    first = start("first")
    job = (
        cluster.baton("submit", "--label", "place=away", "--", "sh", "-c", 'test "$BATON_ATTEMPT" != 1 || sleep 600')
        .decode()
        .strip()
    )
    for _ in cluster.await_until("an operation on the worker"):
        if cluster.document("show", job)["counts"]["executing"] == 1:
            break
    first.kill()
    first.wait()
    cluster.processes.remove(first)
    start("second")
    cluster.baton("wait", job)
    return job


def check(file, what, report, attempts=None, flows=None, losses=0):
    """Opens a trace, and compares what the engine has with what the file says."""
    document = json.loads(file.read_bytes())
    events = document["traceEvents"]
    kinds = collections.Counter(event["ph"] for event in events)
    own = [event for event in events if event["ph"] == "X" and event["pid"] != 0]
    report.expect(
        document["otherData"]["shown"] == len(own), f"{what}: shown is {document['otherData']['shown']}, not {len(own)}"
    )
    report.expect(attempts in (None, len(own)), f"{what}: the trace has {len(own)} attempts")
    report.expect(flows in (None, kinds["s"]), f"{what}: the trace has {kinds['s']} arrows, not {flows}")
    with perfetto_engine.opened(file) as engine:
        report.figure(f"{what}: opened by Perfetto in", f"{engine.seconds:.1f} s")
        slices = engine.number(f"select count(*) from slice s {WORKERS} and s.category != '' and s.name is not null")
        instants = kinds["i"] + kinds["I"]
        report.figure(
            f"{what}: slices of workers, arrows, marks",
            f"{slices:,}, {engine.number('select count(*) from flow'):,}, {instants}",
        )
        report.expect(
            slices in (len(own), len(own) + instants), f"{what}: the engine has {slices} of {len(own)} attempts"
        )
        count = engine.number("select count(*) from flow")
        report.expect(count == kinds["s"], f"{what}: the engine has {count} of {kinds['s']} arrows")
        lost = engine.number(f"select count(*) from slice s {WORKERS} and s.category = 'lost' and s.dur > 0")
        report.expect(lost == losses, f"{what}: the engine has {lost} lost attempts, not {losses}")
        report.expect(losses <= instants, f"{what}: no mark tells of the loss")
        overlaps = engine.number(OVERLAPS)
        report.expect(overlaps == 0, f"{what}: {overlaps} slices overlap others of their thread")
        nested = engine.number(f"select count(*) from slice s {WORKERS} and s.depth > 0 and s.dur > 0")
        report.expect(nested == 0, f"{what}: {nested} slices are drawn below others of their thread")
        faults = engine.rows("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
        report.expect(not faults, f"{what}: the engine reports {faults}")
        counters = {row[0] for row in engine.rows("select distinct name from counter_track")}
        report.expect(
            {"executing", "ready"} <= {name.split()[0] for name in counters}, f"{what}: the counters are {counters}"
        )
        lanes = engine.rows(LANES)
        report.figure(f"{what}: lanes", ", ".join(f"{name}: {number}" for name, number in lanes))
        report.expect(
            lanes and all(number <= SLOTS for _, number in lanes), f"{what}: the lanes exceed the slots: {lanes}"
        )
        if flows is not None:
            names = engine.rows("select name from slice where name glob 'script*' limit 1")
            report.expect(names and names[0][0] == HOSTILE, f"{what}: a name has become {names}")
