"""The manifests, rendered by kubectl: every rule holds, and every mistake that we could think of breaks one."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deploy import rules
from tests.deploy.mistakes import MISTAKES
from tests.deploy.rendered import DEPLOY, Resource, config_maps, environment, find, pods, render, render_folder
from tests.deploy.rules import RULES, SECRETS, broken

OVERLAYS = ("base", "rabbitmq", "three-nodes")


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_rule_holds(overlay: str, rule: Callable[[list[Resource]], rules.Broken]) -> None:
    assert broken(render(overlay), (rule,)) == []


@pytest.fixture(scope="module")
def with_tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("tls") / "deploy"
    shutil.copytree(DEPLOY, copy)
    (copy / "mine").mkdir()
    (copy / "mine" / "kustomization.yaml").write_text("resources: [../three-nodes]\ncomponents: [../tls]\n")
    return copy / "mine"


def test_every_rule_holds_with_tls_and_every_process_of_ours_is_told_the_ca(with_tls: Path) -> None:
    resources = render_folder(with_tls)
    assert broken(resources) == []
    for pod, container in rules.our_containers(resources):
        given = environment(container, {}, {}) if "envFrom" not in container else {}
        given |= {each["name"]: each.get("value") for each in container["env"]}
        assert given["SSL_CERT_FILE"] == "/etc/ledger-ca/ca.crt", pod.name


def test_the_base_names_nothing_of_rabbitmq() -> None:
    found = [
        (pod.name, variable)
        for pod, container in rules.our_containers(render("base"))
        for variable in environment(container, config_maps(render("base")), SECRETS)
        if "RABBITMQ" in variable
    ]
    assert found == []
    assert not [each for each in render("base") if "rabbitmq" in each["metadata"]["name"]]


def test_the_overlay_brings_the_names_that_others_rely_on() -> None:
    names = {(each["kind"], each["metadata"]["name"]) for each in render("rabbitmq")}
    assert {
        ("CronJob", "receipt-processor"),
        ("Deployment", "receipt-worker"),
        ("Deployment", "ocr-results-collector"),
        ("ScaledObject", "receipt-worker"),
        ("StatefulSet", "rabbitmq"),
    } <= names


def test_three_nodes_find_each_other_by_the_names_of_the_stateful_set() -> None:
    resources = render("three-nodes")
    node = find(resources, "StatefulSet", "rabbitmq")
    assert node["spec"]["replicas"] == 3
    (configuration,) = (
        data for name, data in config_maps(resources).items() if name.startswith("rabbitmq-configuration")
    )
    service = node["spec"]["serviceName"]
    assert find(resources, "Service", service)["spec"]["clusterIP"] == "None"
    for number in range(3):
        assert f"rabbit@rabbitmq-{number}.{service}.ledger.svc.cluster.local" in configuration["20-cluster.conf"]


def test_every_secret_that_is_made_is_used_by_somebody() -> None:
    held = {name for pod in pods(render("rabbitmq")) for kind, name in rules.used(pod) if kind == "secret"}
    assert set(SECRETS) - held == {"scaler-broker", "recognizer-nats", "prometheus"}, (
        "KEDA, the recognizers, monitoring"
    )


@pytest.mark.case("C071")
@pytest.mark.case("C075")
@pytest.mark.trap(15)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_mistake_is_noticed_by_its_rule(mistake: str) -> None:
    name, make = MISTAKES[mistake]
    resources = render("rabbitmq")
    make(resources)
    assert broken(resources, (getattr(rules, name),)) != []
