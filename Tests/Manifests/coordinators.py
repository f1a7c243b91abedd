"""Shapes of the coordinators of docker/kubernetes, and of what belongs to them."""

from commands import command, parse
from facts import HOME, HTTP, PORT, SERVICE, VERSION
from pods import (
    COORDINATOR,
    DATABASE,
    KEYS,
    confinement,
    container,
    field,
    labels,
    metadata,
    mount,
    names_of,
    probe,
    resources,
    room,
    secret,
    security,
    selector,
    size,
)
from shapes import expect, match, whole

COORDINATOR_OPTIONS = {
    "--listen": f"tcp://*:{PORT}",
    "--http": f"0.0.0.0:{HTTP}",
    "--http-insecure": True,
}
NAMES = [SERVICE, f"{SERVICE}.$(NAMESPACE).svc"]


def coordinator(options, env, volumes=(), spec=None, **more):
    """The StatefulSet of coordinators, with what one of the arrangements adds to its container, its pod and itself."""
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata(COORDINATOR, "coordinator"),
        "spec": {
            "serviceName": SERVICE,
            "selector": selector("coordinator"),
            "template": {
                "metadata": {
                    "labels": labels("coordinator"),
                    "annotations": {
                        "prometheus.io/scrape": "true",
                        "prometheus.io/port": str(HTTP),
                        "prometheus.io/path": "/metrics",
                    },
                },
                "spec": {
                    "automountServiceAccountToken": False,
                    "terminationGracePeriodSeconds": whole(30, 600),
                    # Otherwise each start would open the files of the keys to the group, and they would be refused.
                    "securityContext": security(fsGroupChangePolicy="OnRootMismatch"),
                    "containers": [
                        container(
                            "coordinator",
                            command("coordinator", COORDINATOR_OPTIONS | options),
                            env=[*env, field("NAMESPACE", "metadata.namespace")],
                            ports=[{"name": "baton", "containerPort": PORT}, {"name": "http", "containerPort": HTTP}],
                            securityContext=confinement(readOnlyRootFilesystem=True),
                            resources=resources(),
                            volumeMounts=[mount("record", HOME), mount("temporary", "/tmp")],
                            startupProbe=probe(failureThreshold=whole(1, 3600)),
                            **more,
                        )
                    ],
                    "volumes": [*volumes, room("temporary")],
                    **(spec or {}),
                },
            },
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "record"},
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": size("1Gi", "1000Gi")}},
                    },
                }
            ],
        },
    }


# The password of the database, which libpq takes from this variable.
PASSWORD = {"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": DATABASE, "key": "password"}}}
SINGLE = coordinator({"--http-host": NAMES}, [])
SINGLE["spec"]["replicas"] = 1
STANDBY = coordinator(
    {"--standby": True, "--http-host": [*NAMES, f"$(POD).{SERVICE}", f"$(POD).{SERVICE}.$(NAMESPACE).svc"]},
    [
        field("POD", "metadata.name"),
        PASSWORD,
    ],
    volumes=[secret("keys", COORDINATOR)],
    spec={
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector("coordinator")}
                ]
            }
        },
        "initContainers": [
            {
                "name": "keys",
                "image": f"baton:{VERSION}",
                "imagePullPolicy": "IfNotPresent",
                # As root's files that a group may read, the keys would be refused.
                "command": [
                    "sh",
                    "-c",
                    'install -d -m 0700 "$BATON_HOME/keys" && install -m 0600 -t "$BATON_HOME/keys" ' + f"{KEYS}/*",
                ],
                "securityContext": confinement(readOnlyRootFilesystem=True),
                "resources": resources(),
                "volumeMounts": [mount("record", HOME), mount("keys", KEYS, readOnly=True)],
            }
        ],
    },
    envFrom=names_of(SERVICE, COORDINATOR),
)
STANDBY["spec"] |= {"replicas": 2, "podManagementPolicy": "Parallel", "minReadySeconds": whole(5, 60)}


def store_copy(words, place):
    """The shape of the command that moves a record from the volume of a coordinator to the database."""
    expect(isinstance(words, list) and words, f"{place} is {words!r}, not a command")
    name, options, operands = parse(words)
    expect(name == "store copy" and not options, f"{place} runs baton {name} with {options}")
    match([f"{HOME}/baton.db", "$(BATON_STORE)"], operands, place)


MOVE = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": metadata("baton-move", "move"),
    "spec": {
        "backoffLimit": 0,
        "template": {
            "metadata": {"labels": labels("move")},
            "spec": {
                "automountServiceAccountToken": False,
                "restartPolicy": "Never",
                "securityContext": security(fsGroupChangePolicy="OnRootMismatch"),
                "containers": [
                    {
                        "name": "move",
                        "image": f"baton:{VERSION}",
                        "imagePullPolicy": "IfNotPresent",
                        "args": store_copy,
                        "envFrom": names_of(COORDINATOR),
                        "env": [PASSWORD],
                        "securityContext": confinement(readOnlyRootFilesystem=True),
                        "resources": resources(),
                        "volumeMounts": [mount("record", HOME), mount("temporary", "/tmp")],
                    }
                ],
                "volumes": [
                    {"name": "record", "persistentVolumeClaim": {"claimName": f"record-{COORDINATOR}-0"}},
                    room("temporary"),
                ],
            },
        },
    },
}


def config(name, component, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, component), "data": data}


def budget(name, component):
    """None would keep each node with such a pod from being drained; all would be no budget."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(name, component),
        "spec": {"maxUnavailable": 1, "selector": selector(component)},
    }


NETWORK = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": metadata(SERVICE, "coordinator"),
    "spec": {
        # Names lead to the coordinators' pods themselves, also to one that is not ready: it says what is wrong.
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": labels("coordinator"),
        "ports": [
            {"name": "baton", "port": PORT, "targetPort": "baton"},
            {"name": "http", "port": HTTP, "targetPort": "http"},
        ],
    },
}
