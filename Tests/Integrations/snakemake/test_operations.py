"""The operations that stand for jobs of Snakemake."""

import sys
import unittest
from types import SimpleNamespace

from snakemake_executor_plugin_baton.operations import name, operation, priority
from snakemake_interface_common.exceptions import WorkflowError


def job(group=False, rule="count", jobid=7, threads=1, level=0, **resources):
    """A job as the interface of executors has it."""
    return SimpleNamespace(
        name=rule, jobid=jobid, threads=threads, priority=level, resources=resources, is_group=lambda: group
    )


class OperationTests(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(
            operation(job(), "count.7", "true", ["gpu"]),
            {"name": "count.7", "command": ["/bin/sh", "-c", "true"], "priority": "normal", "cpus": 1},
        )

    def test_all_resources(self):
        asked = job(
            threads=4,
            level=10,
            mem_mb=2000,
            runtime=90,
            gpu=2,
            licence=1,
            io=5,
            tmpdir="/tmp",
            baton_queue="night",
            baton_labels="zone=a; arch in (x86,arm)",
        )
        self.assertEqual(
            operation(asked, "count.7", "true", ["gpu", "licence", "fpga"]),
            {
                "name": "count.7",
                "command": ["/bin/sh", "-c", "true"],
                "priority": "high",
                "cpus": 4,
                "memory": 2_000_000_000,
                "timeout": "90m",
                "resources": {"gpu": 2, "licence": 1},
                "queue": "night",
                "labels": ["zone=a", "arch in (x86,arm)"],
            },
        )

    def test_least_memory(self):
        self.assertEqual(operation(job(mem_mb=1), "a", "true", [])["memory"], 1_048_576)

    def test_what_is_no_number_is_refused(self):
        for value in ["2GB", 1.5, -1, True]:
            with self.assertRaises(WorkflowError) as caught:
                operation(job(mem_mb=value), "a", "true", [])
            self.assertIn(f"The resource mem_mb of count is {value!r}", str(caught.exception))

    def test_priorities(self):
        highest = sys.maxsize
        levels = {0: "normal", 1: "high", 49: "high", 50: "veryHigh", highest: "veryHigh", -1: "low", -50: "veryLow"}
        for value, level in levels.items():
            self.assertEqual(priority(value), level)


class NameTests(unittest.TestCase):
    def test_rule_and_jobid(self):
        self.assertEqual(name(job(), set()), "count.7")

    def test_a_repeated_job_gets_another_name(self):
        self.assertEqual(name(job(), {"count.7"}), "count.7.2")
        self.assertEqual(name(job(), {"count.7", "count.7.2"}), "count.7.3")

    def test_groups(self):
        self.assertEqual(name(job(group=True, rule="1b0e/x_count_rank"), set()), "group_1b0e_x_count_rank")

    def test_letters_that_are_no_part_of_names(self):
        self.assertEqual(name(job(rule="größe"), set()), "gr__e.7")
        self.assertEqual(name(job(rule="ü"), set()), "_.7")
        self.assertLessEqual(len(name(job(rule="a" * 500), set())), 200)


if __name__ == "__main__":
    unittest.main()
