"""A coordinator and workers as real processes, for one step of scripts/windows."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import urllib.parse


class Failure(Exception):
    """The reason why a step cannot go on."""


class Answer:
    """An answer of the web interface, and how long it took in seconds."""

    def __init__(self, status, headers, body, seconds):
        self.status = status
        self.headers = headers
        self.body = body
        self.seconds = seconds

    @property
    def json(self):
        return json.loads(self.body)

    def __str__(self):
        return f"status {self.status}: {self.body[:300].decode(errors='replace')}"


class Cluster:
    """A cluster in a directory of its own; leaving the with block ends all processes and removes the directory."""

    def __init__(self, workers=1, slots=2, http="127.0.0.1:0", arguments=()):
        self.program = os.environ["BATON"]
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="baton-windows-"))
        self.has_http = http != "off"
        self.workers = workers
        self.slots = slots
        self.arguments = ["--http", http, *arguments]
        self.processes = []
        self.log = self.home / "log"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON")}
        self.environment |= {"BATON_HOME": str(self.home), "NO_COLOR": "1"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and self.log.exists():
            lines = self.log.read_text(errors="replace").splitlines()
            print(
                "\n".join(["  --- the processes' last lines", *(f"  {line[:300]}" for line in lines[-10:])]), flush=True
            )
        self.remove()

    def start(self):
        """Starts the coordinator, and the workers as soon as it listens."""
        arguments = ["coordinator", "--listen", "tcp://127.0.0.1:*", *self.arguments]
        self.coordinator = self.spawn(arguments)
        line = self.await_line("coordinator: listening address=")
        self.environment["BATON_COORDINATOR"] = self.address = line.split("address=")[1].split()[0]
        for index in range(self.workers):
            self.spawn(
                ["worker", "--name", f"w{index + 1}", "--slots", str(self.slots), "--memory-control", "sampling"]
            )
        for _ in self.await_until("the workers"):
            if self.log.read_text(errors="replace").count("welcomed by the coordinator") >= self.workers:
                break
        if self.has_http:
            document = self.document("dashboard")
            self.url, self.token = document["url"].rstrip("/"), document["token"]
            parts = urllib.parse.urlsplit(self.url)
            self.host, self.port = parts.hostname, parts.port

    def spawn(self, arguments):
        """Starts a process of the program, whose errors go to the log."""
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                [self.program, *arguments],
                env=self.environment,
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process

    def await_until(self, what, seconds=120):
        """Yields until the caller breaks off, with a pause each time; fails when the coordinator has ended or time is up."""
        deadline = time.monotonic() + seconds
        while True:
            yield
            if self.coordinator.poll() is not None:
                raise Failure(f"The coordinator has ended with status {self.coordinator.returncode} before {what}.")
            if time.monotonic() > deadline:
                raise Failure(f"After {seconds} s, {what} did not come about.")
            time.sleep(0.02)

    def await_line(self, text):
        for _ in self.await_until(f'a line with "{text}"'):
            for line in self.log.read_text(errors="replace").splitlines():
                if text in line:
                    return line

    def baton(self, *arguments, input=None, timeout=600):
        """Runs a command to its end, and returns its output; fails if the command does."""
        done = subprocess.run(
            [self.program, *arguments],
            env=self.environment,
            cwd=self.home,
            input=input,
            capture_output=True,
            timeout=timeout,
        )
        if done.returncode != 0:
            raise Failure(
                f"baton {' '.join(arguments)} ends with status {done.returncode}: {done.stderr.decode()[-500:].strip()}"
            )
        return done.stdout

    def document(self, *arguments):
        return json.loads(self.baton(*arguments, "--json"))

    def request(self, method, path, body=None, token=None, headers=None, timeout=120):
        """Sends a request on a connection of its own; the token is that of the home unless another is given."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        headers = {"Authorization": f"Bearer {token or self.token}"} | (headers or {})
        if body is not None:
            headers["Content-Type"] = "application/json"
        begin = time.perf_counter()
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            content = answer.read()
            return Answer(answer.status, answer.headers, content, time.perf_counter() - begin)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def has(self, path):
        """Whether the description of the interface has a path; what is outside /api is asked for."""
        if path.startswith("/api/"):
            return path in self.get("/api/v1/openapi.json").json["paths"]
        return self.get(path).status != 404

    # What the coordinator takes.

    def cpu(self):
        """The coordinator's processor time so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self.coordinator.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, field="VmRSS"):
        """The coordinator's memory in bytes: now, or at its highest (VmHWM)."""
        for line in pathlib.Path(f"/proc/{self.coordinator.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise Failure(f"The coordinator has no {field}.")

    def forget_peak(self):
        """Lets the highest memory (VmHWM) begin with that of now."""
        pathlib.Path(f"/proc/{self.coordinator.pid}/clear_refs").write_text("5")

    def files(self):
        """How many files the coordinator has open."""
        return len(os.listdir(f"/proc/{self.coordinator.pid}/fd"))

    # The end.

    def check_health(self, report):
        """Checks that the coordinator lives, works, ends in order, and leaves a sound record."""
        report.expect(self.coordinator.poll() is None, "the coordinator has ended")
        for command in (["status"], ["doctor"], ["run", "--", "true"]):
            try:
                self.baton(*command)
                report.expect(True, "")
            except (Failure, subprocess.TimeoutExpired) as error:
                report.expect(False, str(error))
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                status = process.wait(120)
                report.expect(status == 0, f"{process.args[1]} ends with status {status}")
            except subprocess.TimeoutExpired:
                report.expect(False, f"{process.args[1]} does not end")
        with contextlib.closing(sqlite3.connect(f"file:{self.home}/baton.db?mode=ro", uri=True)) as record:
            verdict = record.execute("pragma integrity_check").fetchone()[0]
        report.expect(verdict == "ok", f"the record is damaged: {verdict}")

    def remove(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        for process in self.processes:
            process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
