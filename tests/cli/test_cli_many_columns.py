"""Errors about tables with many columns are short, and do not examine all columns."""

import pytest

from cli.place import Place

NAMES = [f"c{number}" for number in range(2_000)]
TEXT = "\n".join([",".join(NAMES), *(",".join(str(row * n % 7) for n in range(len(NAMES))) for row in range(20))])


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ("--relational nope --unit row", "no column 'nope'"),
        ("--relational c1,nope --drop c* --unit row", "no column 'nope'"),
        ("--relational c1 --unit row", "and 1979 more without a role"),
        ("--relational c1", "without a role"),
    ],
)
def test_a_wrong_declaration_of_many_columns_is_rejected_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch, roles: str, words: str
) -> None:
    examined: list[str] = []
    monkeypatch.setattr("anonset.jobs.proposals.proposed_reading.profile", lambda name, *_: examined.append(name))
    command = ["anonymize", place.write("wide.csv", TEXT), "--model", "k", "--k", "2", "-o", str(place.out)]
    ran = place.run(*command, *roles.split())
    assert (ran.code, examined) == (2, [])
    assert words in ran.err
    assert len(ran.err) < 1_000
