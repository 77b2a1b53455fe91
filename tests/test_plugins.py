"""Algorithms of installed packages, and the reasons to reject them. ``tests/plugin`` is a complete package."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest
from tests.facts import refused

from anonset import plugins
from anonset.errors import InputError


class Offer:
    name = "offer"


class Nameless:
    name = ""


NO_CLASS = "text"


def offers(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    made = [EntryPoint(f"e{n}", value, plugins.MODELS) for n, value in enumerate(values)]
    monkeypatch.setattr(plugins, "installed_entry_points", lambda: EntryPoints(made))


def test_a_class_is_registered_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    offers(monkeypatch, f"{__name__}:Offer")
    assert {name: made.__name__ for name, made in plugins.load_offered(plugins.MODELS, ["km"]).items()} == {
        "offer": "Offer"
    }
    assert plugins.load_offered(plugins.ALGORITHMS, []) == {}


@pytest.mark.parametrize(
    ("values", "taken", "message"),
    [
        (["Nameless"], [], "class name"),
        (["NO_CLASS"], [], "class name text"),
        (["Offer"], ["offer"], "name offer"),
        (["Offer", "Offer"], [], "name offer"),
        (["Missing"], [], "AttributeError"),
    ],
)
def test_offers_that_do_not_match_their_name_are_rejected(
    monkeypatch: pytest.MonkeyPatch, values: list[str], taken: list[str], message: str
) -> None:
    offers(monkeypatch, *(f"{__name__}:{value}" for value in values))
    with refused(InputError, f"package {message}"):
        plugins.load_offered(plugins.MODELS, taken)
