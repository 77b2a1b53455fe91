"""Settings of all tests: hypothesis without deadlines (the first call of a kernel compiles), data only where it is."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("anonset", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("anonset")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name raw bytes by their argument alone: a packed file carries its time, and all workers must agree on names."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of real data where there are none."""
    if "ANONSET_DATA" not in os.environ:
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(pytest.mark.skip(reason="ANONSET_DATA is not set: real data do not ship"))


@pytest.fixture(scope="session", autouse=True)
def kernels_are_called_as_they_are_annotated() -> Iterator[None]:
    """Compare, once all tests have run, what Numba compiled the kernels for with their signatures."""
    yield
    if any(name.startswith("anonset_kernels.") for name in sys.modules):
        from kernels.signatures import mismatches

        assert mismatches()[1] == [], "call kernels with the types of their signatures"
