"""What NATS needs is checked at the start, without a network, and no secret is ever said."""

import base64
import binascii
import json
import traceback

import pytest
from nacl.signing import SigningKey
from pydantic import ValidationError

from ledger_tasks.errors import ConfigurationError
from ledger_tasks.recognition.subjects import expiry
from ledger_tasks.settings import ExchangeSettings, ServeSettings, load

NEEDED = {"DATABASE_URL": "postgresql://u:hunter2@h/d", "OBJECT_STORE_URL": "file:///tmp/x"}
SUBJECT = "OPENBAO__NATS__NATS_{}_SUBJECT"
SEED, JWT = "OPENBAO__NATS__NATS_SEED", "OPENBAO__NATS__NATS_JWT"


def key(prefix, raw):
    body = bytes(prefix) + raw
    return base64.b32encode(body + binascii.crc_hqx(body, 0).to_bytes(2, "little")).decode().rstrip("=")


def jwt(subject, **claims):
    parts = ({"alg": "ed25519-nkey", "typ": "JWT"}, {"sub": subject} | claims)
    return (
        ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + ".c2ln"
    )


RAW = bytes(range(32))
USER_SEED = key((144 | 160 >> 5, (160 & 31) << 3), RAW)
ACCOUNT_SEED = key((144, 0), RAW)
PUBLIC = key((160,), bytes(SigningKey(RAW).verify_key))


@pytest.fixture
def environment(monkeypatch):
    def given(**values):
        for name, value in {**NEEDED, **values}.items():
            monkeypatch.setenv(name, value)

    return given


def refusal(role=ExchangeSettings):
    with pytest.raises(ConfigurationError) as refused:
        load(role)
    return refused


@pytest.mark.parametrize("name", ["TABULAR_REQUEST", "IMAGE_REQUEST", "RESULT"])
@pytest.mark.parametrize(
    "subject", ["", "files.>", "files.*", "files..img", ".files", "files.", "files img", "files.\t"]
)
def test_a_subject_that_is_not_allowed_is_named_by_its_key(environment, name, subject):
    """Scenario: Недопустимый subject."""
    environment(**{SUBJECT.format(name): subject})
    assert SUBJECT.format(name) in refusal().value.message


def test_two_equal_subjects_are_refused(environment):
    environment(**{SUBJECT.format("RESULT"): "files.img_uploaded"})
    message = refusal().value.message
    assert SUBJECT.format("RESULT") in message
    assert SUBJECT.format("IMAGE_REQUEST") in message


def test_a_mistyped_nested_key_is_refused(environment):
    environment(OPENBAO__NATS__NATS_SED="x")
    assert "OPENBAO__NATS__NATS_SED" in refusal().value.message


@pytest.mark.trap(26)
@pytest.mark.parametrize(
    ("seed", "token", "key_named", "reason"),
    [
        (USER_SEED, "", JWT, "come together"),
        ("", jwt(PUBLIC), SEED, "come together"),
        (USER_SEED[:-1] + ("A" if USER_SEED[-1] != "A" else "B"), jwt(PUBLIC), SEED, "checksum"),
        (USER_SEED[:-8], jwt(PUBLIC), SEED, "length"),
        ("not base32!", jwt(PUBLIC), SEED, "base32"),
        ("ключ", jwt(PUBLIC), SEED, ""),
        (ACCOUNT_SEED, jwt(PUBLIC), SEED, "not the seed of a user"),
        (USER_SEED, jwt("U" + "A" * 55), JWT, "another seed"),
        (USER_SEED, jwt(PUBLIC, exp=1), JWT, "expired at 1970-01-01"),
        (USER_SEED, jwt(PUBLIC, exp="soon"), JWT, "not a moment"),
        (USER_SEED, jwt(PUBLIC, exp=10**30), JWT, "not a moment"),
        (USER_SEED, "one.two", JWT, "three parts"),
        (USER_SEED, "a.!!.c", JWT, "cannot be read"),
        (USER_SEED, "a.W10.c", JWT, "not an object"),
    ],
)
def test_wrong_credentials_are_refused_without_a_network(environment, seed, token, key_named, reason):
    environment(**{SEED: seed, JWT: token})
    message = refusal().value.message
    assert key_named in message
    assert reason in message


@pytest.mark.parametrize(
    ("seed", "token"), [("", ""), (USER_SEED, jwt(PUBLIC)), (USER_SEED, jwt(PUBLIC, exp=4 * 10**9))]
)
def test_right_credentials_are_taken(environment, seed, token):
    environment(**{SEED: seed, JWT: token})
    load(ExchangeSettings)


@pytest.mark.trap(34)
@pytest.mark.case("C108")
def test_jwt_and_seed_are_never_said(environment, caplog):
    """Scenario: JWT не раскрывается."""
    secrets = (USER_SEED, jwt(PUBLIC), "hunter2")
    environment(**{SEED: USER_SEED, JWT: jwt(PUBLIC), "OUTBOX_POLL_SECONDS": "soon"})
    refused = refusal()
    said = ["".join(traceback.format_exception(refused.value)), repr(refused.value), caplog.text]
    with pytest.raises(ValidationError) as raw:
        ExchangeSettings()
    said += [str(raw.value), repr(raw.value)]
    environment(OUTBOX_POLL_SECONDS="5")
    settings = load(ExchangeSettings)
    said += [repr(settings), str(settings), repr(settings.openbao), str(settings.model_dump())]
    assert not [secret for secret in secrets for text in said if secret in text]
    assert "OUTBOX_POLL_SECONDS" in said[0]
    assert "nats_jwt=SecretStr('**********')" in repr(settings.openbao)


@pytest.mark.parametrize(
    "tokens", ["olga", "olga:admin:x", "olga:read:", ":read:x", "olga:operate:secret-x,nonsense-secret-y"]
)
def test_wrong_api_tokens_are_refused_by_their_place(environment, tokens):
    environment(LEDGER_API_TOKENS=tokens)
    message = refusal(ServeSettings).value.message
    assert "LEDGER_API_TOKENS: entry" in message
    assert "secret" not in message


def test_an_inbox_without_a_folder_for_its_journal_is_refused(environment):
    environment(NATS_ENABLED="true")
    assert "RECOGNITION_SPOOL_DIR" in refusal(ServeSettings).value.message


@pytest.mark.parametrize(("token", "ends"), [("", None), (jwt(PUBLIC), None), (jwt(PUBLIC, exp=86400), "1970-01-02")])
def test_the_end_of_a_jwt_is_known_without_a_network(token, ends):
    found = expiry(token)
    assert (found and f"{found:%Y-%m-%d}") == ends
