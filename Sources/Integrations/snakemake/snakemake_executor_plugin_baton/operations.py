"""The operations of Baton that stand for the jobs of Snakemake."""

import re
from typing import Any, Dict, List, Set

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface

# Snakemake's documentation calls this priority high; Baton has two levels above normal and two below.
URGENT = 50
# The least memory, in bytes, that an operation can ask for.
LEAST_MEMORY = 1 << 20


def operation(job: JobExecutorInterface, name: str, line: str, resources: List[str]) -> Dict[str, Any]:
    """The entry of a graph file for a job, whose work is a line of the shell.

    `resources` names those of the job that workers have.
    """
    entry: Dict[str, Any] = {"name": name, "command": ["/bin/sh", "-c", line], "priority": priority(job.priority)}
    if job.threads:
        entry["cpus"] = job.threads
    memory = number(job, "mem_mb")
    if memory:
        entry["memory"] = max(memory * 1_000_000, LEAST_MEMORY)
    minutes = number(job, "runtime")
    if minutes:
        entry["timeout"] = f"{minutes}m"
    taken = {name: amount for name in resources if (amount := number(job, name))}
    if taken:
        entry["resources"] = taken
    queue = job.resources.get("baton_queue")
    if queue:
        entry["queue"] = str(queue)
    # A condition such as "arch in (x86,arm)" has commas itself.
    labels = [label.strip() for label in str(job.resources.get("baton_labels", "")).split(";")]
    if any(labels):
        entry["labels"] = [label for label in labels if label]
    return entry


def priority(value: float) -> str:
    """The level of Baton for a priority of Snakemake, which is any number and 0 by default."""
    if value >= URGENT:
        return "veryHigh"
    if value > 0:
        return "high"
    if value <= -URGENT:
        return "veryLow"
    return "low" if value < 0 else "normal"


def number(job: JobExecutorInterface, resource: str) -> int:
    """The amount of a resource that a job asks for, 0 if it asks for none."""
    value = job.resources.get(resource, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise WorkflowError(
            f"The resource {resource} of {job.name} is {value!r}, and Baton takes a whole number from 0. Change it in "
            "the Snakefile, or with --set-resources."
        )
    return value


def name(job: JobExecutorInterface, taken: Set[str]) -> str:
    """A name for the operation of a job, which is not among those that are taken."""
    base = f"group_{job.name}" if job.is_group() else f"{job.name}.{job.jobid}"
    # What a name of Baton may have on each command line without quotes; a name starts with a letter.
    base = re.sub(r"[^A-Za-z0-9_.-]", "_", base)[:150]
    if not re.match(r"[A-Za-z_]", base):
        base = "_" + base
    unique, count = base, 1
    while unique in taken:
        count += 1
        unique = f"{base}.{count}"
    return unique
