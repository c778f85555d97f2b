"""Rules of pods: rights, resources, probes, disruption, network and volumes."""

import json
from typing import Final

from tests.deploy.rendered import Pod, Resource, config_maps, environment, pods
from tests.deploy.rules.facts import SECRETS, Broken

HEALTH: Final = {"worker": 2, "beat": 1}


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
