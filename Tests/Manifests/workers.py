"""Shapes of the workers of docker/kubernetes, and of what makes more and fewer of them."""

from commands import command
from facts import HOME, JOB, SERVICE
from pods import (
    KEY,
    KEYS,
    SECRET,
    WORKER,
    confinement,
    container,
    labels,
    metadata,
    mount,
    names_of,
    resources,
    room,
    secret,
    security,
    selector,
)
from shapes import measured, processors, seconds, whole

# The slots that workers should have together: all that executes, and all that is ready and may start.
DEMAND = (
    f'sum(baton_operations{{job="{JOB}", state="executing"}}) +'
    f' (sum(baton_operations{{job="{JOB}", state="ready"}}'
    f' unless on (job, instance, queue) (baton_queue_suspended{{job="{JOB}"}} == 1)) or vector(0))'
)
FIGURE = "baton_slots_in_demand"


def worker_pod(**more):
    """The pod of a worker, which has these options more than --slots and --drain-timeout."""
    options = {"--slots": measured(processors, "1", "64"), "--drain-timeout": measured(seconds, "10s", "1h")}
    return {
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
                command("worker", options | more),
                # The coordinators' addresses, but not where the record is.
                envFrom=names_of(SERVICE),
                env=[{"name": "BATON_KEY_FILE", "value": f"{KEYS}/{KEY}"}],
                # Operations may write in their container.
                securityContext=confinement(),
                resources=resources(cpu=measured(processors, "1", "64")),
                volumeMounts=[mount("state", HOME), mount("key", KEYS, readOnly=True)],
            )
        ],
        "volumes": [room("state"), secret("key", SECRET)],
    }


WORKERS = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": metadata(WORKER, "worker"),
    "spec": {
        "replicas": whole(2, 100),
        "selector": selector("worker"),
        # A new worker is there before an old one goes.
        "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "template": {"metadata": {"labels": labels("worker")}, "spec": worker_pod()},
    },
}
SCALED_WORKERS = WORKERS | {"spec": {key: part for key, part in WORKERS["spec"].items() if key != "replicas"}}


def pace(least_window, most_window):
    return {
        "stabilizationWindowSeconds": whole(least_window, most_window),
        "policies": [{"type": "Pods", "value": whole(1, 100), "periodSeconds": whole(15, 600)}],
    }


AUTOSCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": metadata(WORKER, "worker"),
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": WORKER},
        # A worker that is idle costs little, and the first operation need not wait for it.
        "minReplicas": whole(1, 10),
        "maxReplicas": whole(2, 1000),
        "metrics": [
            {
                "type": "External",
                "external": {
                    "metric": {"name": FIGURE},
                    "target": {"type": "AverageValue", "averageValue": measured(processors, "1", "64")},
                },
            }
        ],
        "behavior": {"scaleUp": pace(0, 0), "scaleDown": pace(60, 3600)},
    },
}
JOBS = {
    "apiVersion": "keda.sh/v1alpha1",
    "kind": "ScaledJob",
    "metadata": metadata(WORKER, "worker"),
    "spec": {
        "minReplicaCount": 0,
        "maxReplicaCount": whole(2, 1000),
        "pollingInterval": whole(5, 300),
        "successfulJobsHistoryLimit": whole(1, 100),
        "failedJobsHistoryLimit": whole(1, 100),
        "rollout": {"strategy": "gradual"},
        "triggers": [
            {
                "type": "prometheus",
                "metadata": {
                    "serverAddress": "http://prometheus.monitoring.svc:9090",
                    "query": DEMAND,
                    "threshold": measured(processors, "1", "64"),
                    # Without a figure, no worker is started or taken for unneeded.
                    "ignoreNullValues": "false",
                },
            }
        ],
        "jobTargetRef": {
            "backoffLimit": whole(1, 100),
            "template": {
                "metadata": {"labels": labels("worker")},
                "spec": worker_pod(**{"--idle-exit": "2m"}) | {"restartPolicy": "OnFailure"},
            },
        },
    },
}
ADAPTER = {
    "externalRules": [
        {
            "seriesQuery": f'baton_operations{{job="{JOB}"}}',
            "resources": {"namespaced": False},
            "name": {"as": FIGURE},
            "metricsQuery": DEMAND,
        }
    ]
}
