"""The executor: one open job of Baton for a run of Snakemake, whose operations are the jobs of the workflow."""

import asyncio
import json
import threading
import uuid
from pathlib import Path
from typing import Any, AsyncGenerator, Dict, List, Optional, Set

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface
from snakemake_interface_executor_plugins.logging import LoggerExecutorInterface
from snakemake_interface_executor_plugins.workflow import WorkflowExecutorInterface

from snakemake_executor_plugin_baton import failures, operations
from snakemake_executor_plugin_baton.program import Baton, BatonError
from snakemake_executor_plugin_baton.watch import Watch

# How long the end of a run waits for a coordinator that is away, in seconds.
PATIENCE = 10.0
# How long ends are gathered before Snakemake hears of them, in seconds: it looks at all of its jobs each time.
GATHERING = 0.1


class Executor(RemoteExecutor):
    """Submits what is ready in one request, follows all by one `baton watch`, and cancels all in one request."""

    def __init__(self, workflow: WorkflowExecutorInterface, logger: LoggerExecutorInterface):
        # The thread of the base class uses these as soon as its initializer runs.
        self._news = threading.Event()
        self._watch: Optional[Watch] = None
        super().__init__(workflow, logger)

    def __post_init__(self) -> None:
        if not self.workflow.storage_settings.assume_common_workdir:
            raise WorkflowError(
                "The executor baton needs a file system that Snakemake and the workers share. Name what they share "
                "with --shared-fs-usage."
            )
        if self.workflow.remote_execution_settings.immediate_submit:
            raise WorkflowError("The executor baton follows what it submits. Leave out --immediate-submit.")
        self._settings = self.workflow.executor_settings
        self._baton = Baton(self._settings.program, self.logger.info)
        # The open job, as long as this run has one.
        self._job: Optional[int] = None
        self._names: Set[str] = set()

    def run_job(self, job: JobExecutorInterface) -> None:
        self.run_jobs([job])

    def run_jobs(self, jobs: List[JobExecutorInterface]) -> None:
        for job in jobs:
            self.run_job_pre(job)
        if self._job is None:
            self._job = self._open()
            self._watch = Watch(self._baton, self._job, self._news, self.logger.info)
        entries = []
        for job in jobs:
            name = operations.name(job, self._names)
            self._names.add(name)
            entries.append(operations.operation(job, name, self.format_job_exec(job), self._settings.resources))
        for index, (job, entry) in enumerate(zip(jobs, entries), start=self._submit(entries)):
            address = f"{self._job}/{index}"
            self.logger.info(f"Submitted job {job.jobid} as operation {address} ({entry['name']}) of Baton.")
            self.report_job_submission(SubmittedJobInfo(job, external_jobid=address))

    def _open(self) -> int:
        """Opens the job of this run, and returns its number."""
        arguments = ["submit", "--open", "--name", self._settings.job_name]
        for tag in self._settings.tags:
            arguments += ["--tag", tag]
        job = self._baton.document(*arguments)["job"]
        self.logger.info(
            f'The operations of this run are job {job} of Baton: see "baton show {job}", and "baton explain {job}" where '
            "nothing starts."
        )
        return job

    def _submit(self, entries: List[Dict[str, Any]]) -> int:
        """Adds operations to the job, all in one request, and returns the index of the first."""
        graph: Dict[str, Any] = {
            "defaults": {"cwd": str(self.workflow.workdir_init), "env": dict(self.envvars())},
            "operations": entries,
        }
        if self._settings.queue:
            graph["queue"] = self._settings.queue
        arguments = ["submit", "--job", str(self._job), "--key", uuid.uuid4().hex, "--file", "-"]
        if self._settings.env_all:
            arguments.append("--env-all")
        # Under its key, the request can be repeated until the coordinator is back.
        return self._baton.document(*arguments, text=json.dumps(graph), patience=float("inf"))["first"]

    async def check_active_jobs(self, active_jobs: List[SubmittedJobInfo]) -> AsyncGenerator[SubmittedJobInfo, None]:
        if self._watch is None:
            # Nothing has been submitted yet.
            return
        self._watch.check()
        for info in active_jobs:
            # While Snakemake cancels everything, the ends are no failures.
            outcome = self._watch.outcome(info.external_jobid) if self.wait else None
            if outcome is None:
                yield info
            elif outcome == "succeeded":
                self.report_job_success(info)
            else:
                failure = failures.describe(self._baton, info.external_jobid, Path(".snakemake/baton_logs").absolute())
                self.report_job_error(info, msg=failure.message, aux_logs=failure.logs)

    async def sleep(self) -> None:
        """Waits for the next end, and not for a time."""
        await asyncio.to_thread(self._news.wait, 1)
        if self.wait:
            await asyncio.sleep(GATHERING)
        self._news.clear()

    def cancel_jobs(self, active_jobs: List[SubmittedJobInfo]) -> None:
        with self.lock:
            self.wait = False
        self._end("cancel")

    def shutdown(self) -> None:
        with self.lock:
            self.wait = False
        self._news.set()
        super().shutdown()
        if self._watch is not None:
            self._watch.stop()
        self._end("close")

    def _end(self, command: str) -> None:
        """Cancels or closes the job, after which it takes nothing more."""
        if self._job is None:
            return
        try:
            self._baton.document(command, str(self._job), patience=PATIENCE)
        except BatonError as error:
            self.logger.error(f'Job {self._job} of Baton is open: {error} Run "baton {command} {self._job}" later.')
        self._job = None
