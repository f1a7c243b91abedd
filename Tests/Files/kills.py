"""Kills a coordinator and workers at random while a graph of operations with files runs, and checks what became of it.

    kills.py PROGRAM KILLS OPERATIONS SEED

It starts a coordinator and four workers, each with a directory of its own, and submits one job. Each operation makes files out of those
of its dependencies. What is killed starts again; of the workers, two of five start with an empty directory, so that their files are
lost. In the end

  - the job has succeeded, and each file has the bytes that it has to have;
  - no operation has run again whose files were still there: neither the worker that made them nor one that had got them for a dependent
    still had its directory;
  - no operation has run again for another reason than a kill.

A run without any progress for three minutes has failed. The exit status is 1 then and after each broken promise, and the directory with
the journal and the logs stays.
"""
import collections
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

WORKERS, SLOTS = 4, 2
SECOND = 1_000_000_000
# News of a copy may be on its way to the coordinator when the last other copy is lost.
NEWS = 2 * SECOND
LONGEST_SILENCE = 180

# Notes the start, makes the files, and notes the end. The bytes follow from the name and from all inputs.
SCRIPT = r"""
set -eu
name=$1 milliseconds=$2; shift 2
echo "S $BATON_OPERATION $BATON_ATTEMPT $TEST_DISK $(date +%s%N)" >>"$TEST_JOURNAL"
seed=$({ echo "$name"; cd "$BATON_INPUTS"; find -L . -type f | LC_ALL=C sort | xargs -r cat; } | sha256sum | cut -c 1-64)
number=0
for size; do
  { yes "$seed $number" || :; } 2>/dev/null | head -c "$size" >"out.$number"
  number=$((number + 1))
done
sleep "$(printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000)))"
echo "E $BATON_OPERATION $BATON_ATTEMPT $TEST_DISK $(date +%s%N)" >>"$TEST_JOURNAL"
"""


class Plan:
    """The operations of the graph: their dependencies, the sizes of their files, and how long they last."""

    def __init__(self, count, rng):
        self.needs, self.sizes, self.milliseconds = [], [], []
        for place in range(count):
            near = range(max(0, place - 40), place)
            self.needs.append(sorted(rng.sample(near, min(len(near), rng.choice([0, 1, 1, 2, 3])))))
            self.sizes.append([rng.choice([0, 1, 100, 10_000, 70_000, 200_001, 600_000]) for _ in range(rng.randint(1, 3))])
            self.milliseconds.append(rng.choice([0, 0, 0, 20, 100, 300]))

    def graph(self, script):
        """The graph file."""
        return json.dumps({
            "name": "kills", "defaults": {"workspace": "fresh", "outputs": ["out.*"]},
            "operations": [{
                "name": f"o{place}", "needs": [f"o{need}" for need in needs],
                "command": ["sh", script, f"o{place}", str(self.milliseconds[place]), *map(str, self.sizes[place])],
            } for place, needs in enumerate(self.needs)],
        })

    def digests(self):
        """The digest of each file, by operation and name."""
        contents, found = [], {}
        for place, needs in enumerate(self.needs):
            inputs = sorted((f"./o{need}/{name}".encode(), data) for need in needs for name, data in contents[need])
            seed = hashlib.sha256(f"o{place}\n".encode() + b"".join(data for _, data in inputs)).hexdigest()
            own = []
            for number, size in enumerate(self.sizes[place]):
                line = f"{seed} {number}\n".encode()
                own.append((f"out.{number}", (line * (size // len(line) + 1))[:size]))
                found[place, f"out.{number}"] = hashlib.sha256(own[-1][1]).hexdigest()
            contents.append(own)
            # Nothing further needs the older ones.
            if place > 100:
                contents[place - 100] = None
        return found


class Cluster:
    """The processes, and what was done to them."""

    def __init__(self, program, directory):
        self.program, self.directory = program, directory
        self.journal = f"{directory}/journal"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        self.environment |= {"BATON_HOME": f"{directory}/home", "BATON_COORDINATOR": self.address, "BATON_CHECK_INVARIANTS": "1"}
        self.processes, self.disks, self.lives = {}, {}, collections.Counter()
        # When a disk's worker was killed, when a disk was emptied, and when the coordinator was killed.
        self.kills, self.emptied, self.coordinator_kills = collections.defaultdict(list), {}, []
        open(self.journal, "w").close()
        self.run("authorize", "--role", "viewer", "--address", self.address, "spectator")
        keys = f"{directory}/home/keys"
        self.key = next(f"{keys}/{name}" for name in os.listdir(keys) if name.endswith(".worker"))

    def run(self, *arguments, check=True):
        """Runs a command, and returns what it prints."""
        result = subprocess.run(
            [self.program, *arguments], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        if check and result.returncode != 0:
            raise SystemExit(f"baton {' '.join(arguments)} ended with {result.returncode}: {result.stderr}")
        return result.stdout

    def start(self, name):
        """Starts the coordinator or a worker."""
        environment = dict(self.environment)
        if name == "coordinator":
            arguments = ["coordinator", "--listen", self.address, "--http", "off", "--lost-after", "2m"]
        else:
            disk = self.disks.setdefault(name, f"{name}-1")
            environment["BATON_KEY_FILE"] = self.key
            arguments = [
                "worker", "--name", name, "--slots", str(SLOTS), "--home", f"{self.directory}/disks/{disk}", "--replace",
                "--memory-control", "sampling", "--env", f"TEST_DISK={disk}", "--env", f"TEST_JOURNAL={self.journal}",
            ]
        self.lives[name] += 1
        with open(f"{self.directory}/logs/{name}-{self.lives[name]}", "w") as log:
            self.processes[name] = subprocess.Popen(
                [self.program, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def kill(self, name, empties):
        """Kills a process, and empties the disk of a worker."""
        process = self.processes[name]
        if process.poll() is not None:
            raise SystemExit(f"{name} has ended by itself with {process.returncode}: see logs/{name}-{self.lives[name]}.")
        process.kill()
        process.wait()
        now = time.time_ns()
        if name == "coordinator":
            self.coordinator_kills.append(now)
            return
        disk = self.disks[name]
        self.kills[disk].append(now)
        if empties:
            self.emptied[disk] = now
            shutil.rmtree(f"{self.directory}/disks/{disk}", ignore_errors=True)
            self.disks[name] = f"{name}-{int(disk.split('-')[1]) + 1}"

    def end(self):
        """Ends all processes in order, the coordinator last."""
        for name in sorted(self.processes, reverse=True):
            process = self.processes[name]
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(120)
            except subprocess.TimeoutExpired:
                raise SystemExit(f"{name} has not ended for two minutes after SIGTERM.") from None

    def abandon(self):
        """Kills what is left."""
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()


def harm(cluster, kills, operations, rng, is_over):
    """Kills until there were enough kills or the job is over; returns how often what was killed."""
    counts = collections.Counter()
    length = lambda: os.path.getsize(cluster.journal)
    # An operation notes some 80 bytes.
    gap = max(1, operations * 80 * 4 // 5 // max(1, kills))
    while sum(counts.values()) < kills and not is_over.is_set():
        goal, deadline = length() + rng.randint(0, 2 * gap), time.monotonic() + rng.uniform(1, 6)
        while length() < goal and time.monotonic() < deadline and not is_over.is_set():
            time.sleep(0.005)
        if is_over.is_set():
            break
        name = "coordinator" if rng.random() < 0.15 else f"w{rng.randint(1, WORKERS)}"
        empties = name != "coordinator" and rng.random() < 0.4
        cluster.kill(name, empties)
        counts["coordinator" if name == "coordinator" else "worker with its disk" if empties else "worker"] += 1
        time.sleep(rng.uniform(0, 0.3))
        cluster.start(name)
    return counts


def read_journal(path):
    """The executions of each operation in the order of their starts: start, end or None, attempt, disk."""
    open_ones, executions = {}, collections.defaultdict(list)
    for line in open(path):
        kind, operation, attempt, disk, moment = line.split()
        if kind == "S":
            execution = {"start": int(moment), "end": None, "attempt": int(attempt), "disk": disk}
            open_ones[operation, attempt, disk] = execution
            executions[operation].append(execution)
        else:
            open_ones[operation, attempt, disk]["end"] = int(moment)
    for list_of_one in executions.values():
        list_of_one.sort(key=lambda execution: execution["start"])
    return executions


def objection(place, before, after, copies, reasons, cluster):
    """Why an execution after another one was not needed, as a sentence; None if it was, with the reason."""
    killed = [moment for moment in cluster.kills[before["disk"]] if before["start"] <= moment <= after["start"]]
    reason = reasons.get(before["attempt"])
    if before["end"] is not None and reason is not None and "files" in reason:
        emptied = [cluster.emptied[disk] for disk, _ in copies if cluster.emptied.get(disk, after["start"] + 1) <= after["start"]]
        if not emptied:
            return f"o{place} ran again for lost files, but no disk with a copy was emptied before.", None
        for disk, since in copies:
            if since + NEWS <= max(emptied) and disk not in cluster.emptied:
                return f"o{place} ran again although {disk} still had its files.", None
            if since + NEWS <= max(emptied) and cluster.emptied[disk] > after["start"]:
                return f"o{place} ran again before {disk} had lost its files.", None
        return None, "lost files"
    if killed:
        return None, "killed worker"
    if before["end"] is not None and any(before["start"] <= moment <= after["start"] for moment in cluster.coordinator_kills):
        return None, "killed coordinator"
    return f"o{place} ran again as attempt {after['attempt']} without a reason: {reason}.", None


def check(cluster, plan, job):
    """The broken promises, in sentences, and the number of repeated executions by reason."""
    wrong, reasons_of_all = [], collections.Counter()
    shown = json.loads(cluster.run("show", job, "--json"))["operations"]
    for operation in shown:
        if operation["outcome"] != "succeeded":
            wrong.append(f"{operation['name']} has ended as {operation['outcome']}: {operation['message']}")
    expected = plan.digests()
    listed = {}
    for file in json.loads(cluster.run("files", job, "--json"))["files"]:
        listed[int(file["operation"].split("/")[1]), file["path"]] = file["digest"]
    for file in sorted(expected.keys() | listed.keys()):
        if expected.get(file) != listed.get(file):
            wrong.append(f"The file {file[1]} of o{file[0]} has the digest {listed.get(file)} instead of {expected.get(file)}.")
    executions = read_journal(cluster.journal)
    dependents = collections.defaultdict(list)
    for place, needs in enumerate(plan.needs):
        for need in needs:
            dependents[need].append(place)
    for place in range(len(plan.needs)):
        own = executions[f"{job}/{place}"]
        if not own:
            wrong.append(f"o{place} has never run.")
        if len(own) < 2:
            continue
        attempts = json.loads(cluster.run("show", f"{job}/{place}", "--json"))["attempts"] or []
        reasons = {attempt["attempt"]: f"{attempt['reason']}: {attempt['message']}" for attempt in attempts}
        for before, after in zip(own, own[1:]):
            copies = [(one["disk"], one["end"]) for one in own if one["end"] is not None and one["end"] < after["start"]]
            copies += [
                (one["disk"], one["start"]) for dependent in dependents[place] for one in executions[f"{job}/{dependent}"]
                if one["start"] < after["start"]
            ]
            sentence, reason = objection(place, before, after, copies, reasons, cluster)
            if sentence:
                wrong.append(sentence)
            else:
                reasons_of_all[reason] += 1
    return wrong, reasons_of_all


def main():
    program, kills, operations, seed = sys.argv[1], *map(int, sys.argv[2:5])
    rng = random.Random(seed)
    directory = tempfile.mkdtemp(prefix=f"baton-files-{seed}-")
    for name in ["logs", "disks", "home"]:
        os.mkdir(f"{directory}/{name}")
    print(f"seed {seed}: {operations} operations with files on {WORKERS} workers of {SLOTS} slots, {kills} kills", flush=True)
    plan = Plan(operations, rng)
    for name, text in [("operation", SCRIPT), ("graph.json", plan.graph(f"{directory}/operation"))]:
        with open(f"{directory}/{name}", "w") as file:
            file.write(text)
    cluster = Cluster(program, directory)
    is_over, counts, trouble = threading.Event(), collections.Counter(), []

    def do_harm():
        try:
            counts.update(harm(cluster, kills, operations, rng, is_over))
        except SystemExit as failure:
            trouble.append(str(failure))

    wrong = []
    harming = threading.Thread(target=do_harm)
    try:
        for name in ["coordinator", *(f"w{number}" for number in range(1, WORKERS + 1))]:
            cluster.start(name)
        job = cluster.run("submit", "--quiet", "--file", f"{directory}/graph.json").strip()
        begin = time.monotonic()
        harming.start()
        waiting = subprocess.Popen(
            [program, "wait", job, "--quiet"], env=cluster.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        length, since = -1, time.monotonic()
        try:
            while waiting.poll() is None and not trouble:
                time.sleep(0.1)
                if os.path.getsize(cluster.journal) != length:
                    length, since = os.path.getsize(cluster.journal), time.monotonic()
                elif time.monotonic() - since > LONGEST_SILENCE:
                    explanation = cluster.run("explain", job, check=False)
                    trouble.append(f"For {LONGEST_SILENCE} s nothing happened, and the job is not over: {explanation}")
        finally:
            is_over.set()
            harming.join()
            if waiting.poll() is None:
                waiting.kill()
            waiting.wait()
        wrong = trouble
        again = collections.Counter()
        if not trouble:
            wrong, again = check(cluster, plan, job)
            cluster.end()
        executions = sum(map(len, read_journal(cluster.journal).values()))
        for what, count in [*sorted(counts.items()), ("executions", executions), *sorted(again.items())]:
            print(f"{count:8}  {what}")
        print(f"{time.monotonic() - begin:8.0f}  seconds")
        if not wrong and sum(counts.values()) < kills:
            print("The job was over before all kills: give more operations for so many.")
    except SystemExit:
        print(f"journal and logs: {directory}")
        raise
    finally:
        is_over.set()
        if harming.ident is not None:
            harming.join()
        cluster.abandon()
    if wrong:
        print(f"verdict: {len(wrong)} broken promises", *wrong[:20], f"journal and logs: {directory}", sep="\n  ")
        sys.exit(1)
    shutil.rmtree(directory)
    print("verdict: complete, each file right, and nothing ran again whose files were still there")


main()
