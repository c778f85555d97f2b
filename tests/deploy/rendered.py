"""The manifests as kubectl renders them: a folder of deploy/ in, resources and their pods out."""

import subprocess
import sysconfig
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
Resource = dict[str, Any]


@dataclass(frozen=True)
class Pod:
    """What a workload makes; `name` is the workload's."""

    kind: str
    name: str
    labels: dict[str, str]
    spec: dict[str, Any]

    @property
    def containers(self) -> list[dict[str, Any]]:
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]

    @property
    def is_ours(self) -> bool:
        return self.labels.get("app.kubernetes.io/name") == "ledger"

    @property
    def runs_on(self) -> bool:
        """It does not end by itself."""
        return self.kind in {"Deployment", "StatefulSet"}


def render(name: str) -> list[Resource]:
    """Return a fresh copy of what `kubectl kustomize deploy/NAME` prints."""
    return deepcopy(_rendered(DEPLOY / name))


def render_folder(folder: Path) -> list[Resource]:
    return deepcopy(_rendered(folder))


def find(resources: list[Resource], kind: str, name: str) -> Resource:
    (found,) = (each for each in resources if each["kind"] == kind and each["metadata"]["name"] == name)
    return found


def pods(resources: list[Resource]) -> Iterator[Pod]:
    for each in resources:
        match each["kind"]:
            case "Deployment" | "StatefulSet" | "Job":
                template = each["spec"]["template"]
            case "CronJob":
                template = each["spec"]["jobTemplate"]["spec"]["template"]
            case _:
                continue
        yield Pod(each["kind"], each["metadata"]["name"], template["metadata"]["labels"], template["spec"])


def pod(resources: list[Resource], name: str) -> Pod:
    (found,) = (each for each in pods(resources) if each.name == name)
    return found


def environment(
    container: dict[str, Any], config: dict[str, dict[str, str]], secrets: dict[str, dict[str, str]]
) -> dict[str, str]:
    """Return what Kubernetes would put into the container's environment; `env` wins over `envFrom`."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        if "configMapRef" in source:
            found |= config[source["configMapRef"]["name"]]
        else:
            found |= secrets[source["secretRef"]["name"]]
    return found | {each["name"]: each["value"] for each in container.get("env", []) if "value" in each}


def config_maps(resources: list[Resource]) -> dict[str, dict[str, str]]:
    return {each["metadata"]["name"]: each["data"] for each in resources if each["kind"] == "ConfigMap"}


@cache
def _rendered(folder: Path) -> list[Resource]:
    kubectl = Path(sysconfig.get_path("scripts")) / "kubectl"
    done = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]
