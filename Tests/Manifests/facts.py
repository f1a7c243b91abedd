"""What the manifests have to agree about, read where it is declared: the image, the manual and the version."""

import pathlib
import re

from shapes import Failure

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docker"
MANUAL = ROOT / "Sources" / "Baton" / "Baton.docc" / "CommandLine.md"


def declared(path, pattern):
    """What the groups of a pattern match in a file."""
    found = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise Failure(f"{path} has no text that matches {pattern}; change Tests/Manifests/facts.py, or that file")
    return found.groups() if len(found.groups()) != 1 else found[1]


DOCKERFILE = "docker/Dockerfile"
COMMAND_LINE = str(MANUAL.relative_to(ROOT))

# The directory of the image's processes, which outlives a container by what is mounted there; and their user's number.
HOME, USER = declared(DOCKERFILE, r"useradd --create-home --home-dir (\S+) --uid (\d+) baton ")
USER = int(USER)
# The arguments of a container are those of baton because of this, and it uses the directory above.
declared(DOCKERFILE, r'^ENTRYPOINT \["/usr/bin/tini", "--", "/usr/local/bin/baton"\]$')
declared(DOCKERFILE, rf"^USER baton\nWORKDIR {HOME}\nENV BATON_HOME={HOME}$")
BUILD_ARGUMENT = declared(DOCKERFILE, r"^ARG (\w+)=$")

# The port of the coordinator, and that of its page, REST and figures.
PORT = int(declared(COMMAND_LINE, r"^\| `--coordinator <url>` \|.* tcp://127\.0\.0\.1:(\d+)\)\."))
HTTP = int(declared(COMMAND_LINE, r"^\| `--http <host:port>` \|.*\(default: 127\.0\.0\.1:(\d+),"))
# The time in seconds that "baton health" takes for itself.
HEALTH = int(declared(COMMAND_LINE, r"^\| `--timeout <duration>` \| Time for the answers \(default: (\d+)s\)"))
VERSION = declared("Sources/baton-cli/BatonVersion.swift", r'static let release = "([\d.]+)"')

# The name by which the containers of compose, and Prometheus, know the coordinator; in Kubernetes it is that of its Service.
COORDINATOR = "coordinator"
SERVICE = "baton"
# The job of Prometheus whose alerts and dashboard these are.
JOB = "baton"

# The time in seconds that operations get beyond the drain of their worker: at least their usual grace period and some for
# the rest, and not so much that the drain wastes what it could use.
LEAST_GRACE, MOST_GRACE = 10, 30
