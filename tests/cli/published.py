"""Data for every privacy model, and common checks of the publications."""

import csv
from pathlib import Path

from cli.place import Place, Ran

# Figure 1a of Poulis et al. (ECML/PKDD 2013), without the items that its figures omit
RT = (
    "age,origin,gender,items\n19,France,Male,E F B\n22,Greece,Male,E F D\n28,Germany,Female,B C E\n"
    "39,Spain,Female,F D\n70,Algeria,Female,E\n55,Nigeria,Male,A F\n"
)
ORIGIN = "".join(f"{x},Europe,All\n" for x in ("France", "Greece", "Germany", "Spain")) + (
    "Algeria,Africa,All\nNigeria,Africa,All\n"
)
ROLES = ["--items", "items", "--relational", "age,origin,gender", "--unit", "row"]
KKM = ["--model", "kkm", "--k", "2", "--m", "2"]
IN_CHUNKS = ("--model", "disassociation", "--k", "3", "--m", "2", "--cluster-size", "12")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def publish(place: Place, data: str, *arguments: str) -> Ran:
    ran = place.run("anonymize", str(place.folder / data), "-o", str(place.out), *arguments)
    assert ran.code == 0, ran.err
    return ran


def verified(place: Place, data: str, *more: str) -> Ran:
    return place.run(
        "verify",
        str(place.out),
        "--original",
        str(place.folder / data),
        "--records",
        str(place.private / "records.csv"),
        "--json",
        *more,
    )


def hierarchies(place: Place, items: str = "balanced:2") -> list[str]:
    origin = f"origin={place.folder / 'origin.csv'}"
    return ["--hierarchy", "age=range", "--hierarchy", origin, "--hierarchy", f"items={items}"]


KKM = ["--model", "kkm", "--k", "2", "--m", "2"]


def report_of(place: Place) -> str:
    return (place.private / "report.json").read_text()


def place_has(place: Place, *names: str) -> bool:
    return all((place.out / name).is_file() or (place.private / name).is_file() for name in names)
