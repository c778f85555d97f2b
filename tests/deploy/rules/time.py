"""Rules of time and number: the order of limits, scaling, the schedule."""

import os
import re
from unittest.mock import patch

from ledger_tasks.app import SETTLEMENT_SECONDS
from ledger_tasks.messaging.publish import CONFIRM_SECONDS, CONNECT_SECONDS, SOCKET_SECONDS
from ledger_tasks.messaging.topology import RECEIPTS
from ledger_tasks.settings import OcrSettings, load
from ledger_tasks.worker import hard_limit
from tests.deploy.rendered import Resource, config_maps, environment, find, pods
from tests.deploy.rules.facts import SECRETS, Broken


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


def consumer_timeout(resources: list[Resource]) -> float:
    """Return the seconds of the broker configuration that is rendered."""
    (shipped,) = (data for name, data in config_maps(resources).items() if name.startswith("rabbitmq-configuration"))
    found = re.findall(r"^consumer_timeout = (\d+)$", "\n".join(shipped.values()), re.MULTILINE)
    return int(found[-1]) / 1000
