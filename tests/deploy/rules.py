"""What must hold for the rendered manifests: resources in, broken rules out, each as one sentence."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import jsonschema
import kubernetes_validate

from deploy.credentials import NAMES, Addresses, make_secrets
from ledger_tasks.app import SETTLEMENT_SECONDS
from ledger_tasks.errors import ConfigurationError
from ledger_tasks.messaging.publish import CONFIRM_SECONDS, CONNECT_SECONDS, SOCKET_SECONDS
from ledger_tasks.messaging.topology import RECEIPTS
from ledger_tasks.settings import OcrSettings, load
from ledger_tasks.worker import hard_limit
from tests.deploy.commands import parse, settings_class
from tests.deploy.rendered import DEPLOY, Pod, Resource, config_maps, environment, find, pods

Broken = Iterator[str]

KEDA_SCHEMA: Final = json.loads((Path(__file__).parent / "keda.schema.json").read_text())
SECRETS: Final = make_secrets({name: f"password-of-{name}" for name in NAMES}, Addresses())
BROUGHT: Final = {"ledger-ca", "rabbitmq-tls"}
"""What an operator brings for TLS (deploy/tls)."""

DATABASE: Final = {
    "ledger-migrations": "database-owner",
    "receipt-processor": "publisher-database",
    "ledger-publisher": "publisher-database",
    "ocr-results-collector": "collector-database",
    "ledger-core": "core-database",
    "ledger-recognition": "core-database",
}
"""The only workloads that may hold a database credential, and whose it is."""

HEALTH: Final = {"worker": 2, "beat": 1}


def broken(resources: list[Resource], rules: tuple[Callable[[list[Resource]], Broken], ...] | None = None) -> list[str]:
    """Return every broken rule."""
    return [f"{rule.__name__}: {each}" for rule in rules or RULES for each in rule(resources)]


def schemas(resources: list[Resource]) -> Broken:
    for each in resources:
        try:
            if each["apiVersion"].startswith("keda.sh/"):
                jsonschema.validate(each, KEDA_SCHEMA)
            else:
                kubernetes_validate.validate(each, "1.34", strict=True)
        except (jsonschema.ValidationError, kubernetes_validate.ValidationError) as error:
            yield f"{each['kind']} {each['metadata']['name']}: {error.message}"


def commands(resources: list[Resource]) -> Broken:
    for pod, container in our_containers(resources):
        program, *words = container["command"]
        try:
            assert program == "ledger"
            parse(words)
        except Exception as error:  # noqa: BLE001 (whatever the command line says against it)
            yield f"{pod.name}: {container['command']} is no command: {error}"


def settings(resources: list[Resource]) -> Broken:
    """Each process starts with what its pod gives it, and gets no secret that its settings have no field for."""
    config = config_maps(resources)
    for pod, container in our_containers(resources):
        wanted = settings_class(container["command"][1:])
        if wanted is None:
            yield f"{pod.name}: nobody reads the settings of {container['command']}"
            continue
        try:
            given = environment(container, config, SECRETS)
        except KeyError as missing:
            yield f"{pod.name}: there is no {missing}"
            continue
        if find(resources, pod.kind, pod.name)["spec"].get("suspend"):
            given = SECRETS["publisher-broker"] | given  # what the overlay brings that lets it run
        with patch.dict(os.environ, given, clear=True):
            try:
                load(wanted)
            except ConfigurationError as error:
                yield f"{pod.name}: {error.message}"
        known = {*wanted.model_fields, "ssl_cert_file"}
        yield from (f"{pod.name}: {name} means nothing to it" for name in given if name.lower() not in known)


def references(resources: list[Resource]) -> Broken:
    config = config_maps(resources)
    claims = {each["metadata"]["name"] for each in resources if each["kind"] == "PersistentVolumeClaim"}
    accounts = {each["metadata"]["name"] for each in resources if each["kind"] == "ServiceAccount"}
    for pod in pods(resources):
        own = {each["name"] for each in pod.spec.get("volumes", [])} | templates(resources, pod)
        for container in pod.containers:
            yield from (f"{pod.name}: no volume {m['name']}" for m in container["volumeMounts"] if m["name"] not in own)
        for kind, name in used(pod):
            there = {"configMap": config.keys(), "secret": SECRETS.keys(), "claim": claims}[kind]
            if name not in there and name not in BROUGHT:
                yield f"{pod.name}: there is no {kind} {name}"
        if pod.spec.get("serviceAccountName") not in accounts:
            yield f"{pod.name}: no such service account"
    for each in resources:
        if each["kind"] == "TriggerAuthentication":
            for reference in each["spec"]["secretTargetRef"]:
                if reference["key"] not in SECRETS.get(reference["name"], {}) and reference["name"] not in BROUGHT:
                    yield f"{each['metadata']['name']}: there is no {reference}"


def credentials(resources: list[Resource]) -> Broken:
    """Only publisher, collector and the recognition core reach PostgreSQL, each as itself; no value stands in clear."""
    for pod in pods(resources):
        held = {name for kind, name in used(pod) if kind == "secret"}
        databases = {name for name in held if "DATABASE_URL" in SECRETS.get(name, {})}
        allowed = {DATABASE[pod.name]} if pod.name in DATABASE else set()
        yield from (f"{pod.name} holds {name}" for name in databases - allowed)
        if pod.name == "receipt-worker" and held - {"ocr-broker"}:
            yield f"receipt-worker holds {sorted(held)}"
        for container in pod.containers:
            for each in container.get("env", []):
                if re.search(r"PASSWORD|SECRET|SEED|JWT|TOKEN|_URL$", each["name"]) and "value" in each:
                    yield f"{pod.name}: {each['name']} stands in clear"
    yield from (
        f"{each['metadata']['name']} is a Secret with its value" for each in resources if each["kind"] == "Secret"
    )


def time_order(resources: list[Resource]) -> Broken:
    """Lock + OCR + hold + settlement < hard limit < grace < consumer_timeout, all as they would really run."""
    worker = next((pod for pod in pods(resources) if pod.name == "receipt-worker"), None)
    if worker is None:
        return
    with patch.dict(os.environ, environment(worker.spec["containers"][0], config_maps(resources), SECRETS), clear=True):
        limits = load(OcrSettings)
    connecting = 2 * (CONNECT_SECONDS + CONFIRM_SECONDS + 2 * SOCKET_SECONDS)
    order = {
        "lock + OCR + hold + settlement": limits.lock_seconds
        + limits.ocr_timeout_seconds
        + limits.hold_seconds
        + connecting,
        "hard limit": hard_limit(limits),
        "grace period": worker.spec["terminationGracePeriodSeconds"],
        "consumer_timeout": consumer_timeout(resources),
    }
    names, seconds = list(order), list(order.values())
    for i in range(len(names) - 1):
        if not seconds[i] < seconds[i + 1]:
            yield f"{names[i]} ({seconds[i]:g} s) is not shorter than {names[i + 1]} ({seconds[i + 1]:g} s)"
    for name in ("ocr-results-collector",):
        (collector,) = (pod for pod in pods(resources) if pod.name == name)
        if not limits.hold_seconds + SETTLEMENT_SECONDS < collector.spec["terminationGracePeriodSeconds"]:
            yield f"{name}: its grace period is shorter than hold and settlement"


def scaling(resources: list[Resource]) -> Broken:
    if not any(each["kind"] == "ScaledObject" for each in resources):
        return
    worker = find(resources, "Deployment", "receipt-worker")
    if "replicas" in worker["spec"]:
        yield "spec.replicas of receipt-worker belongs to KEDA"
    scaled = find(resources, "ScaledObject", "receipt-worker")["spec"]
    (trigger,) = scaled["triggers"]
    rules = scaled["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
    longest = 60 + 300 + 120 + SETTLEMENT_SECONDS
    facts = {
        "it scales another thing": scaled["scaleTargetRef"]["name"] == "receipt-worker",
        "one to two replicas": (scaled["minReplicaCount"], scaled["maxReplicaCount"]) == (1, 2),
        "it looks at another queue": trigger["metadata"]["queueName"] == RECEIPTS.work,
        "it counts more than ready messages": trigger["metadata"]["protocol"] == "amqp"
        or trigger["metadata"].get("excludeUnacknowledged") == "true",
        "it counts no queue length": trigger["metadata"]["mode"] == "QueueLength",
        "it scales down within one receipt": rules["stabilizationWindowSeconds"] > longest,
        "it scales several down at once": rules["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 900}],
        "nobody gives it a login": trigger["authenticationRef"]["name"]
        in {each["metadata"]["name"] for each in resources if each["kind"] == "TriggerAuthentication"},
    }
    yield from (fact for fact, holds in facts.items() if not holds)


def schedule(resources: list[Resource]) -> Broken:
    job = find(resources, "CronJob", "receipt-processor")["spec"]
    with_broker = any(each["metadata"]["name"] == "rabbitmq" for each in resources)
    facts = {
        "every 15 minutes": job["schedule"] == "*/15 * * * *",
        "never two at once": job["concurrencyPolicy"] == "Forbid",
        "suspended without a broker, running with one": job["suspend"] is not with_broker,
    }
    if with_broker:
        beat = next(pod for pod in pods(resources) if pod.name == "ledger-beat")
        given = environment(beat.spec["containers"][0], config_maps(resources), SECRETS)
        facts["the CronJob finds receipts, so beat does not"] = given.get("DISCOVERY_BY_BEAT") == "false"
    yield from (f"not so: {fact}" for fact, holds in facts.items() if not holds)


def confinement(resources: list[Resource]) -> Broken:
    for pod in pods(resources):
        for name in ("automountServiceAccountToken", "enableServiceLinks"):
            if pod.spec.get(name) is not False:
                yield f"{pod.name}: {name} is not false"
        if not pod.spec.get("securityContext", {}).get("runAsNonRoot"):
            yield f"{pod.name} may run as root"
        if pod.spec.get("securityContext", {}).get("seccompProfile") != {"type": "RuntimeDefault"}:
            yield f"{pod.name} has no seccomp profile"
        if any(pod.spec.get(name) for name in ("hostNetwork", "hostPID", "hostIPC")):
            yield f"{pod.name} shares a namespace of the machine"
        for container in pod.containers:
            wanted = {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            if container.get("securityContext") != wanted:
                yield f"{pod.name}: {container['name']} keeps rights"
            if "hostPath" in json.dumps(pod.spec.get("volumes", [])):
                yield f"{pod.name} mounts a folder of the machine"


def resources_and_images(resources: list[Resource]) -> Broken:
    for pod in pods(resources):
        for container in pod.containers:
            given = container.get("resources", {})
            if "memory" not in given.get("limits", {}) or {"cpu", "memory"} - given.get("requests", {}).keys():
                yield f"{pod.name}: {container['name']} has no limits"
            _, _, tag = container["image"].rpartition("/")[2].partition(":")
            if not tag or tag == "latest":
                yield f"{pod.name}: {container['image']} is not pinned"
        for volume in pod.spec.get("volumes", []):
            if "emptyDir" in volume and "sizeLimit" not in (volume["emptyDir"] or {}):
                yield f"{pod.name}: {volume['name']} has no size limit"


def probes(resources: list[Resource]) -> Broken:
    for pod in pods(resources):
        if not pod.runs_on:
            continue
        (container,) = pod.spec["containers"]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if probe not in container:
                yield f"{pod.name} has no {probe}"
            elif pod.is_ours and (words := container["command"][1:])[0] in HEALTH:
                role = words[HEALTH[words[0]] - 1]
                if container[probe].get("exec", {}).get("command") != ["ledger", "health", role]:
                    yield f"{pod.name}: {probe} does not ask for the health of {role}"
        live = container.get("livenessProbe", {})
        if pod.is_ours and "exec" in live and live["periodSeconds"] * live["failureThreshold"] < 600:
            yield f"{pod.name}: a restart of the broker would restart it too"
        if "terminationGracePeriodSeconds" not in pod.spec:
            yield f"{pod.name}: grace by default"


def disruption(resources: list[Resource]) -> Broken:
    labelled = {pod.name: pod for pod in pods(resources)}
    covered = set()
    for budget in (each for each in resources if each["kind"] == "PodDisruptionBudget"):
        wanted = budget["spec"]["selector"]["matchLabels"].items()
        found = {name for name, pod in labelled.items() if wanted <= pod.labels.items()}
        if len(found) != 1:
            yield f"budget {budget['metadata']['name']} selects {sorted(found)}"
        covered |= found
        for name in found:
            if "podAntiAffinity" not in labelled[name].spec.get("affinity", {}):
                yield f"{name}: all its pods may be on one machine"
    several = {"ledger-core", "receipt-worker", "ocr-results-collector", "rabbitmq"} & labelled.keys()
    yield from (f"{name} has no disruption budget" for name in several - covered)


def network(resources: list[Resource]) -> Broken:
    """Each pod reaches what it needs and nothing else; by port, since the databases' addresses are the cluster's."""
    dns, broker, database, exchange = {53}, {5672, 5671}, {5432}, {4222, 443}
    wanted = {
        "receipt-worker": dns | broker,
        "ledger-beat": dns | broker,
        "ledger-publisher": dns | broker | database,
        "ocr-results-collector": dns | broker | database,
        "ledger-recognition": dns | broker | database | exchange,
        "ledger-migrations": dns | database,
        "rabbitmq": dns | {4369, 25672},
    }
    with_broker = any(each["metadata"]["name"] == "rabbitmq" for each in resources)
    queues = broker if with_broker else set()
    wanted |= {"receipt-processor": dns | database | queues, "ledger-core": dns | database | exchange | queues}
    for pod in pods(resources):
        found = egress(resources, pod)
        if found is None:
            yield f"{pod.name} reaches everything"
        elif found != wanted[pod.name]:
            yield f"{pod.name} reaches {sorted(found)}, not {sorted(wanted[pod.name])}"


def shared_volumes(resources: list[Resource]) -> Broken:
    """Publisher and workers mount the same two claims at the paths that they are told; the worker only looks at one."""
    config = config_maps(resources)
    for pod in pods(resources):
        (*_, container) = pod.spec["containers"]
        if not pod.is_ours or "RECEIPT_SOURCE_ROOT" not in environment(container, config, SECRETS):
            continue
        mounts = {each["name"]: each for each in container["volumeMounts"]}
        given = environment(container, config, SECRETS)
        for name, variable in (("receipt-source", "RECEIPT_SOURCE_ROOT"), ("ocr-cache", "HOME_BUDGET_OCR_CACHE")):
            claim = {"name": name, "persistentVolumeClaim": {"claimName": name}}
            if mounts.get(name, {}).get("mountPath") != given[variable] or claim not in pod.spec["volumes"]:
                yield f"{pod.name} does not mount {name}"
        if pod.name in {"receipt-worker", "ledger-core"} and not mounts.get("receipt-source", {}).get("readOnly"):
            yield f"{pod.name} may write to the receipts"


RULES: Final = (
    schemas,
    commands,
    settings,
    references,
    credentials,
    time_order,
    scaling,
    schedule,
    confinement,
    resources_and_images,
    probes,
    disruption,
    network,
    shared_volumes,
)


def our_containers(resources: list[Resource]) -> Iterator[tuple[Pod, dict[str, Any]]]:
    for pod in pods(resources):
        for container in pod.containers:
            if container["image"].startswith("ledger/"):
                yield pod, container


def used(pod: Pod) -> Iterator[tuple[str, str]]:
    for container in pod.containers:
        for source in container.get("envFrom", []):
            yield (
                ("configMap", source["configMapRef"]["name"])
                if "configMapRef" in source
                else (
                    "secret",
                    source["secretRef"]["name"],
                )
            )
    for volume in pod.spec.get("volumes", []):
        for source in volume.get("projected", {}).get("sources", [volume]):
            if "configMap" in source:
                yield "configMap", source["configMap"]["name"]
            if "secret" in source:
                yield "secret", source["secret"].get("secretName") or source["secret"]["name"]
            if "persistentVolumeClaim" in source:
                yield "claim", source["persistentVolumeClaim"]["claimName"]


def templates(resources: list[Resource], pod: Pod) -> set[str]:
    owner = find(resources, pod.kind, pod.name)
    return {each["metadata"]["name"] for each in owner["spec"].get("volumeClaimTemplates", [])}


def egress(resources: list[Resource], pod: Pod) -> set[int] | None:
    """Return the ports that the policies let a pod reach, None when no policy selects it."""
    found: set[int] = set()
    selected = False
    for policy in (each["spec"] for each in resources if each["kind"] == "NetworkPolicy"):
        labels = policy["podSelector"].get("matchLabels", {})
        if "Egress" not in policy["policyTypes"] or not labels.items() <= pod.labels.items():
            continue
        selected = True
        for rule in policy.get("egress", []):
            found |= {port["port"] for port in rule.get("ports", [{"port": -1}])}
    return found if selected else None


def consumer_timeout(resources: list[Resource]) -> float:
    """Return the seconds of the broker configuration that is rendered."""
    (shipped,) = (data for name, data in config_maps(resources).items() if name.startswith("rabbitmq-configuration"))
    found = re.findall(r"^consumer_timeout = (\d+)$", "\n".join(shipped.values()), re.MULTILINE)
    return int(found[-1]) / 1000


__all__ = ["DEPLOY", "RULES", "SECRETS", "broken"]
