"""Calls of the program baton, with JSON in both directions."""

import json
import os
import subprocess
import time
from typing import Any, Callable, Dict, List, Optional

from snakemake_interface_common.exceptions import WorkflowError

# Nobody can be reached, or the answer was lost: the same request may succeed later.
UNREACHABLE = 69
# The seconds between two tries.
PAUSE = 1.0


class BatonError(WorkflowError):
    """The sentence with which the program refused a request, and the advice that it gives."""

    def __init__(self, sentence: str, may_pass: bool):
        super().__init__(sentence)
        self.may_pass = may_pass


class Baton:
    """The program baton.

    `note` is told what the program says beside its answer, and what is waited for.
    """

    def __init__(self, program: str, note: Callable[[str], None]):
        self._program = program
        self._note = note

    def document(self, *arguments: str, text: Optional[str] = None, patience: float = 0) -> Dict[str, Any]:
        """Returns the document that a command prints, whose standard input is `text`.

        While no coordinator answers or its disk is full, the command is repeated for `patience` seconds. A command that
        changes something has to be one that may be repeated.
        """
        end = time.monotonic() + patience
        is_waiting = False
        while True:
            try:
                printed = self.output("--json", *arguments, text=text)
                break
            except BatonError as error:
                if not error.may_pass or time.monotonic() >= end:
                    raise
                if not is_waiting:
                    self._note(f"{error} Trying again until it succeeds.")
                    is_waiting = True
            time.sleep(PAUSE)
        try:
            return json.loads(printed)
        except ValueError:
            raise BatonError(
                f"The program {self._program} does not answer as Baton does. Name Baton's program with --baton-program.",
                may_pass=False,
            ) from None

    def output(self, *arguments: str, text: Optional[str] = None, good: tuple = (0,)) -> str:
        """Returns what a command prints; `good` has the exit statuses that are no errors."""
        process = self._start(arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            printed, notes = process.communicate(text or "")
        except BaseException:
            # Ctrl-C: nobody waits for the answer any more.
            process.kill()
            process.wait()
            raise
        if process.returncode not in good:
            raise failure(process.returncode, notes)
        for line in notes.splitlines():
            self._note(line)
        return printed

    def stream(self, *arguments: str) -> subprocess.Popen:
        """Starts a command that prints a document a line, and between them lines for people."""
        return self._start(("--json", *arguments), stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def _start(self, arguments: tuple, **streams: Any) -> subprocess.Popen:
        environment = dict(os.environ)
        # The Snakemake of an operation runs its one job there; with the profile it would look for an executor again.
        environment.pop("SNAKEMAKE_PROFILE", None)
        command: List[str] = [self._program, *arguments]
        try:
            # A session of its own, so that Ctrl-C reaches Snakemake alone, which then cancels.
            return subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env=environment,
                start_new_session=True,
                **streams,
            )
        except OSError as error:
            raise BatonError(
                f"The program {self._program} cannot be run: {error.strerror}. Install Baton, or name the program with "
                "--baton-program.",
                may_pass=False,
            ) from error


def failure(status: int, printed: str) -> BatonError:
    """The error of a command from its exit status and what it has printed for people and scripts."""
    lines = [line for line in printed.splitlines() if line.strip()]
    last = lines[-1] if lines else f"The program baton ended with status {status}."
    try:
        error = json.loads(last)["error"]
        sentence = " ".join(filter(None, [error["message"], error.get("advice")]))
        code = error["code"]
    except (ValueError, KeyError, TypeError):
        sentence, code = last, None
    # The code of a full disk, under which nothing was changed.
    return BatonError(sentence, may_pass=status == UNREACHABLE or code == "storage")
