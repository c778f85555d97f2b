"""Objects by bucket and key: a URL comes in, bytes go in and come out, or the reason why not."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import unquote, urlsplit

import obstore
from obstore import exceptions
from obstore.store import LocalStore, S3Store

from ledger_tasks.errors import ConfigurationError, Infrastructure
from ledger_tasks.settings import ObjectSettings

TIMEOUT: Final = timedelta(seconds=20)
"""Of one request; a hung store must not hang a tick."""

RETRY: Final[Any] = {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}

_ABSENT: Final = (
    exceptions.NotFoundError,
    exceptions.InvalidPathError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    ValueError,  # a key with `..` or an empty segment: such an object cannot be
)


_REFUSED: Final = (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError, PermissionError)


class NoObject(Exception):
    """The object is not there, or its name cannot be one."""


class StoreTrouble(Infrastructure):
    """Nothing is wrong with the object: the store is away, or refuses us."""


class StoreAway(StoreTrouble):
    """The store does not answer, or fails."""

    def __init__(self, detail: str) -> None:
        super().__init__("OBJECT_STORE_UNAVAILABLE", detail)


class StoreRefuses(StoreTrouble):
    """The store answers and does not let us: waiting helps only when somebody corrects credentials or permissions."""

    def __init__(self, detail: str) -> None:
        super().__init__("OBJECT_STORE_FORBIDDEN", detail)


class ObjectTooLarge(Exception):
    """The object has more bytes than allowed."""


class ObjectStore:
    """Bucket B, key K is `ROOT/B/K` below a local root, or an S3 object."""

    def __init__(self, settings: ObjectSettings) -> None:
        """Read the URL; nothing is opened yet. Raises ConfigurationError."""
        url = urlsplit(settings.object_store_url)
        if url.scheme not in {"file", "s3"} or (url.scheme == "file" and not url.path.startswith("/")):
            raise ConfigurationError("OBJECT_STORE_URL: neither file:///ROOT nor s3:", next_command="ledger doctor")
        self._root = Path(unquote(url.path)) if url.scheme == "file" else None
        self._settings = settings
        self._opened: dict[str, LocalStore | S3Store] = {}

    def put(self, bucket: str, key: str, content: IO[bytes] | bytes) -> None:
        """Store an object, all of it or nothing. Raises StoreTrouble."""
        try:
            with _trouble():
                if self._root is not None:
                    (self._root / bucket).mkdir(parents=True, exist_ok=True)
                obstore.put(self._bucket(bucket), key, content)
        except NoObject:
            raise StoreAway("there is no such bucket, or the name cannot be a key") from None

    def get(self, bucket: str, key: str, limit: int) -> bytes:
        """Return an object of at most `limit` bytes. Raises NoObject, ObjectTooLarge or StoreTrouble."""
        with _trouble():
            found = obstore.get(self._bucket(bucket), key)
            if found.meta["size"] > limit:
                raise ObjectTooLarge(f"{found.meta['size']} bytes, the limit is {limit}")
            return bytes(found.bytes())

    def delete(self, bucket: str, key: str) -> None:
        """Remove an object that may not be there. Raises StoreTrouble."""
        with suppress(NoObject), _trouble():
            obstore.delete(self._bucket(bucket), key)

    def _bucket(self, bucket: str) -> LocalStore | S3Store:
        if bucket not in self._opened:
            self._opened[bucket] = self._local(self._root, bucket) if self._root else self._s3(bucket)
        return self._opened[bucket]

    def _local(self, root: Path, bucket: str) -> LocalStore:
        if bucket in {"", ".", ".."} or "/" in bucket or not (root / bucket).is_dir():
            raise NoObject("there is no such bucket")
        return LocalStore(root / bucket)

    def _s3(self, bucket: str) -> S3Store:
        settings = self._settings
        endpoint = settings.aws_endpoint_url
        given: dict[str, Any] = {
            "access_key_id": settings.aws_access_key_id.get_secret_value(),
            "secret_access_key": settings.aws_secret_access_key.get_secret_value(),
            "endpoint": endpoint,
        }
        return S3Store(
            bucket,
            region=settings.aws_region,
            client_options={"timeout": TIMEOUT, "allow_http": endpoint.startswith("http://")},
            retry_config=RETRY,
            **{name: value for name, value in given.items() if value},
        )


@contextmanager
def _trouble() -> Iterator[None]:
    """Tell what an object is from what the store is and from what it lets us do: only these may be otherwise later."""
    try:
        yield
    except _ABSENT:
        raise NoObject("there is no such object") from None
    except _REFUSED as error:
        raise StoreRefuses(type(error).__name__) from error
    except (exceptions.BaseError, OSError) as error:
        raise StoreAway(type(error).__name__) from error
