"""Opaque keys of persons are not published as items. A rejected run explains why no command is possible."""

from hashlib import md5

import pytest

from anonset.personal_text import hidden
from cli.place import Place

KEYS = [md5(str(n).encode()).hexdigest()[:12] for n in range(60)]
RIDES = "cab,card,fare\n" + "".join(f"{n % 40},{KEYS[n % 60]},{n % 3}\n" for n in range(1_200))
RUN = ("--items", "card", "--unit", "cab", "--model", "km", "--k", "2", "--m", "1")


@pytest.fixture
def rides(place: Place) -> list[str]:
    return ["anonymize", place.write("rides.csv", RIDES), "-o", str(place.out), *RUN]


@pytest.mark.long
def test_opaque_keys_are_published_only_by_declaration(place: Place, rides: list[str]) -> None:
    rides += ["--hierarchy", "card=halves:frequency", "--drop", "fare"]
    ran = place.run(*rides)
    assert (ran.code, "60 values look like opaque keys" in ran.err, place.out.exists()) == (2, True, False), ran.err
    assert place.run(*rides, "--publish-as-is", "card").code == 0


def test_messages_hide_opaque_keys(place: Place, rides: list[str]) -> None:
    ran = place.run(
        *rides, "--drop", "fare", "--publish-as-is", "card", "--hierarchy", f"card={place.write('t.csv', 'a,b')}"
    )
    assert (ran.code, "60 labels of the data are not leaves: hidden" in ran.err) == (2, True), ran.err
    assert not any(key in ran.err for key in KEYS)
    assert all(map(hidden, KEYS))


@pytest.mark.parametrize(
    ("header", "items", "code"),
    [
        ("peer", [f"{84_745_000_000 + 977 * n}" for n in range(60)], 2),
        ("customer_id", [f"{n}" for n in range(60)], 2),
        ("ndc", [f"{10_745_000_000 + 977 * n}" for n in range(60)], 0),
        ("peer", [f"{1_000 + n}" for n in range(60)], 0),
    ],
)
def test_long_numbers_and_ids_of_persons_are_no_items(place: Place, header: str, items: list[str], code: int) -> None:
    lines = [f"{n % 40},{items[n % 60]}\n" for n in range(1_200)]
    data = place.write("data.csv", "".join([f"cab,{header}\n", *lines]))
    run = [
        "anonymize",
        data,
        "-o",
        str(place.out),
        "--items",
        header,
        *RUN[2:],
        "--hierarchy",
        f"{header}=halves:frequency",
    ]
    assert place.run(*run).code == code


def test_network_addresses_are_published_only_by_declaration(place: Place) -> None:
    data = place.write("data.csv", "ip,sex\n" + "".join(f"10.0.{n % 7}.{n % 5},{'fm'[n % 2]}\n" for n in range(350)))
    run = ["anonymize", data, "-o", str(place.out), "--relational", "ip,sex", "--unit", "row", "--model", "k"]
    ran = place.run(*run, "--k", "5")
    assert (ran.code, "IP addresses" in ran.err) == (2, True), ran.err
    assert place.run(*run, "--k", "5", "--publish-as-is", "ip").code == 0
