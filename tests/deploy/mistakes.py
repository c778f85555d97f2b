"""Mistakes that somebody will make in the manifests: a name, the rule that must notice, and how it is made."""

from collections.abc import Callable

from tests.deploy.rendered import Resource, find

WORKER = ("Deployment", "receipt-worker")


def container(resources: list[Resource], kind: str, name: str) -> dict:
    spec = find(resources, kind, name)["spec"]
    template = spec["jobTemplate"]["spec"]["template"] if kind == "CronJob" else spec["template"]
    return template["spec"]["containers"][0]


def pod_spec(resources: list[Resource], kind: str, name: str) -> dict:
    return find(resources, kind, name)["spec"]["template"]["spec"]


def trigger(resources: list[Resource]) -> dict:
    return find(resources, "ScaledObject", "receipt-worker")["spec"]["triggers"][0]["metadata"]


MISTAKES: dict[str, tuple[str, Callable[[list[Resource]], object]]] = {
    "a misspelt field": ("schemas", lambda r: pod_spec(r, *WORKER).update(terminationGracePeriod=600)),
    "a field of the wrong type": (
        "schemas",
        lambda r: pod_spec(r, *WORKER).update(terminationGracePeriodSeconds="600"),
    ),
    "a misspelt field of KEDA": (
        "schemas",
        lambda r: find(r, "ScaledObject", "receipt-worker")["spec"].update(minReplicas=1),
    ),
    "a command that is not one": (
        "commands",
        lambda r: container(r, *WORKER).update(command=["ledger", "work", "ocr"]),
    ),
    "a role that is not one": ("commands", lambda r: container(r, *WORKER).update(command=["ledger", "worker", "ocx"])),
    "an option that is not one": (
        "commands",
        lambda r: container(r, "StatefulSet", "ledger-core").update(command=["ledger", "serve", "--prt", "80"]),
    ),
    "a setting without its value": ("settings", lambda r: container(r, *WORKER)["envFrom"].pop()),
    "a setting that cannot be read": (
        "settings",
        lambda r: container(r, *WORKER)["env"].append({"name": "OCR_TIMEOUT_SECONDS", "value": "5 min"}),
    ),
    "a setting that nobody reads": (
        "settings",
        lambda r: container(r, *WORKER)["env"].append({"name": "OCR_TIMEOUT", "value": "300"}),
    ),
    "a Secret that is not made": (
        "references",
        lambda r: container(r, *WORKER)["envFrom"].append({"secretRef": {"name": "ocr-brokr"}}),
    ),
    "a ConfigMap that is not there": (
        "references",
        lambda r: container(r, *WORKER)["envFrom"].append({"configMapRef": {"name": "ledger-volumes"}}),
    ),
    "a volume that is not there": ("references", lambda r: pod_spec(r, *WORKER)["volumes"].pop()),
    "a key that the Secret does not have": (
        "references",
        lambda r: find(r, "TriggerAuthentication", "receipt-worker")["spec"]["secretTargetRef"][0].update(key="url"),
    ),
    "the worker with a database": (
        "credentials",
        lambda r: container(r, *WORKER)["envFrom"].append({"secretRef": {"name": "publisher-database"}}),
    ),
    "the worker with NATS": (
        "credentials",
        lambda r: container(r, *WORKER)["envFrom"].append({"secretRef": {"name": "core-nats"}}),
    ),
    "the collector as the publisher": (
        "credentials",
        lambda r: container(r, "Deployment", "ocr-results-collector")["envFrom"].append(
            {"secretRef": {"name": "publisher-database"}}
        ),
    ),
    "a password in clear": (
        "credentials",
        lambda r: container(r, *WORKER)["env"].append({"name": "RABBITMQ_URL", "value": "amqp://ocr:x@rabbitmq"}),
    ),
    "a grace period shorter than the hard limit": (
        "time_order",
        lambda r: pod_spec(r, *WORKER).update(terminationGracePeriodSeconds=569),
    ),
    "a grace period longer than consumer_timeout": (
        "time_order",
        lambda r: pod_spec(r, *WORKER).update(terminationGracePeriodSeconds=901),
    ),
    "a longer OCR limit alone": (
        "time_order",
        lambda r: container(r, *WORKER)["env"].append({"name": "OCR_TIMEOUT_SECONDS", "value": "400"}),
    ),
    "a collector that is killed while it holds": (
        "time_order",
        lambda r: pod_spec(r, "Deployment", "ocr-results-collector").update(terminationGracePeriodSeconds=30),
    ),
    "spec.replicas": ("scaling", lambda r: find(r, *WORKER)["spec"].update(replicas=1)),
    "another queue": ("scaling", lambda r: trigger(r).update(queueName="receipts.v1.retry")),
    "all messages instead of ready ones": ("scaling", lambda r: trigger(r).update(protocol="http")),
    "three replicas": (
        "scaling",
        lambda r: find(r, "ScaledObject", "receipt-worker")["spec"].update(maxReplicaCount=3),
    ),
    "scaling down at once": (
        "scaling",
        lambda r: find(r, "ScaledObject", "receipt-worker")["spec"]["advanced"]["horizontalPodAutoscalerConfig"][
            "behavior"
        ]["scaleDown"].update(stabilizationWindowSeconds=300),
    ),
    "two publishers at once": (
        "schedule",
        lambda r: find(r, "CronJob", "receipt-processor")["spec"].update(concurrencyPolicy="Allow"),
    ),
    "a publisher that stays suspended": (
        "schedule",
        lambda r: find(r, "CronJob", "receipt-processor")["spec"].update(suspend=True),
    ),
    "beat that scans too": (
        "schedule",
        lambda r: container(r, "Deployment", "ledger-beat")["env"].append(
            {"name": "DISCOVERY_BY_BEAT", "value": "true"}
        ),
    ),
    "root": ("confinement", lambda r: pod_spec(r, *WORKER)["securityContext"].update(runAsNonRoot=False)),
    "a capability": (
        "confinement",
        lambda r: container(r, *WORKER)["securityContext"].update(capabilities={"add": ["SYS_ADMIN"]}),
    ),
    "a writable root": (
        "confinement",
        lambda r: container(r, *WORKER)["securityContext"].update(readOnlyRootFilesystem=False),
    ),
    "service links": ("confinement", lambda r: pod_spec(r, *WORKER).update(enableServiceLinks=True)),
    "a token": ("confinement", lambda r: pod_spec(r, *WORKER).update(automountServiceAccountToken=True)),
    "no memory limit": ("resources_and_images", lambda r: container(r, *WORKER)["resources"].pop("limits")),
    "the newest image": ("resources_and_images", lambda r: container(r, *WORKER).update(image="ledger/ocr:latest")),
    "no liveness": ("probes", lambda r: container(r, *WORKER).pop("livenessProbe")),
    "the health of another role": (
        "probes",
        lambda r: container(r, *WORKER)["readinessProbe"]["exec"].update(command=["ledger", "health", "collector"]),
    ),
    "a restart at each restart of the broker": (
        "probes",
        lambda r: container(r, *WORKER)["livenessProbe"].update(failureThreshold=3),
    ),
    "a budget that selects nothing": (
        "disruption",
        lambda r: find(r, "PodDisruptionBudget", "receipt-worker")["spec"]["selector"]["matchLabels"].update(
            {"app.kubernetes.io/component": "ocr"}
        ),
    ),
    "no anti-affinity": ("disruption", lambda r: pod_spec(r, "StatefulSet", "rabbitmq").pop("affinity")),
    "a worker that reaches PostgreSQL": (
        "network",
        lambda r: find(r, *WORKER)["spec"]["template"]["metadata"]["labels"].update({"ledger/database": "client"}),
    ),
    "a policy without ports": (
        "network",
        lambda r: find(r, "NetworkPolicy", "broker-clients")["spec"]["egress"][0].pop("ports"),
    ),
    "no default policy": ("network", lambda r: [r.remove(each) for each in list(r) if each["kind"] == "NetworkPolicy"]),
    "a writable receipt folder": (
        "shared_volumes",
        lambda r: container(r, *WORKER)["volumeMounts"][1].update(readOnly=False),
    ),
    "another cache than the publisher's": (
        "shared_volumes",
        lambda r: pod_spec(r, *WORKER)["volumes"][-1].update(persistentVolumeClaim={"claimName": "receipt-source"}),
    ),
}
