"""Rules of words: schemas, commands, settings, references and credentials."""

import json
import os
import re
from pathlib import Path
from typing import Final
from unittest.mock import patch

import jsonschema
import kubernetes_validate

from ledger_tasks.errors import ConfigurationError
from ledger_tasks.settings import load
from tests.deploy.commands import parse, settings_class
from tests.deploy.rendered import Resource, config_maps, environment, find, pods
from tests.deploy.rules.facts import BROUGHT, SECRETS, Broken, our_containers, templates, used

KEDA_SCHEMA: Final = json.loads((Path(__file__).parents[1] / "keda.schema.json").read_text())


DATABASE: Final = {
    "ledger-migrations": "database-owner",
    "receipt-processor": "publisher-database",
    "ledger-publisher": "publisher-database",
    "ocr-results-collector": "collector-database",
    "ledger-core": "core-database",
    "ledger-recognition": "core-database",
}
"""The only workloads that may hold a database credential, and whose it is."""


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
