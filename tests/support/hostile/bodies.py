"""Work messages that break the contract, name paths that must not be opened, or carry poisoned properties."""

import gzip
import json
import pickle
from collections.abc import Iterator

from tests.support.hostile.case import HostileMessage

SHA = "a" * 64
REFERENCE = "2026-08-14/receipt.pdf"
REQUEST = "840023b1-a078-4914-b074-81bd7129bb75"
V1: dict[str, object] = {"version": 1, "source_sha256": SHA, "source_reference": REFERENCE, "attempt": 1}
V2 = V1 | {"version": 2, "request_id": REQUEST}
V3 = V2 | {"version": 3}
BATCH = V3 | {"batch_id": REQUEST, "batch_index": 1, "batch_total": 2}
INVALID, UNSAFE, UNKNOWN, LONG = "CONTRACT_INVALID", "PATH_UNSAFE", "VERSION_UNKNOWN", "BODY_TOO_LARGE"
LIMIT = 8192


def messages() -> Iterator[HostileMessage]:
    """All of them."""
    for name, body in _not_json().items():
        yield _message(name, body, INVALID)
    for name, found in _wrong_values().items():
        yield _message(name, json.dumps(found).encode(), INVALID)
    for number in (0, -1, 4, 99, 2**70):
        yield _message(f"version {number}", json.dumps(V1 | {"version": number}).encode(), UNKNOWN)
    for name, reference in _unsafe_paths().items():
        for work in (V1, V2, BATCH):
            body = json.dumps(work | {"source_reference": reference}).encode()
            yield _message(f"path {name} in v{work['version']}", body, UNSAFE)
    for size in (LIMIT + 1, 100_000, 4_000_000):
        yield _message(f"{size} bytes", json.dumps(V1).encode().ljust(size), LONG)
    yield from _poisoned_properties()


def _message(name: str, body: bytes, code: str) -> HostileMessage:
    return HostileMessage(name, body, frozenset({code}))


def _not_json() -> dict[str, bytes]:
    good = json.dumps(V1).encode()
    return {
        "empty": b"",
        "space": b" \n",
        "half": good[:-9],
        "trailing comma": good[:-1] + b",}",
        "trailing word": good + b" x",
        "two objects": good + good,
        "single quotes": good.replace(b'"', b"'"),
        "comment": b"/* work */" + good,
        "list": b"[" + good + b"]",
        "text": json.dumps(good.decode()).encode(),
        "number": b"17",
        "null": b"null",
        "true": b"true",
        "nan": good.replace(b'"attempt": 1', b'"attempt": NaN'),
        "infinity": good.replace(b'"attempt": 1', b'"attempt": -Infinity'),
        "binary": bytes(range(256)),
        "nul": bytes(100),
        "broken utf-8": good.replace(b"receipt.pdf", b"caf\xe9.pdf"),
        "overlong utf-8": good.replace(b"receipt.pdf", b"\xc0\xaf.pdf"),
        "encoded surrogate": good.replace(b"receipt.pdf", b"\xed\xa0\x80.pdf"),
        "utf-16": json.dumps(V1).encode("utf-16"),
        "byte order mark": b"\xef\xbb\xbf" + good,
        "gzip": gzip.compress(good, mtime=0),
        "pickle": pickle.dumps(V1),
        "raw newline in a path": good.replace(b"receipt.pdf", b"a\nb.pdf"),
        "key twice": good.replace(b'"attempt": 1', b'"attempt": 1, "attempt": 2'),
        "key twice, escaped": good.replace(b'"attempt": 1', b'"attempt": 1, "\\u0061ttempt": 1'),
        "lists 4000 deep": b"[" * 4000 + b"]" * 4000,
        "objects 1000 deep": b'{"a":' * 1000 + b"1" + b"}" * 1000,
        "deep value": good.replace(b'"attempt": 1', b'"attempt": ' + b"[" * 3000 + b"]" * 3000),
        "number of 5000 digits": good.replace(b'"attempt": 1', b'"attempt": ' + b"1" * 5000),
        "exponent": good.replace(b'"attempt": 1', b'"attempt": 1e400'),
        "celery protocol 2": b'[[], {"source_sha256": "x"}, {"callbacks": null}]',
    }


Found = dict[str, dict[str, object]]


def _wrong_values() -> Found:
    missing = {f"v1 without {key}": {name: value for name, value in V1.items() if name != key} for key in V1}
    missing |= {f"batch without {key}": {k: v for k, v in BATCH.items() if k != key} for key in list(BATCH)[4:]}
    extra = {f"v1 with {key}": V1 | {key: REQUEST} for key in ("request_id", "batch_id", "task", "__class__", "")}
    numbers: tuple[object, ...] = (0, -1, 4, 2**63, True, 1.0, 1.5, "1", None, [1])
    versions: Found = {f"version as {value!r}": V1 | {"version": value} for value in numbers[4:]}
    attempts: Found = {f"attempt {value!r}": V1 | {"attempt": value} for value in numbers}
    hashes = {
        f"hash {number}": V1 | {"source_sha256": value}
        for number, value in enumerate(
            ("A" * 64, "a" * 63, "a" * 65, "g" * 64, "a" * 64 + "\n", "", None, 5, "\u0660" * 64, "../" + "a" * 61)
        )
    }
    requests = {
        f"request {number}": V2 | {"request_id": value}
        for number, value in enumerate(
            (
                REQUEST.upper(),
                f"{{{REQUEST}}}",
                f"urn:uuid:{REQUEST}",
                REQUEST.replace("-", ""),
                "",
                "../../x",
                None,
                7,
                REQUEST + "\n",
            )
        )
    }
    changes: tuple[dict[str, object], ...] = (
        {"batch_index": 0}, {"batch_index": 3}, {"batch_total": 0}, {"batch_total": True}, {"batch_index": "1"},
        {"batch_id": "x"}, {"batch_id": None}, {"batch_index": 1.5},
    )  # fmt: skip
    batches = {f"batch {number}": BATCH | change for number, change in enumerate(changes)}
    return missing | extra | versions | attempts | hashes | requests | batches


def _unsafe_paths() -> dict[str, object]:
    return {
        "absolute": "/etc/passwd",
        "to the root": "/",
        "parent": "..",
        "up": "../../etc/passwd",
        "up and down": "a/../../b.pdf",
        "up inside": "a/../b.pdf",
        "here": "./a.pdf",
        "empty": "",
        "empty segment": "a//b.pdf",
        "ends in a slash": "a/",
        "hidden": "a/.b.pdf",
        "lock folder": ".locks/x",
        "backslash": "a\\b.pdf",
        "windows": "C:\\x.pdf",
        "nul": "a.pdf\0.jpg",
        "line feed": "a\nb.pdf",
        "header injection": "a.pdf\r\nX-Injected: yes",
        "tabulator": "a\tb.pdf",
        "escape sequence": "a\x1b[2Jb.pdf",
        "delete": "a\x7f.pdf",
        "second control block": "a\x85b.pdf",
        "lone surrogate": "a\ud800.pdf",
        "too long": "a" * 4097,
    }


def _poisoned_properties() -> Iterator[HostileMessage]:
    """The body is wrong as well, so that these end in dead whatever the properties say."""
    body = b"not json"
    code = frozenset({INVALID})
    yield HostileMessage("celery task without id", body, code, headers={"task": "os.system"})
    yield HostileMessage("celery task with id", body, code, headers={"task": "os.system", "id": REQUEST, "lang": "py"})
    yield HostileMessage("pickle content", pickle.dumps({"a": 1}), code, content_type="application/x-python-serialize")
    yield HostileMessage("no content type", body, code, content_type=None)
    yield HostileMessage("content type with a line feed", body, code, content_type="application/json\r\nx: y")
    yield HostileMessage("forged error", body, code, headers={"error_code": "DONE", "error_message": "\r\n\x1b[2J"})
    yield HostileMessage("forged death", body, code, headers={"x-death": [{"queue": "receipts.v1.work", "count": 99}]})
    yield HostileMessage("forged budget", body, code, headers={"x-ledger-budget": "../../x", "x-ledger-held": "many"})
    yield HostileMessage("forged publication", body, code, headers={"x-ledger-publication": {"a": [1, 2]}})
    yield HostileMessage("forged count", body, code, headers={"x-delivery-count": -5})
    yield HostileMessage("long header", body, code, headers={"x-long": "h" * 60_000})
    yield HostileMessage("copied to all", body, code, headers={"CC": ["ocr-result"], "BCC": ["receipt"]})
