"""Shapes of what the pods of docker/kubernetes have in common."""

from facts import HEALTH, PORT, SERVICE, USER, VERSION
from shapes import kubernetes_bytes, measured, processors, whole

COORDINATOR, WORKER, DATABASE = "baton-coordinator", "baton-worker", "baton-database"
# The Secret of the workers, and the file in it.
SECRET, KEY = WORKER, "key"
KEYS = "/run/secrets/baton"
# The pods of two coordinators, by their names.
BOTH = ",".join(f"tcp://{COORDINATOR}-{number}.{SERVICE}:{PORT}" for number in range(2))


def labels(component=None):
    names = {"app.kubernetes.io/name": "baton"}
    return names | ({"app.kubernetes.io/component": component} if component else {})


def metadata(name, component=None):
    return {"name": name, "labels": labels(component)}


def selector(component):
    return {"matchLabels": labels(component)}


def size(least, most):
    return measured(kubernetes_bytes, least, most)


def security(**more):
    return {
        "runAsNonRoot": True,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "seccompProfile": {"type": "RuntimeDefault"},
        **more,
    }


def confinement(**more):
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, **more}


def probe(*options, **more):
    return {
        "exec": {"command": ["baton", "health", *options]},
        "periodSeconds": whole(1, 60),
        # The command itself waits for its own timeout.
        "timeoutSeconds": whole(HEALTH + 1, 60),
        **more,
    }


def container(name, arguments, **more):
    return {
        "name": name,
        "image": f"baton:{VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "args": arguments,
        "livenessProbe": probe(
            failureThreshold=whole(3, 60),
            **({"initialDelaySeconds": whole(5, 60)} if name == "worker" else {}),
        ),
        "readinessProbe": probe("--ready"),
        **more,
    }


def mount(name, path, **more):
    return {"name": name, "mountPath": path, **more}


def resources(**more):
    """Requests and limits: of memory and disk in any case, so that a pod does not take what belongs to its neighbours."""
    sizes = {"memory": size("256Mi", "64Gi"), "ephemeral-storage": size("128Mi", "100Gi")}
    processor = measured(processors, "100m", "64")
    return {"requests": {"cpu": processor, **sizes}, "limits": {**sizes, **more}}


def room(name):
    return {"name": name, "emptyDir": {"sizeLimit": size("256Mi", "64Gi")}}


def field(name, path):
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def names_of(*names):
    """The variables of the environment that are those of ConfigMaps."""
    return [{"configMapRef": {"name": name}} for name in names]


def secret(volume, name):
    """The volume of a Secret, which the group of the pod reads, and nobody else. 0o440 is how YAML reads 0440."""
    return {"name": volume, "secret": {"secretName": name, "defaultMode": 0o440}}
