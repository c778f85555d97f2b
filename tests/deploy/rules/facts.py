"""What the rules look at: containers of ours, what a pod uses, and every Secret that is made."""

from collections.abc import Iterator
from typing import Any, Final

from deploy.credentials import NAMES, Addresses, make_secrets
from tests.deploy.rendered import Pod, Resource, find, pods

Broken = Iterator[str]

SECRETS: Final = make_secrets({name: f"password-of-{name}" for name in NAMES}, Addresses())
BROUGHT: Final = {"ledger-ca", "rabbitmq-tls"}
"""What an operator brings for TLS (deploy/tls)."""


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
