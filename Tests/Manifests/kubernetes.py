"""What docker/kubernetes has to be: what kustomize makes of each arrangement, and each file for itself."""

import posixpath

import promql
from commands import check_head, check_mentions, comments_of, head_of, options_of
from coordinators import MOVE, NETWORK, SINGLE, STANDBY, budget, config
from facts import FOLDER, HTTP, LEAST_GRACE, MOST_GRACE, PORT, SERVICE, VERSION
from kustomize import KUSTOMIZATION, build
from pods import BOTH, COORDINATOR, DATABASE, KEY, SECRET, WORKER
from references import check_references
from shapes import Failure, expect, kubernetes_bytes, match, parsed, processors, seconds
from workers import ADAPTER, AUTOSCALER, DEMAND, FIGURE, JOBS, SCALED_WORKERS, WORKERS

PLACE = FOLDER / "kubernetes"
POD = f"{COORDINATOR}-0"
DIRECTORY = "baton-cluster"
HEADS = {
    "single": [
        "kubectl apply -k docker/kubernetes/single",
        f"kubectl rollout status statefulset {COORDINATOR}",
        # A failed command makes no Secret with an empty key.
        f"key=$(kubectl exec {POD} -- baton authorize --role worker workers --address tcp://{SERVICE}:{PORT}) &&",
        f"  printf '%s\\n' \"$key\" | kubectl create secret generic {SECRET} --from-file={KEY}=/dev/stdin",
        f"kubectl exec {POD} -- baton run -- echo hello",
        f"kubectl scale deployment {WORKER} --replicas 10",
        f"kubectl port-forward {POD} 8080:{HTTP}",
        f"kubectl exec {POD} -- baton dashboard",
        f"kubectl exec {POD} -- sh -c 'kill -HUP 1'",
    ],
    "standby": [
        "umask 077",
        f"export BATON_HOME=$PWD/{DIRECTORY}",
        f"key=$(baton authorize --role worker workers --address tcp://{POD}.{SERVICE}:{PORT}) &&",
        f"  printf '%s\\n' \"$key\" | kubectl create secret generic {SECRET} --from-file={KEY}=/dev/stdin",
        f"kubectl create secret generic {COORDINATOR} --from-file={DIRECTORY}/keys",
        f"kubectl create secret generic {DATABASE} --from-file=password={DIRECTORY}/password",
        "kubectl apply -k docker/kubernetes/standby",
        f"kubectl rollout status statefulset {COORDINATOR}",
        f"kubectl create secret generic {COORDINATOR} --from-file={DIRECTORY}/keys --dry-run=client -o yaml"
        " | kubectl replace -f -",
        f"kubectl rollout restart statefulset {COORDINATOR}",
        f"kubectl exec {POD} -- baton status",
        f"kubectl exec {COORDINATOR}-1 -- baton health",
    ],
}
# What kustomize makes of each arrangement, but for the workers.
ARRANGEMENTS = {
    "single": [NETWORK, SINGLE, config(SERVICE, None, BATON_COORDINATOR=f"tcp://{SERVICE}:{PORT}")],
    "standby": [
        NETWORK,
        STANDBY,
        config(SERVICE, None, BATON_COORDINATOR=BOTH),
        config(COORDINATOR, "coordinator", BATON_STORE="postgres://baton@postgres/baton"),
        budget(COORDINATOR, "coordinator"),
    ],
}
# The workers, without a component and with each.
COMPONENTS = {
    None: [WORKERS, budget(WORKER, "worker")],
    "autoscaler": [SCALED_WORKERS, budget(WORKER, "worker"), AUTOSCALER],
    "jobs": [JOBS],
}
VARIANTS = [(arrangement, component) for arrangement in ARRANGEMENTS for component in COMPONENTS]
INTERFACE = "kustomize.config.k8s.io/v1"
IMAGES = [{"name": "baton", "newName": "baton", "newTag": VERSION}]


def kustomization(kind, resources, *patches, **more):
    interface = {"apiVersion": INTERFACE + ("beta1" if kind == "Kustomization" else "alpha1"), "kind": kind}
    return [
        interface | {"resources": resources} | ({"patches": [{"path": path} for path in patches]} if patches else {}) | more
    ]


# What is applied by itself, before two coordinators run.
MOVING = "standby/move.yaml"
# Files that are checked for themselves; the others are checked by what is built of them.
OWN = {
    "base/kustomization.yaml": kustomization("Kustomization", ["service.yaml", "coordinator.yaml", "worker.yaml"]),
    "single/kustomization.yaml": kustomization("Kustomization", ["../base", "cluster.yaml"], images=IMAGES),
    "standby/kustomization.yaml": kustomization(
        "Kustomization", ["../base", "cluster.yaml"], "coordinator.yaml", images=IMAGES
    ),
    "components/autoscaler/kustomization.yaml": kustomization("Component", ["autoscaler.yaml"], "workers.yaml"),
    "components/jobs/kustomization.yaml": kustomization("Component", ["jobs.yaml"], "workers.yaml", "budget.yaml"),
    "components/autoscaler/adapter.yaml": [ADAPTER],
    MOVING: [MOVE],
}


def check_sizes(pod):
    """Checks that a container asks for no more than it may have, and may have what its volumes may take."""
    for part in pod.get("initContainers", []) + pod["containers"]:
        name, amounts = part["name"], part["resources"]
        for resource, limit in amounts["limits"].items():
            measure = processors if resource == "cpu" else kubernetes_bytes
            request = amounts["requests"][resource]
            expect(measure(request) <= measure(limit), f"{name} asks for {request} of {resource}, and may have {limit}")
    taken = sum(kubernetes_bytes(volume["emptyDir"]["sizeLimit"]) for volume in pod["volumes"] if "emptyDir" in volume)
    limit = amounts["limits"]["ephemeral-storage"]
    expect(taken <= kubernetes_bytes(limit), f"the volumes of {name} may take more than its limit of disk, {limit}")


def lasting(part):
    """The time in seconds after which a probe gives up."""
    return part["periodSeconds"] * part["failureThreshold"]


def check_probes(part):
    name = part["name"]
    patience = lasting(part["livenessProbe"])
    expect(60 <= patience <= 600, f"{name} is restarted after {patience} s without an answer, not 60 to 600 s")
    if "startupProbe" in part:
        patience = lasting(part["startupProbe"])
        expect(300 <= patience <= 3600, f"{name} has {patience} s to open its record, not 5 minutes to an hour")


def check_worker(pod):
    """Checks that a worker can drain before it is killed, and has processors for its slots; the number of them."""
    (worker,) = pod["containers"]
    options = options_of(worker["args"])
    spare = pod["terminationGracePeriodSeconds"] - seconds(options["--drain-timeout"])
    expect(
        LEAST_GRACE <= spare <= MOST_GRACE,
        f"a worker is killed {spare} s after its drain, not between {LEAST_GRACE} and {MOST_GRACE} s",
    )
    for kind in ["requests", "limits"]:
        cpu = worker["resources"][kind]["cpu"]
        expect(cpu == options["--slots"], f"a worker has {options['--slots']} slots, and {cpu} processors in its {kind}")
    return options["--slots"]


def check_variant(files, arrangement, component):
    """Checks what is built of an arrangement with a component, and that its names lead somewhere."""
    manifests = built(files, arrangement, component)
    shapes = [*ARRANGEMENTS[arrangement], *COMPONENTS[component]]
    by_name = {(manifest["kind"], manifest["metadata"]["name"]): manifest for manifest in manifests}
    wanted = {(shape["kind"], shape["metadata"]["name"]): shape for shape in shapes}
    match(wanted, by_name)
    workers = by_name["ScaledJob" if component == "jobs" else "Deployment", WORKER]["spec"]
    coordinators = by_name["StatefulSet", COORDINATOR]["spec"]
    pods = [coordinators["template"]["spec"], workers.get("jobTargetRef", workers)["template"]["spec"]]
    for pod in pods:
        check_sizes(pod)
        check_probes(pod["containers"][0])
    slots = check_worker(pods[1])
    if component == "autoscaler":
        (metric,) = by_name["HorizontalPodAutoscaler", WORKER]["spec"]["metrics"]
        shared = metric["external"]["target"]["averageValue"]
    else:
        shared = workers["triggers"][0]["metadata"]["threshold"] if component else slots
    expect(shared == slots, f"a worker has {slots} slots, and one is started for {shared}")
    # With the component jobs, nobody scales the workers.
    lines = [line for line in HEADS[arrangement] if component != "jobs" or "kubectl scale" not in line]
    check_references(manifests, lines)


def built(files, arrangement, component):
    """The manifests of an arrangement with a component, or without one."""
    return build(files, arrangement, [f"../components/{component}"] if component else [])


def read_files():
    """The texts of all files, by their paths below docker/kubernetes."""
    return {
        str(path.relative_to(PLACE)): path.read_text(encoding="utf-8") for path in sorted(PLACE.rglob("*")) if path.is_file()
    }


def checks():
    """Each file, and how its text and its documents are checked."""
    try:
        promql.check(DEMAND, {})
    except promql.Unknown as error:
        raise Failure(f"the figure {FIGURE}: {error}") from None
    files = {name: parsed(text) for name, text in read_files().items()}
    found = {posixpath.dirname(name) for name in files if posixpath.basename(name) == KUSTOMIZATION}
    expected = {"base", *ARRANGEMENTS, *(f"components/{component}" for component in COMPONENTS if component)}
    expect(found == expected, f"docker/kubernetes has the folders {sorted(found)}, not {sorted(expected)}")
    return {name: (text_check(name), documents_check(name, files)) for name in files}


def text_check(name):
    folder = posixpath.dirname(name)

    def check(text):
        check_head(text, HEADS.get(folder, []) if name.endswith(f"/{KUSTOMIZATION}") else [])
        prose = comments_of(text)
        # A line that takes effect without its sign.
        for component in COMPONENTS if folder in ARRANGEMENTS and head_of(text) else []:
            line = f"# components: [../components/{component}]"
            expect(component is None or line in text.splitlines(), f"the line {line!r} is missing")
        check_mentions(prose, [PLACE / folder])

    return check


def documents_check(name, files):
    def check(documents):
        if name in OWN:
            match(OWN[name], documents, name)
        for arrangement, component in VARIANTS:
            check_variant(files | {name: documents}, arrangement, component)
        if name == MOVING:
            check_sizes(documents[0]["spec"]["template"]["spec"])
            check_references([*built(files, "standby", None), *documents], HEADS["standby"])
        return len(documents)

    return check
