"""Programs of a stack are ended one by one and in time: a worker that is told to stop finishes what it has."""

from configparser import ConfigParser

import pytest

from ledger_tasks.devstack.supervisor import ROLE_PROGRAMS, _write_configuration
from ledger_tasks.settings import OcrSettings
from ledger_tasks.worker import hard_limit


@pytest.mark.trap(39)
def test_a_role_gets_sigterm_alone_and_the_time_of_its_warm_shutdown(tmp_path):
    _write_configuration(tmp_path / "conf", tmp_path / "socket")
    longest = OcrSettings(rabbitmq_url="amqp://x", receipt_source_root=tmp_path, home_budget_ocr_cache=tmp_path)
    parser = ConfigParser(interpolation=None)
    parser.read(tmp_path / "conf")
    for name in ROLE_PROGRAMS:
        program = parser[f"program:{name}"]
        assert (program["stopsignal"], program["stopasgroup"]) == ("TERM", "false")
        assert program.getint("stopwaitsecs") > hard_limit(longest)
