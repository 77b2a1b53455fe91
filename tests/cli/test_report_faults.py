"""Faults of a publication are on the first screen of the report, for sets, attributes, and both together."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.place import Place
from cli.test_report_doubts import first_screen

pytestmark = pytest.mark.compiled

COLUMNS = ("visit", "patient", "age", "ward", "hiv", "note", "diagnosis", "stage", "codes")
KINDS = {
    "sets": {"--items": "codes", "--model": "km", "--m": "2"},
    "attributes": {"--relational": "age,ward", "--model": "k"},
    "both": {"--items": "codes", "--relational": "age,ward", "--model": "kkm", "--m": "2"},
}


@dataclass(frozen=True)
class Fault:
    internal: str
    """Text on the first screen of the internal report."""
    shareable: str = ""
    """Text on the first screen of the shareable report. Empty if the publication does not show the fault."""
    kinds: tuple[str, ...] = tuple(KINDS)
    change: tuple[tuple[str, str], ...] = ()
    """Options, which replace those of the kind. ``--attribute`` adds an attribute."""
    persons: int = 60


PERSON = "The owner declared who is a person. This report cannot show whether the data contradict it"
NAMES = ("Anna Berg", "Karl Vogt", "Maria Kern", "Peter Lang")
FAULTS = {
    "a visit is the person": Fault("is declared a different person, but", PERSON, change=(("--unit", "visit"),)),
    "nobody declared the person": Fault(
        *["No person is declared. The guarantee covers rows"] * 2, change=(("--unit", "unknown"),)
    ),
    "a sensitive attribute": Fault(
        *["Column hiv seems sensitive, but the guarantee does not limit"] * 2, change=(("--attribute", "hiv"),)
    ),
    "an attribute that nobody called sensitive": Fault(
        *["Column stage may be sensitive, but the guarantee does not limit"] * 2, change=(("--attribute", "stage"),)
    ),
    "a free text": Fault(
        *["The owner declared that note may show names, identifiers or exact values of few persons."] * 2,
        change=(("--keep", "note"), ("--publish-as-is", "note")),
    ),
    "a dropped column": Fault("Not published: patient, visit, hiv, note, diagnosis, stage"),
    "k is 2": Fault(*["With k = 2, an attacker may be left with a choice"] * 2, change=(("--k", "2"),)),
    "a revealing group": Fault(
        "Nobody checked what the names of these published groups or values reveal: 'HIV clinic'",
        "Nobody checked what the names of these published groups or values reveal: 'HIV clinic'", kinds=("attributes",),
        change=(("--hierarchy", "ward=wards.csv"), ("--k", "30"), ("--relational", "ward")),
    ),
    "a revealing leaf": Fault(
        "The codebook names 1 item of the owner's hierarchy that at most 2 records have",
        "The items of codes seem sensitive ('HIV of J. Smith'), and none is declared sensitive",
        kinds=("sets",), change=(("--hierarchy", "codes=codes.csv"), ("--k", "30"), ("--algorithm", "apriori")),
    ),
    "an earlier release": Fault("The publication first has the same input, and may be about the same persons"),
    "skipped rows": Fault("Skipped rows without an id: 24, 20.0% of all rows"),
    "many items": Fault(
        "of a person: they single out", "The guarantee does not cover attackers who know", kinds=("sets", "both"),
        change=(("--m", "1"),),
    ),
    "names among items": Fault(
        *["In codes, 4 of the 44 items (9.1%) look like names of persons."] * 2, kinds=("sets", "both"),
        change=(("--publish-as-is", "codes"),),
    ),
    "few names among items": Fault(
        "In codes, 4 of the 44 items (9.1%) may name persons ('Anna Berg', 'Karl",
        "In codes, 4 of the 44 items (9.1%) may name persons.", kinds=("sets", "both"),
    ),
    "twelve persons": Fault(*["The data contain only 12 records"] * 2, change=(("--k", "3"),), persons=12),
}  # fmt: skip


def rows(persons: int, *, with_names: bool, skipped: bool) -> str:
    draw = random.Random(5)
    lines = [",".join(COLUMNS)]
    for n in range(persons * 2):
        codes = [*(f"c{code}" for code in draw.sample(range(40), 9)), *([NAMES[n % 4]] if with_names else [])]
        person = "" if skipped and n % 5 == 4 else f"p{n // 2}"
        note = f"seen by me on the {n // 2}th time and well in every sense"
        values = (
            f"v{n}",
            person,
            20 + n // 2 % 9,
            f"w{n // 2 % 3}",
            "ny"[n // 2 % 2],
            note,
            f"d{n % 3}",
            "I" * (1 + n // 2 % 2),
        )
        lines.append(",".join(map(str, (*values, ";".join(codes)))))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for name, one in FAULTS.items() for kind in one.kinds])
def test_a_fault_is_on_the_first_screen(place: Place, kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    fault, options = FAULTS[name], {"--unit": "patient", "--k": "5", **KINDS[kind]}
    if "--items" in options:
        options |= {"--separator": ";", "--hierarchy": "codes=balanced:3"}
    data = rows(fault.persons, with_names=name.endswith("names among items"), skipped=name == "skipped rows")
    place.write("rows.csv", data)
    place.write("wards.csv", "".join(f"w{n},{'HIV clinic' if n < 2 else 'other'},*\n" for n in range(3)))
    leaves = [(f"c{code}", f"g{code // 20}") for code in range(40)]
    place.write("codes.csv", "".join(f"{leaf},{one},*\n" for leaf, one in [*leaves, ("HIV of J. Smith", "g0")]))
    options |= {"--skip-rows": "no-id"} if name == "skipped rows" else {}
    options |= dict(fault.change)
    if added := options.pop("--attribute", ""):
        role = "--relational" if "--relational" in options else "--keep"
        options[role] = f"{options.get(role, '')},{added}".lstrip(",")
    named = {part for text in options.values() for part in text.replace("=", ",").split(",")}
    order = ("visit", "hiv", "note", "diagnosis", "stage", "patient", "age", "ward", "codes")
    options["--drop"] = ",".join(one for one in order if one not in named)
    made = [word for option in options.items() for word in option]
    for out in (["first"] if name == "an earlier release" else []) + ["out"]:
        ran = place.run("anonymize", "rows.csv", *made, "-o", out, "--quiet")
        assert ran.code == 0, ran.err
    pages = {"internal": ["out.private/report.json"], "shareable": ["out", "--shareable"]}
    for form, of in pages.items():
        ran = place.run("report", *of, "-o", f"{form}.html")
        assert ran.code == 0, ran.err
        shown = first_screen(Path(f"{form}.html").read_text()).partition("Contents")[0]
        assert getattr(fault, form) in shown, (form, shown)
