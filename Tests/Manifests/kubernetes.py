"""What docker/kubernetes.yaml has to be."""

from commands import check_head, check_mentions, command, comments_of, options_of
from facts import HEALTH, HOME, HTTP, LEAST_GRACE, MOST_GRACE, PORT, SERVICE, USER, VERSION
from shapes import expect, kubernetes_bytes, match, measured, processors, seconds, whole

COORDINATOR, WORKER = "baton-coordinator", "baton-worker"
# The Secret of the workers, and the file in it.
SECRET, KEY = "baton-worker", "key"
KEYS = "/run/secrets/baton"
POD = f"{COORDINATOR}-0"
HEAD = [
    "kubectl apply -f docker/kubernetes.yaml",
    f"kubectl rollout status statefulset {COORDINATOR}",
    # A failed command makes no Secret with an empty key.
    f"key=$(kubectl exec {POD} -- baton authorize --role worker workers --address tcp://{SERVICE}:{PORT}) &&",
    f"  printf '%s\\n' \"$key\" | kubectl create secret generic {SECRET} --from-file={KEY}=/dev/stdin",
    f"kubectl exec {POD} -- baton run -- echo hello",
    f"kubectl scale deployment {WORKER} --replicas 10",
    f"kubectl port-forward {POD} 8080:{HTTP}",
    f"kubectl exec {POD} -- baton dashboard",
    f"kubectl exec {POD} -- sh -c 'kill -HUP 1'",
]


def labels(component):
    return {"app.kubernetes.io/name": "baton", "app.kubernetes.io/component": component}


def metadata(name, component):
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


COORDINATOR_POD = {
    "automountServiceAccountToken": False,
    "terminationGracePeriodSeconds": whole(30, 600),
    # Otherwise each start would open the files of the keys to the group, and they would be refused.
    "securityContext": security(fsGroupChangePolicy="OnRootMismatch"),
    "containers": [
        container(
            "coordinator",
            command(
                "coordinator",
                {
                    "--listen": f"tcp://*:{PORT}",
                    "--http": f"0.0.0.0:{HTTP}",
                    "--http-host": [SERVICE, f"{SERVICE}.$(NAMESPACE).svc"],
                    "--http-insecure": True,
                },
            ),
            env=[{"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}],
            ports=[{"name": "baton", "containerPort": PORT}, {"name": "http", "containerPort": HTTP}],
            securityContext=confinement(readOnlyRootFilesystem=True),
            resources=resources(),
            volumeMounts=[mount("record", HOME), mount("temporary", "/tmp")],
            startupProbe=probe(failureThreshold=whole(1, 3600)),
        )
    ],
    "volumes": [room("temporary")],
}
WORKER_POD = {
    "automountServiceAccountToken": False,
    "terminationGracePeriodSeconds": whole(20, 7200),
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            # One node has room for all workers, if there is no other.
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": selector("worker"),
        }
    ],
    "securityContext": security(),
    "dnsConfig": {"options": [{"name": "timeout", "value": "1"}, {"name": "attempts", "value": "2"}]},
    "containers": [
        container(
            "worker",
            command(
                "worker",
                {"--slots": measured(processors, "1", "64"), "--drain-timeout": measured(seconds, "10s", "1h")},
            ),
            env=[{"name": "BATON_KEY_FILE", "value": f"{KEYS}/{KEY}"}],
            # Operations may write in their container.
            securityContext=confinement(),
            resources=resources(cpu=measured(processors, "1", "64")),
            volumeMounts=[mount("state", HOME), mount("key", KEYS, readOnly=True)],
        )
    ],
    # The group of the pod reads the key, and nobody else. 0o440 is how YAML reads 0440.
    "volumes": [room("state"), {"name": "key", "secret": {"secretName": SECRET, "defaultMode": 0o440}}],
}
MANIFESTS = [
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(SERVICE, "coordinator"),
        "spec": {
            # The name leads to the coordinator's pod itself, also to one that is not ready: it says what is wrong.
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": labels("coordinator"),
            "ports": [
                {"name": "baton", "port": PORT, "targetPort": "baton"},
                {"name": "http", "port": HTTP, "targetPort": "http"},
            ],
        },
    },
    {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata(COORDINATOR, "coordinator"),
        "spec": {
            "replicas": 1,
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
                "spec": COORDINATOR_POD,
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
    },
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(WORKER, "worker"),
        "spec": {
            "replicas": whole(2, 100),
            "selector": selector("worker"),
            # A new worker is there before an old one goes.
            "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {"metadata": {"labels": labels("worker")}, "spec": WORKER_POD},
        },
    },
    {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(WORKER, "worker"),
        # None would keep each node with a worker from being drained; all would be no budget.
        "spec": {"maxUnavailable": 1, "selector": selector("worker")},
    },
]


def check_sizes(pod):
    """Checks that a container asks for no more than it may have, and may have what its volumes may take."""
    (part,) = pod["containers"]
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


def check_text(text):
    check_head(text, HEAD)
    check_mentions(comments_of(text))


def check_documents(documents):
    match(MANIFESTS, documents, "the manifests")
    for manifest in documents[1:3]:
        pod = manifest["spec"]["template"]["spec"]
        check_sizes(pod)
        check_probes(pod["containers"][0])
    worker = pod["containers"][0]
    options = options_of(worker["args"])
    spare = pod["terminationGracePeriodSeconds"] - seconds(options["--drain-timeout"])
    expect(
        LEAST_GRACE <= spare <= MOST_GRACE,
        f"a worker is killed {spare} s after its drain, not between {LEAST_GRACE} and {MOST_GRACE} s",
    )
    for kind in ["requests", "limits"]:
        cpu = worker["resources"][kind]["cpu"]
        expect(cpu == options["--slots"], f"a worker has {options['--slots']} slots, and {cpu} processors in its {kind}")
    return len(documents)
