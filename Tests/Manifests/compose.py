"""What docker/compose.yaml has to be."""

from commands import check_head, check_mentions, command, comments_of, options_of
from facts import BUILD_ARGUMENT, COORDINATOR, FOLDER, HOME, HTTP, LEAST_GRACE, MOST_GRACE, PORT
from shapes import compose_bytes, expect, match, measured, processors, seconds, whole

# Each role that has a key, and the service that uses it.
ROLES = ["worker", "client"]
FILE = "docker compose -f docker/compose.yaml"
HEAD = [
    "mkdir -p -m 700 docker/keys",
    f"{FILE} build",
    f"for role in {' '.join(ROLES)}; do",
    f"  {FILE} run --rm --no-deps -T {COORDINATOR} \\",
    f"    authorize --role $role compose-$role --address tcp://{COORDINATOR}:{PORT}"
    " | grep ^baton1- >docker/keys/$role.new &&",
    # A failed command leaves a key that works as it is.
    "    chmod 0644 docker/keys/$role.new && mv docker/keys/$role.new docker/keys/$role",
    "  rm -f docker/keys/$role.new",
    "done",
    f"{FILE} up --detach --scale worker=3",
    f"{FILE} run --rm client run -- echo hello",
    f"{FILE} exec {COORDINATOR} baton dashboard",
    f"{FILE} down",
]


def memory(limit):
    return measured(compose_bytes, "512M", limit)


# What all services have: no privileges, a log that ends, and the network in which the coordinator's name is known.
SHARED = {
    "image": "baton",
    "build": {"context": "..", "dockerfile": "docker/Dockerfile", "args": {BUILD_ARGUMENT: f"${{{BUILD_ARGUMENT}:-}}"}},
    "networks": ["cluster"],
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "logging": {"driver": "json-file", "options": {"max-size": measured(compose_bytes, "1m", "100m")}},
}
# A root that cannot be written, with room for temporary files: for all but workers, whose operations may write.
READ_ONLY = {"read_only": True, "tmpfs": ["/tmp"]}


def key(role):
    return {"environment": {"BATON_KEY_FILE": f"/run/secrets/{role}"}, "secrets": [role], "depends_on": [COORDINATOR]}


SERVICES = {
    COORDINATOR: SHARED | READ_ONLY | {
        "command": command(
            "coordinator",
            {
                "--listen": f"tcp://*:{PORT}",
                "--http": f"0.0.0.0:{HTTP}",
                "--http-host": [COORDINATOR],
                "--http-insecure": True,
            },
        ),
        # The page is for this host alone.
        "ports": [f"127.0.0.1:${{BATON_HTTP_PORT:-{HTTP}}}:{HTTP}"],
        "volumes": [f"record:{HOME}"],
        "restart": "unless-stopped",
        "stop_grace_period": measured(seconds, "30s", "10m"),
        "deploy": {"resources": {"limits": {"memory": memory("64G")}}},
    },
    "worker": SHARED | key("worker") | {
        "command": command(
            "worker",
            {"--slots": measured(processors, "1", "64"), "--drain-timeout": measured(seconds, "10s", "1h")},
        ),
        "dns_opt": ["timeout:1", "attempts:2"],
        "deploy": {
            "replicas": whole(1, 100),
            "resources": {"limits": {"cpus": measured(processors, "1", "64"), "memory": memory("64G")}},
        },
        # A worker that was told to stop exits with 0, and stays stopped.
        "restart": "on-failure",
        "stop_grace_period": measured(seconds, "20s", "2h"),
    },
    "client": SHARED | READ_ONLY | key("client") | {
        "command": command("status", {}),
        "healthcheck": {"disable": True},
        "profiles": ["client"],
    },
}
SHAPE = {
    "name": "baton",
    "x-baton": SHARED,
    "services": SERVICES,
    "secrets": {role: {"file": f"./keys/{role}"} for role in ROLES},
    "networks": {"cluster": {}},
    "volumes": {"record": {}},
}


def check_text(text):
    check_head(text, HEAD)
    check_mentions(comments_of(text))


def check_documents(documents):
    expect(len(documents) == 1, "there is more than one document")
    (file,) = documents
    match(SHAPE, file)
    build = SHARED["build"]
    dockerfile = FOLDER / build["context"] / build["dockerfile"]
    expect(dockerfile.is_file(), f"there is no {build['dockerfile']}, which builds the image")
    worker = file["services"]["worker"]
    options = options_of(worker["command"])
    spare = seconds(worker["stop_grace_period"]) - seconds(options["--drain-timeout"])
    expect(
        LEAST_GRACE <= spare <= MOST_GRACE,
        f"a worker is killed {spare} s after its drain, not between {LEAST_GRACE} and {MOST_GRACE} s",
    )
    cpus = worker["deploy"]["resources"]["limits"]["cpus"]
    expect(options["--slots"] == cpus, f"a worker has {options['--slots']} slots for {cpus} processors")
    return len(file["services"])
