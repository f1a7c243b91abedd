"""The options of the executor on Snakemake's command line and in its profiles."""

from dataclasses import dataclass, field
from typing import List, Optional

from snakemake_interface_executor_plugins.settings import ExecutorSettingsBase


@dataclass
class ExecutorSettings(ExecutorSettingsBase):
    """Each field is an option: `queue` is `--baton-queue`."""

    program: str = field(
        default="baton",
        metadata={
            "help": "The program baton: a name in the PATH, or a path. It finds the coordinator and its key as on the "
            "command line, by BATON_COORDINATOR, BATON_KEY, BATON_KEY_FILE and BATON_HOME."
        },
    )
    job_name: str = field(
        default="snakemake",
        metadata={"help": "The name of the job that has the operations of the workflow."},
    )
    queue: Optional[str] = field(
        default=None,
        metadata={
            "help": "The queue of the operations, except those of rules with a resource baton_queue (default: default)."
        },
    )
    tags: List[str] = field(
        default_factory=list,
        metadata={
            "help": "Tags of the job, such as project=tiles, by which 'baton list --tag' finds it.",
            "nargs": "+",
            "metavar": "KEY=VALUE",
        },
    )
    resources: List[str] = field(
        default_factory=lambda: ["gpu"],
        metadata={
            "help": "The resources of rules that are taken from the resources of the same name that workers have "
            "(default: gpu). Snakemake alone counts the others.",
            "nargs": "+",
            "metavar": "NAME",
        },
    )
    env_all: bool = field(
        default=False,
        metadata={
            "help": "Give the operations all variables of Snakemake's environment, as 'baton submit --env-all' does. "
            "Without it, they have the environment of their worker, and the variables of --envvars and of the workflow."
        },
    )
