"""The ends of operations, from the events of a job."""

import json
import threading
import unittest
from unittest import mock

from snakemake_executor_plugin_baton.program import BatonError
from snakemake_executor_plugin_baton.watch import Watch


def end(seq, operation, outcome="succeeded", **more):
    """The line of an operation's end."""
    event = {"seq": seq, "time": None, "event": "operation", "operation": operation}
    return json.dumps(event | more | {"state": "finished", "outcome": outcome}, separators=(",", ":")) + "\n"


class Process:
    """A command that prints some lines and ends with a status; with none, it goes on until it is terminated."""

    def __init__(self, lines, returncode):
        self.returncode = returncode
        self.stdout = self._lines(lines)
        self.is_over = threading.Event()

    def _lines(self, lines):
        yield from lines
        if self.returncode is None:
            self.is_over.wait()

    def terminate(self):
        self.is_over.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.returncode = -15 if self.returncode is None else self.returncode


class FakeBaton:
    """A program baton whose commands are given."""

    def __init__(self, *processes, documents=()):
        self.processes = list(processes)
        self.documents = list(documents)
        self.calls = []
        self.has_started_last = threading.Event()

    def stream(self, *arguments):
        self.calls.append(arguments)
        if len(self.processes) == 1:
            self.has_started_last.set()
        return self.processes.pop(0)

    def document(self, *arguments, **_):
        self.calls.append(arguments)
        document = self.documents.pop(0)
        if isinstance(document, Exception):
            raise document
        return document


@mock.patch("snakemake_executor_plugin_baton.watch.PAUSE", 0)
class WatchTests(unittest.TestCase):
    def follow(self, baton):
        """Follows job 12 until the last command has printed its lines."""
        self.notes = []
        self.news = threading.Event()
        watch = Watch(baton, 12, self.news, self.notes.append)
        self.assertTrue(baton.has_started_last.wait(3600))
        return watch

    def outcomes(self, watch, *addresses):
        """Waits for the first address's outcome, and takes those of all."""
        first = None
        while first is None:
            self.assertTrue(self.news.wait(3600))
            self.news.clear()
            first = watch.outcome(addresses[0])
        return [first, *(watch.outcome(address) for address in addresses[1:])]

    def test_ends(self):
        lines = [
            '{"seq":3,"time":null,"event":"operation","operation":"12/0","state":"executing"}\n',
            end(4, "12/0", "failed"),
            end(5, "12/1", count=2),
            end(6, "12/3"),
        ]
        watch = self.follow(FakeBaton(Process(lines, None)))
        outcomes = self.outcomes(watch, "12/3", "12/2", "12/1", "12/0", "12/4")
        self.assertEqual(outcomes, ["succeeded", "succeeded", "succeeded", "failed", None])
        self.assertIsNone(watch.outcome("12/3"))
        watch.stop()

    def test_a_command_that_ends_is_started_again_behind_the_last_event(self):
        away = '{"error":{"code":"unreachable","message":"No coordinator answers.","path":[]}}\n'
        baton = FakeBaton(
            Process([end(4, "12/0"), "It is away.\n", end(9, "12/1"), away], 69),
            # Of this one the last line is a part, because it was killed.
            Process([end(12, "12/2"), '{"seq":13,"event":'], -9),
            Process([end(13, "12/3")], None),
        )
        watch = self.follow(baton)
        self.assertEqual(self.outcomes(watch, "12/3", "12/2", "12/1", "12/0"), ["succeeded"] * 4)
        self.assertEqual([call[2] for call in baton.calls], ["0", "9", "12"])
        self.assertEqual(self.notes[:2], ["It is away.", "No coordinator answers. Following job 12 again."])
        watch.stop()

    def test_missed_events_are_asked_for_until_there_is_an_answer(self):
        baton = FakeBaton(
            Process(['{"seq":900,"event":"missed","count":40}\n', end(901, "12/9")], None),
            documents=[
                BatonError("Away.", may_pass=True),
                {"operations": [{"operation": "12/0", "outcome": "failed"}]},
            ],
        )
        watch = self.follow(baton)
        self.outcomes(watch, "12/9")
        watch.check()
        self.assertIsNone(watch.outcome("12/0"))
        watch.check()
        self.assertEqual(watch.outcome("12/0"), "failed")
        watch.check()
        self.assertEqual(baton.calls[1:], [("show", "12", "--state", "finished")] * 2)
        watch.stop()

    def test_a_refusal_ends_the_run(self):
        refused = '{"error":{"code":"notAllowed","message":"The key was revoked.","path":[]}}\n'
        watch = self.follow(FakeBaton(Process([refused], 77)))
        self.assertTrue(self.news.wait(3600))
        with self.assertRaisesRegex(BatonError, "The key was revoked."):
            watch.check()
        watch.stop()


if __name__ == "__main__":
    unittest.main()
