"""What the step page of scripts/windows looks at: jobs in each state, on a cluster that changes only when it is told to."""

import contextlib
import json
import os

from cluster import Failure

LARGE = 20_000
LINES_OF_LOG = 3
# An operation of the large running job goes on until the file "gate" has its number.
GATED = 'until [ "$(cat gate)" -ge {} ]; do sleep 0.1; done'
DIVERGES = """echo "trying rate {}"
case {} in
  0.3) echo "Traceback:" >&2; echo "ValueError: rate {} diverges" >&2; exit 3 ;;
  0.7) kill -9 $$ ;;
  0.9) echo "ValueError: rate {} diverges" >&2; exit 3 ;;
esac"""


class Scene:
    """The jobs of a cluster with two workers, and a third for the large running job."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.open_gate(20)
        self.start_worker("hall", slots=2, label="place=hall")
        cluster.baton("bench", "array", "--coordinator", cluster.address, "--operations", str(LARGE), "--json")
        self.large = cluster.document("list")["jobs"][0]["job"]
        self.running = self.submit(
            "--name", "slow-sweep", "--label", "place=hall", "--array", f"1-{LARGE}", "--", "sh", "-c", GATED
        )
        self.steps = self.submit_graph(
            "three steps",
            [
                {"name": "fetch", "command": ["sh", "-c", "echo fetched; printf '\\033[31mred\\033[0m plain\\n'"]},
                {"name": "count", "command": ["sh", "-c", 'echo 42 >"$BATON_RESULT"'], "needs": ["fetch"]},
                {"name": "publish", "command": ["sh", "-c", "seq 1 2000"], "needs": ["count"], "queue": "web"},
            ],
        )
        self.sweep = self.submit(
            "--name", "sweep", "--each", "0.1,0.3,0.5,0.7,0.9", "--tag", "model=small", "--", "sh", "-c", DIVERGES
        )
        self.story = self.submit_graph(
            "story",
            [
                {
                    "name": "flaky",
                    "command": ["sh", "-c", 'echo "attempt $BATON_ATTEMPT" >&2; exit 4'],
                    "retries": 2,
                    "retryDelay": "10ms",
                },
                {"name": "never", "command": ["true"], "needs": ["flaky"]},
                {"name": "mail", "command": ["true"], "onFailure": ["flaky"]},
                {"name": "unneeded", "command": ["true"], "onFailure": ["mail"]},
            ],
        )
        self.mars = self.submit("--name", "for-mars", "--label", "zone=mars", "--", "true")
        self.held = self.submit("--name", "kept-back", "--hold", "--", "true")
        cluster.baton("queue", "set", "nightly", "--suspended", "--max-concurrent", "3")
        self.nightly = self.submit("--name", "nightly", "--queue", "nightly", "--array", "1-4", "--", "true")
        self.lost = self.lose_worker()
        for job in (self.steps, self.sweep, self.story):
            with contextlib.suppress(Failure):
                cluster.baton("wait", str(job))
        self.await_counts(self.running, succeeded=20, executing=2)

    def submit(self, *arguments):
        return int(self.cluster.baton("submit", *arguments))

    def submit_graph(self, name, operations):
        text = json.dumps({"name": name, "operations": operations}).encode()
        return int(self.cluster.baton("submit", "--file", "-", input=text))

    def start_worker(self, name, slots=1, label=None):
        arguments = ["worker", "--name", name, "--slots", str(slots), "--memory-control", "sampling"]
        return self.cluster.spawn(arguments + (["--label", label] if label else []))

    def end_worker(self, process):
        process.kill()
        process.wait()
        self.cluster.processes.remove(process)

    def open_gate(self, number):
        """Lets the large running job finish so many operations."""
        new = self.cluster.home / "gate.new"
        new.write_text(str(number))
        os.replace(new, self.cluster.home / "gate")

    def job(self, job):
        return self.get(f"/jobs/{job}")

    def get(self, path):
        """A document of the interface."""
        answer = self.cluster.get("/api/v1" + path)
        if answer.status != 200:
            raise Failure(f"{path} has {answer}")
        return answer.json

    def await_counts(self, job, **counts):
        """Waits until a job has so many operations in some states."""
        for _ in self.cluster.await_until(f"job {job} with {counts}"):
            if counts.items() <= self.job(job)["counts"].items():
                return

    def lose_worker(self):
        """Kills a worker with an operation, which runs again on another one."""
        first = self.start_worker("first", label="place=away")
        job = self.submit(
            "--name", "traveller", "--label", "place=away", "--", "sh", "-c", 'test "$BATON_ATTEMPT" != 1 || sleep 600'
        )
        self.await_counts(job, executing=1)
        self.end_worker(first)
        self.start_worker("second", label="place=away")
        self.cluster.baton("wait", str(job))
        return job

    def following(self, name, *arguments):
        """Starts an operation that prints what is written to a pipe; returns its job, and the pipe."""
        path = self.cluster.home / f"{name}.pipe"
        os.mkfifo(path)
        job = self.submit("--name", name, *arguments, "--", "cat", str(path))
        # A pipe for both directions opens at once, and has no end until it is closed.
        return job, os.fdopen(os.open(path, os.O_RDWR), "wb", buffering=0)
