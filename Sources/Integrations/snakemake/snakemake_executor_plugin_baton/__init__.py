"""A Snakemake executor that runs the jobs of a workflow as operations of Baton.

Snakemake finds the plugin by the name of this package, and uses the three names below.
"""

from snakemake_interface_executor_plugins.settings import CommonSettings

from snakemake_executor_plugin_baton.executor import Executor
from snakemake_executor_plugin_baton.settings import ExecutorSettings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]

common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    # The variables travel beside the command, where nobody is shown their values.
    pass_envvar_declarations_to_cmd=False,
    auto_deploy_default_storage_provider=False,
    # An end is told as it happens: nothing is gained by waiting before the first look.
    init_seconds_before_status_checks=0,
)
