"""What Snakemake tells of an operation that did not succeed."""

from dataclasses import dataclass
from pathlib import Path
from typing import List

from snakemake_executor_plugin_baton.program import Baton, BatonError

# How many of the last lines of output an error shows.
LINES = 20
# How long an error waits for a coordinator that is away, in seconds.
PATIENCE = 10.0
# The exit status of "baton log" where it has printed what is kept, and bytes are missing.
INCOMPLETE = 74


@dataclass
class Failure:
    """The reason, with the end of the output, and the files with all of it."""

    message: str
    logs: List[str]


def describe(baton: Baton, address: str, folder: Path) -> Failure:
    """Asks why an operation did not succeed, and puts its output into a file of the folder."""
    try:
        operation = baton.document("show", address, patience=PATIENCE)
        output = baton.output("log", address, "--all", "--no-prefix", good=(0, INCOMPLETE))
    except BatonError as error:
        return Failure(f"Operation {address} of Baton did not succeed, and the reason could not be read: {error}\n", [])
    worker = f" on worker {operation['worker']}" if operation["worker"] else ""
    message = f"Operation {address} ({operation['name']}) of Baton did not succeed{worker}: {operation['message']}\n"
    message += f'"baton log {address} --all" prints its output, "baton show {address}" what it asked for and took.\n'
    if not output:
        return Failure(message + "It has printed nothing.\n", [])
    lines = output.splitlines()
    message += f"The last {min(len(lines), LINES)} of {len(lines)} lines:\n"
    message += "".join(f"    | {line}\n" for line in lines[-LINES:])
    file = folder / f"{address}.log"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(output, encoding="utf-8")
    except OSError as error:
        # The other jobs of the workflow may go on without this file.
        return Failure(message + f"All of it could not be written into {file}: {error.strerror}.\n", [])
    return Failure(message, [str(file)])
