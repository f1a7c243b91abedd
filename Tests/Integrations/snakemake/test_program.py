"""Calls of the program baton, of which a script takes the part."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from snakemake_executor_plugin_baton.program import Baton, BatonError


class ProgramTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.notes = []

    def baton(self, script):
        """A program that is a script of the shell."""
        program = self.folder / "baton"
        program.write_text(f"#!/bin/sh\ncd {self.folder}\n{script}\n")
        program.chmod(0o700)
        return Baton(str(program), self.notes.append)

    def test_the_document_of_a_command(self):
        baton = self.baton("echo '{\"job\":12}'; echo \"$@\" > arguments; cat > input; echo A note. >&2")
        self.assertEqual(baton.document("submit", "--file", "-", text="{}"), {"job": 12})
        self.assertEqual((self.folder / "arguments").read_text(), "--json submit --file -\n")
        self.assertEqual((self.folder / "input").read_text(), "{}")
        self.assertEqual(self.notes, ["A note."])

    def test_a_refusal_is_not_repeated(self):
        baton = self.baton(
            """echo x >> tries
            echo '{"error":{"code":"notFound","message":"There is no job 99.","path":[],"advice":"See them."}}' >&2
            exit 66"""
        )
        with self.assertRaises(BatonError) as caught:
            baton.document("show", "99", patience=float("inf"))
        self.assertEqual(str(caught.exception), "There is no job 99. See them.")
        self.assertFalse(caught.exception.may_pass)
        self.assertEqual((self.folder / "tries").read_text(), "x\n")

    def test_an_absent_coordinator_is_waited_for(self):
        baton = self.baton(
            """echo x >> tries
            if [ "$(wc -l < tries)" -lt 3 ]; then
              echo '{"error":{"code":"unreachable","message":"No coordinator answers.","path":[]}}' >&2; exit 69
            fi
            echo '{"job":12}'"""
        )
        with mock.patch("snakemake_executor_plugin_baton.program.time.sleep") as sleep:
            self.assertEqual(baton.document("submit", patience=float("inf")), {"job": 12})
        self.assertEqual(sleep.call_count, 2)
        self.assertEqual(self.notes, ["No coordinator answers. Trying again until it succeeds."])

    def test_a_full_disk_may_pass_and_a_fault_does_not(self):
        for code, may_pass in [("storage", True), ("fault", False)]:
            baton = self.baton(f"""echo '{{"error":{{"code":"{code}","message":"So.","path":[]}}}}' >&2; exit 70""")
            with self.assertRaises(BatonError) as caught:
                baton.document("submit")
            self.assertEqual(caught.exception.may_pass, may_pass)

    def test_a_program_that_says_nothing(self):
        with self.assertRaises(BatonError) as caught:
            self.baton("exit 3").output("log")
        self.assertEqual(str(caught.exception), "The program baton ended with status 3.")

    def test_statuses_that_are_no_errors(self):
        self.assertEqual(self.baton("echo a part; exit 74").output("log", good=(0, 74)), "a part\n")

    def test_another_program_of_the_name(self):
        with self.assertRaises(BatonError) as caught:
            self.baton("echo A wand.").document("status")
        self.assertIn("does not answer as Baton does. Name Baton's program", str(caught.exception))

    def test_a_program_that_is_missing(self):
        with self.assertRaises(BatonError) as caught:
            Baton("/nonexistent/baton", self.notes.append).document("status")
        self.assertIn("The program /nonexistent/baton cannot be run", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
