"""Both stores keep, return, refuse and miss objects in the same way: a local folder and a real S3."""

import io

import pytest
from pydantic import SecretStr

from ledger_tasks.errors import ConfigurationError, Infrastructure
from ledger_tasks.objects.store import NoObject, ObjectStore, ObjectTooLarge
from ledger_tasks.settings import ObjectSettings


def settings_of(environment):
    names = {name.lower(): value for name, value in environment.items() if name.lower() in ObjectSettings.model_fields}
    secret = {"aws_access_key_id", "aws_secret_access_key"}
    return ObjectSettings(**{name: SecretStr(value) if name in secret else value for name, value in names.items()})


@pytest.fixture(params=["local", "s3"])
def given(request, tmp_path):
    if request.param == "local":
        return ObjectSettings(object_store_url=f"file://{tmp_path}/objects")
    s3 = request.getfixturevalue("s3")
    return settings_of({**s3.environment, "OBJECT_STORE_URL": "s3:", "OBJECT_STORE_BUCKET": s3.bucket})


@pytest.fixture
def store(given):
    return ObjectStore(given)


@pytest.mark.trap(38)
def test_an_object_comes_back_as_it_was_put(store, given):
    big = bytes(range(256)) * 60_000
    for key, content in (("a/б в.xlsx", b"small"), ("a/big", big), ("a/big", b"replaced")):
        store.put(given.object_store_bucket, key, io.BytesIO(content))
        assert store.get(given.object_store_bucket, key, len(big)) == content


def test_what_is_not_there_is_told_from_a_store_that_is_away(store, given):
    with pytest.raises(NoObject):
        store.get(given.object_store_bucket, "absent", 10)
    with pytest.raises(NoObject):
        store.get("no-such-bucket", "absent", 10)
    store.delete(given.object_store_bucket, "absent")


def test_an_object_over_the_limit_is_not_read(store, given):
    store.put(given.object_store_bucket, "large", b"12345")
    with pytest.raises(ObjectTooLarge, match="5 bytes, the limit is 4"):
        store.get(given.object_store_bucket, "large", 4)


@pytest.mark.parametrize("key", ["../x", "a/../../x", "a//b", "a/./b", "a\0b"])
def test_a_key_that_leaves_its_bucket_is_no_object(store, given, key):
    with pytest.raises(NoObject):
        store.get(given.object_store_bucket, key, 10)


@pytest.mark.parametrize(("bucket", "key"), [("..", "x"), ("arm-ka", "a//b")])
def test_what_cannot_be_an_address_takes_no_object(tmp_path, bucket, key):
    store = ObjectStore(ObjectSettings(object_store_url=f"file://{tmp_path}/objects"))
    with pytest.raises(Infrastructure):
        store.put(bucket, key, b"x")


def test_an_s3_that_is_away_is_infrastructure():
    away = ObjectSettings(
        object_store_url="s3:",
        aws_endpoint_url="http://127.0.0.1:1",
        aws_access_key_id=SecretStr("a"),
        aws_secret_access_key=SecretStr("b"),
    )
    with pytest.raises(Infrastructure):
        ObjectStore(away).get("arm-ka", "x", 10)


@pytest.mark.parametrize("url", ["", "ftp://x", "file:relative", "/tmp"])
def test_an_address_that_is_no_store_is_a_wrong_setting(url):
    with pytest.raises(ConfigurationError, match="OBJECT_STORE_URL"):
        ObjectStore(ObjectSettings(object_store_url=url))
