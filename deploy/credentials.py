# ruff: noqa: INP001 (a script that runs anywhere, not a package)
"""Passwords come in, every Secret of the deployment goes out: Kubernetes manifests, or one env file each for Compose.

The passwords file is the only thing to keep (in a vault); it is made when it is missing, and a new line of it is a
rotation. Needs nothing but Python: `python3 deploy/credentials.py passwords.json --kubernetes | kubectl apply -f -`.
"""

import argparse
import base64
import hashlib
import json
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DEFINITIONS: Final = Path(__file__).parent / "rabbitmq" / "definitions.json"
DATABASE_ROLES: Final = ("publisher", "collector", "core")
BROKER_ROLES: Final = ("publisher", "ocr", "collector", "recognition", "beat", "operator")
CELERY_ROLES: Final = ("publisher", "ocr", "collector", "recognition")
"""Roles whose workers tell Flower what they do, when they are let."""

SERVERS: Final = ("owner", "nats-core", "nats-recognizer", "objects", "cookie")
WATCHERS: Final = ("api", "flower", "flower-login", "prometheus", "scaler")
NAMES: Final = (
    *(f"database-{role}" for role in DATABASE_ROLES),
    *(f"broker-{role}" for role in BROKER_ROLES),
    *SERVERS,
    *WATCHERS,
)
"""Of every password that is kept."""

Secrets = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the servers are; with `tls` every client demands a certificate that its CA signed for that name."""

    broker: str = "rabbitmq"
    database: str = "postgresql:5432/ledger"
    nats: str = "nats:4222"
    tls: bool = False

    def amqp(self, user: str, password: str) -> str:
        """Return an AMQP URL; a broker without a port gets the usual one."""
        scheme, port = ("amqps", 5671) if self.tls else ("amqp", 5672)
        host = self.broker if ":" in self.broker else f"{self.broker}:{port}"
        return f"{scheme}://{user}:{password}@{host}/ledger"

    def postgresql(self, user: str, password: str) -> str:
        """Return a PostgreSQL URL; the CA is the one in SSL_CERT_FILE."""
        options = "?sslmode=verify-full&sslrootcert=system" if self.tls else ""
        return f"postgresql://{user}:{password}@{self.database}{options}"

    def psql(self, user: str, password: str) -> dict[str, str]:
        """Return the same address as the variables that psql reads: a URL would be a word of its command line."""
        server, _, name = self.database.partition("/")
        host, _, port = server.partition(":")
        demanded = {"PGSSLMODE": "verify-full", "PGSSLROOTCERT": "system"} if self.tls else {}
        plain = {"PGHOST": host, "PGPORT": port or "5432", "PGDATABASE": name}
        return plain | {"PGUSER": user, "PGPASSWORD": password} | demanded

    def nats_url(self, user: str, password: str) -> str:
        """Return a NATS URL."""
        return f"{'tls' if self.tls else 'nats'}://{user}:{password}@{self.nats}"


def main() -> None:
    """Read the words of the command line and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passwords", type=Path, help="JSON file; made when it is missing, its missing lines are added")
    parser.add_argument("--kubernetes", action="store_true", help="print Secret manifests")
    parser.add_argument("--folder", type=Path, help="write one NAME.env per Secret, and definitions.json, for Compose")
    parser.add_argument("--celery-events", action="store_true", help="let the workers tell Flower what they do")
    parser.add_argument("--tls", action="store_true", help="amqps, verified PostgreSQL, NATS over TLS")
    for name in ("broker", "database", "nats"):
        parser.add_argument(f"--{name}", default=getattr(Addresses(), name))
    words = parser.parse_args()
    addresses = Addresses(words.broker, words.database, words.nats, words.tls)
    passwords = kept(words.passwords)
    made = make_secrets(passwords, addresses, celery_events=words.celery_events)
    if words.kubernetes:
        sys.stdout.write(manifests(made))
    if words.folder:
        write_folder(words.folder, made | servers(passwords))


def kept(file: Path) -> dict[str, str]:
    """Return the passwords of the file, with random ones for missing names, which are written back."""
    found = json.loads(file.read_text()) if file.exists() else {}
    passwords = {name: found.get(name) or secrets.token_urlsafe(32) for name in NAMES}
    if passwords != found:
        _write(file, json.dumps(passwords, indent=2) + "\n")
    return passwords


def make_secrets(passwords: Mapping[str, str], addresses: Addresses, *, celery_events: bool = False) -> Secrets:
    """Return Secret name -> key -> value. A Secret holds what one role may know and nothing else."""
    broker = {role: addresses.amqp(role, passwords[f"broker-{role}"]) for role in BROKER_ROLES}
    database = {role: passwords[f"database-{role}"] for role in DATABASE_ROLES}
    users = {role: passwords[f"broker-{role}"] for role in BROKER_ROLES} | {"scaler": passwords["scaler"]}
    key, _, secret_key = passwords["objects"].rpartition(":")
    flower: Secrets = {}
    if celery_events:
        users["flower"] = passwords["flower"]
        flower["flower"] = {
            "RABBITMQ_URL": addresses.amqp("flower", passwords["flower"]),
            "LEDGER_API_TOKENS": f"operator:read:{passwords['flower-login']}",
        }
    return {
        "database-owner": {"DATABASE_URL": addresses.postgresql("ledger", passwords["owner"])},
        "database-passwords": {
            **addresses.psql("ledger", passwords["owner"]),
            **{f"LEDGER_{role.upper()}_PASSWORD": secret for role, secret in database.items()},
        },
        **{
            f"{role}-database": {"DATABASE_URL": addresses.postgresql(f"ledger_{role}", secret)}
            for role, secret in database.items()
        },
        **{f"{role}-broker": {"RABBITMQ_URL": url} for role, url in broker.items()},
        "scaler-broker": {
            "host": addresses.amqp("scaler", passwords["scaler"]),
            "tls": "enable" if addresses.tls else "disable",
        },
        "core-nats": {"NATS_URL": addresses.nats_url("core", passwords["nats-core"])},
        "recognizer-nats": {"NATS_URL": addresses.nats_url("recognizer", passwords["nats-recognizer"])},
        "core-objects": {"AWS_ACCESS_KEY_ID": key or "ledger", "AWS_SECRET_ACCESS_KEY": secret_key},
        "core-api": {
            "LEDGER_API_TOKENS": f"prometheus:read:{passwords['prometheus']},operator:operate:{passwords['api']}"
        },
        "prometheus": {"token": passwords["prometheus"]},
        "rabbitmq": {
            "definitions.json": json.dumps(definitions(users, celery_events=celery_events)),
            "erlang-cookie": passwords["cookie"],
        },
        **flower,
    }


def servers(passwords: Mapping[str, str]) -> Secrets:
    """Return what the servers that Compose starts must be told themselves."""
    return {
        "postgresql": {"POSTGRES_USER": "ledger", "POSTGRES_DB": "ledger", "POSTGRES_PASSWORD": passwords["owner"]},
        "nats": {
            "NATS_CORE_PASSWORD": passwords["nats-core"],
            "NATS_RECOGNIZER_PASSWORD": passwords["nats-recognizer"],
        },
    }


def definitions(users: Mapping[str, str], *, celery_events: bool) -> dict[str, Any]:
    """Return the shipped definitions with password hashes; with events also Celery's own names, role by role."""
    document: dict[str, Any] = json.loads(DEFINITIONS.read_text())
    if celery_events:
        document["users"].append({**document["users"][0], "name": "flower"})
        document["permissions"].append({"user": "flower", "vhost": "ledger", **_FLOWER})
        for permission in document["permissions"]:
            if permission["user"] in CELERY_ROLES:
                permission.update(_with_events(permission))
    for user in document["users"]:
        user["password_hash"] = password_hash(users[user["name"]])
    return document


_FLOWER: Final = {"configure": r"^celeryev(\..+)?$", "write": r"^celeryev\..+$", "read": r"^celeryev(\..+)?$"}
"""Flower hears events and cannot send a control command: revoking a task would lose its message."""


def _with_events(permission: Mapping[str, str]) -> dict[str, str]:
    own = rf"{permission['user']}-[0-9a-f]{{6}}@[^@]+\.celery\.pidbox"
    added = {
        "configure": ("celeryev", r"celery\.pidbox", r"reply\.celery\.pidbox", own),
        "write": ("celeryev", r"reply\.celery\.pidbox", own),
        "read": (r"celery\.pidbox", own),
    }
    return {kind: "|".join((permission[kind], *(f"^{name}$" for name in names))) for kind, names in added.items()}


def password_hash(password: str) -> str:
    """Return RabbitMQ's salted SHA-256. The salt comes from the password: a repeated run changes nothing."""
    salt = hashlib.sha256(b"salt of " + password.encode()).digest()[:4]
    return base64.b64encode(salt + hashlib.sha256(salt + password.encode()).digest()).decode()


def manifests(made: Secrets) -> str:
    """Return the Secrets as a Kubernetes List in JSON, which is YAML."""
    items = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "ledger"}, "stringData": values}
        for name, values in made.items()
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1) + "\n"


def write_folder(folder: Path, made: Secrets) -> None:
    """Write what Compose reads: NAME.env per Secret, the broker's definitions, and Prometheus's token."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, values in made.items():
        # Readable for all: these servers run as users of their own, and the folder is ours alone.
        if name == "rabbitmq":
            _write(folder / "definitions.json", values["definitions.json"], mode=0o644)
        elif name == "prometheus":
            _write(folder / "prometheus-token", values["token"], mode=0o644)
        else:
            _write(folder / f"{name}.env", "".join(f"{key}={value}\n" for key, value in values.items()))


def _write(file: Path, text: str, *, mode: int = 0o600) -> None:
    temporary = file.with_name(f".{file.name}.new")
    temporary.touch(mode)
    temporary.write_text(text, "utf-8")
    temporary.replace(file)


if __name__ == "__main__":
    main()
