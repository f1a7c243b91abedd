"""What Snakemake tells of an operation that did not succeed."""

import tempfile
import unittest
from pathlib import Path

from snakemake_executor_plugin_baton.failures import describe
from snakemake_executor_plugin_baton.program import BatonError


class FakeBaton:
    """A coordinator that knows one operation."""

    def __init__(self, output, error=None):
        self.printed = output
        self.error = error

    def document(self, *_, **__):
        if self.error is not None:
            raise self.error
        return {"name": "count.7", "worker": "w1", "message": "It exited with status 3."}

    def output(self, *arguments, **_):
        assert arguments == ("log", "12/3", "--all", "--no-prefix")
        return self.printed


class FailureTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_reason_the_last_lines_and_the_file_with_all(self):
        output = "".join(f"line {number}\n" for number in range(30))
        failure = describe(FakeBaton(output), "12/3", self.folder)
        self.assertTrue(
            failure.message.startswith(
                "Operation 12/3 (count.7) of Baton did not succeed on worker w1: It exited with status 3.\n"
                '"baton log 12/3 --all" prints its output, "baton show 12/3" what it asked for and took.\n'
                "The last 20 of 30 lines:\n    | line 10\n"
            )
        )
        self.assertTrue(failure.message.endswith("    | line 29\n"))
        self.assertEqual(failure.logs, [str(self.folder / "12" / "3.log")])
        self.assertEqual((self.folder / "12" / "3.log").read_text(), output)

    def test_a_folder_that_cannot_be_made(self):
        file = self.folder / "file"
        file.write_text("")
        failure = describe(FakeBaton("bad\n"), "12/3", file)
        expected = f"    | bad\nAll of it could not be written into {file}/12/3.log: Not a directory.\n"
        self.assertTrue(failure.message.endswith(expected), failure.message)
        self.assertEqual(failure.logs, [])

    def test_without_output(self):
        failure = describe(FakeBaton(""), "12/3", self.folder)
        self.assertTrue(failure.message.endswith("It has printed nothing.\n"))
        self.assertEqual(failure.logs, [])

    def test_a_reason_that_cannot_be_read(self):
        failure = describe(FakeBaton("", BatonError("No coordinator answers.", may_pass=True)), "12/3", self.folder)
        self.assertEqual(
            failure.message,
            "Operation 12/3 of Baton did not succeed, and the reason could not be read: No coordinator answers.\n",
        )


if __name__ == "__main__":
    unittest.main()
