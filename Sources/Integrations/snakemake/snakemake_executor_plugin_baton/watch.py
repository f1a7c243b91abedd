"""Follows the operations of a job by one command, which tells each end as it happens."""

import json
import subprocess
import threading
from typing import Callable, Dict, Optional

from snakemake_executor_plugin_baton.program import PAUSE, Baton, BatonError, failure


class Watch:
    """The ends of a job's operations.

    `baton watch` goes on by itself after a restart of the coordinator. Where the command itself ends, it is started
    again behind the last event, so that no end is lost. `news` is set whenever there is something to look at, and
    `note` is told what people should know.
    """

    def __init__(self, baton: Baton, job: int, news: threading.Event, note: Callable[[str], None]):
        self._baton = baton
        self._job = job
        self._news = news
        self._note = note
        self._last = 0
        self._outcomes: Dict[str, str] = {}
        self._has_missed = False
        self._error: Optional[BatonError] = None
        self._lock = threading.Lock()
        self._is_stopping = threading.Event()
        self._process: Optional[subprocess.Popen] = None
        self._thread = threading.Thread(target=self._follow, name="baton watch", daemon=True)
        self._thread.start()

    def outcome(self, address: str) -> Optional[str]:
        """Takes the outcome of an operation; none if the operation is not finished."""
        with self._lock:
            return self._outcomes.pop(address, None)

    def check(self) -> None:
        """Asks for the ends that the events do not tell any more, because too much happened meanwhile.

        Raises the error with which the command was refused.
        """
        if self._error is not None:
            raise self._error
        if not self._has_missed:
            return
        # Before the question: what is missed after it needs another one.
        self._has_missed = False
        try:
            finished = self._baton.document("show", str(self._job), "--state", "finished")
        except BatonError as error:
            if not error.may_pass:
                raise
            self._has_missed = True
            return
        with self._lock:
            self._outcomes.update({each["operation"]: each["outcome"] for each in finished["operations"]})

    def stop(self) -> None:
        """Ends the command."""
        self._is_stopping.set()
        if self._process is not None:
            self._process.terminate()
        self._thread.join()

    def _follow(self) -> None:
        while not self._is_stopping.is_set():
            status, printed = self._read()
            if self._is_stopping.is_set():
                return
            error = failure(status, printed)
            # A command that somebody has killed says nothing about the coordinator.
            if status > 0 and not error.may_pass:
                self._error = error
                self._news.set()
                return
            self._note(f"{error} Following job {self._job} again.")
            self._is_stopping.wait(PAUSE)

    def _read(self) -> tuple:
        """Reads events until the command ends; returns its status and the last line that was none."""
        self._process = self._baton.stream("watch", "--since", str(self._last), "--job", str(self._job))
        if self._is_stopping.is_set():
            self._process.terminate()
        printed = ""
        with self._process as process:
            for line in process.stdout or ():
                if line.startswith('{"seq":') and line.endswith("\n"):
                    self.take(json.loads(line))
                elif line.startswith("{"):
                    printed = line
                else:
                    self._note(line.rstrip("\n"))
        return process.returncode, printed

    def take(self, event: dict) -> None:
        """Notes what an event tells of the ends of operations."""
        self._last = event["seq"]
        if event["event"] == "missed":
            self._has_missed = True
        elif event["event"] == "operation" and event.get("state") == "finished":
            job, first = event["operation"].split("/")
            with self._lock:
                for index in range(int(first), int(first) + event.get("count", 1)):
                    self._outcomes[f"{job}/{index}"] = event["outcome"]
        else:
            return
        self._news.set()
