"""Libraries that would disturb each other are installed once."""

from importlib.metadata import distributions

import pytest


@pytest.mark.trap(42)
def test_exactly_one_opencv_is_installed():
    found = {
        each.metadata["Name"].lower() for each in distributions() if each.metadata["Name"].lower().startswith("opencv")
    }
    assert len(found) == 1
