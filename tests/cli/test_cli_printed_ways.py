"""Commands that `inspect` prints if the first proposal publishes nothing."""

import re
import shlex

import pytest
from tests.facts import names

import anonset
from cli.place import Place, Ran


def printed(ran: Ran) -> list[list[str]]:
    """Return the printed commands."""
    return [shlex.split(one) for one in re.findall(r": anonset ((?:inspect|anonymize) [^,;\n]*)", ran.out + ran.err)]


def table(place: Place, header: str, rows: list[str], name: str = "rows.csv") -> str:
    return place.write(name, "\n".join([header, *rows, ""]))


def test_items_like_free_text_are_proposed_only_with_the_declaration(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["patient", "with", "pain", "and", "the", "cough", "was", "seen", "by", "nurse"]
    data = table(place, "patient_id,drug", [f"P{n // 3:04d}X,{words[(n + n // 7) % 10]}" for n in range(900)])
    monkeypatch.chdir(place.folder)
    refused = place.run("inspect", data, "--unit", "patient_id", "-o", "job.toml")
    assert refused.code == 2
    (command,) = printed(refused)
    assert names(shlex.join(command), "--items drug --publish-as-is")
    assert place.run(*command).code == 0
    assert place.run("anonymize", "job.toml").code == 0


def test_quasi_identifiers_like_opaque_keys_are_dropped(place: Place) -> None:
    data = table(place, "area,sex", [f"E{6000000 + n % 60 * 977},{'fm'[n % 2]}" for n in range(600)])
    roles = {column.profile.name: column.role for column in anonset.inspect(data, unit="row").columns}
    assert roles == {"area": "drop", "sex": "relational"}


def test_negative_ids_are_ids(place: Place) -> None:
    rows = [f"-{10**8 + n // 6 * 977},{'fm'[n // 6 % 2]}" for n in range(900)]
    (answer, *_) = anonset.inspect(table(place, "BENE_ID,sex", rows)).question.answers
    assert (str(answer.unit), answer.persons, answer.skipped) == ("BENE_ID", 150, 0)


def test_an_error_of_reading_comes_with_the_command_that_reads_the_data(place: Place) -> None:
    rows = [f"F{n // 2},P{n},0,0,{1 + n % 2}" for n in range(300)]
    ran = place.run("inspect", table(place, rows[0], rows[1:]))
    assert ran.code == 2
    (command,) = printed(ran)
    assert "--no-header" in command
    assert place.run(*command).code == 0


@pytest.mark.parametrize(
    ("header", "value"), [("shade", lambda n: "abcd"[n % 4]), ("relevance", lambda n: f"0.{n * 7919 % 10007}")]
)
def test_a_small_or_unrecognized_table_has_a_command(place: Place, header: str, value, monkeypatch) -> None:
    data = table(place, f"key_id,{header}", [f"{n * 7919 + 10**6},{value(n)}" for n in range(30)])
    monkeypatch.chdir(place.folder)
    (command,) = printed(place.run("inspect", data, "--unit", "row", "-o", "job.toml"))
    assert names(shlex.join(command), f"--relational {header}")
    assert place.run(*command).code == 0
    assert place.run("anonymize", "job.toml").code == 0
