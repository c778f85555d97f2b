"""What must hold for the rendered manifests: resources in, broken rules out, each as one sentence."""

from collections.abc import Callable
from typing import Final

from tests.deploy.rendered import Resource
from tests.deploy.rules.facts import SECRETS, Broken, our_containers, used
from tests.deploy.rules.pods import confinement, disruption, network, probes, resources_and_images, shared_volumes
from tests.deploy.rules.time import scaling, schedule, time_order
from tests.deploy.rules.words import commands, credentials, references, schemas, settings

__all__ = ["RULES", "SECRETS", "Broken", "broken", "our_containers", "used"]

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


def broken(resources: list[Resource], rules: tuple[Callable[[list[Resource]], Broken], ...] | None = None) -> list[str]:
    """Return every broken rule."""
    return [f"{rule.__name__}: {each}" for rule in rules or RULES for each in rule(resources)]
