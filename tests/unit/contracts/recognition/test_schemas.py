"""The committed schemas and the models are one contract: what one accepts the other accepts, and nothing else."""

import copy
import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

import contracts.recognition as package
from contracts.recognition.schema import MODELS, schemas
from contracts.wire import ContractError, validate

HOME = Path(package.__file__).parent
EXAMPLES = sorted((HOME / "examples").glob("*/*.json"))
WRONG = [None, True, 0, 1, -1, 1.0, 2.5, "", "x", "1.0", "2", "3.0", [], {}, ["x"], {"x": 1}, "2026-02-31", "x" * 2000]

formats = FormatChecker()


@formats.checks("date-time", raises=ValueError)
def _date_time(value):
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def schema_of(example):
    return f"{example.parent.name}/{example.name.split('.')[0]}.schema.json"


def both(schema_name, document):
    """Return what the schema says and what the model says."""
    schema = json.loads((HOME / "schemas" / schema_name).read_text(encoding="utf-8"))
    by_schema = Draft202012Validator(schema, format_checker=formats).is_valid(document)
    try:
        validate(MODELS[schema_name], json.dumps(document).encode())
    except ContractError:
        return by_schema, False
    return by_schema, True


def mutations(document):
    """Yield the document with each value, at any depth, removed, replaced or joined by an unknown key."""
    for path in _paths(document):
        for wrong in WRONG:
            yield _changed(document, path, lambda parent, key, wrong=wrong: parent.__setitem__(key, wrong))
        yield _changed(document, path, lambda parent, key: parent.pop(key))
        yield _changed(
            document, path, lambda parent, _: parent.update(future=1) if isinstance(parent, dict) else parent.append(1)
        )


def _paths(value, prefix=()):
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*prefix, key)
        yield from _paths(child, (*prefix, key))


def _changed(document, path, change):
    copied = copy.deepcopy(document)
    parent = copied
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return copied


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_committed_schema_equals_its_model(name):
    assert json.loads((HOME / "schemas" / name).read_text(encoding="utf-8")) == schemas()[name]


def test_every_schema_has_an_example():
    assert {schema_of(example) for example in EXAMPLES} == set(MODELS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_schema_and_model_accept_each_example_and_agree_on_every_mutation_of_it(example):
    document = json.loads(example.read_text(encoding="utf-8"))
    assert both(schema_of(example), document) == (True, True)
    seen = set()
    for mutated in mutations(document):
        by_schema, by_model = both(schema_of(example), mutated)
        assert by_schema == by_model, mutated
        seen.add(by_model)
    assert seen == {True, False}


@given(st.data())
def test_schema_and_model_agree_when_two_values_change_at_once(data):
    example = data.draw(st.sampled_from(EXAMPLES))
    document = json.loads(example.read_text(encoding="utf-8"))
    for _ in range(2):
        path = data.draw(st.sampled_from(sorted(_paths(document), key=str)))
        wrong = data.draw(st.sampled_from(WRONG))
        document = _changed(document, path, lambda parent, key, wrong=wrong: parent.__setitem__(key, wrong))
        if not list(_paths(document)):
            break
    by_schema, by_model = both(schema_of(example), document)
    assert by_schema == by_model, document
