"""Chains of releases by `--recoding`: symbols keep their meaning, and suppressed items remain suppressed."""

import csv
import random
import shutil
from pathlib import Path

import pytest

from cli.place import Place

TREE = "".join(f"{x},{x}{y},{x}{y}{z},ALL\n{y},{x}{y},{x}{y}{z},ALL\n" for x, y, z in ("abc", "def", "ghi", "jkl"))
ITEMS = "abdeghjk"
OF_CUTS = (["hghs"], ["mhghs"], ["exact", "--suppress"], ["apriori"], ["exact"], ["direct"], ["vpa"], ["optimal"])


def drawn(rng: random.Random, n: int) -> list[set[str]]:
    shares = {item: rng.choice([0.02, 0.05, 0.1, 0.3, 0.6]) for item in ITEMS}
    return [{item for item in ITEMS if rng.random() < shares[item]} or {rng.choice(ITEMS)} for _ in range(n)]


def names_of(out: Path) -> dict[str, frozenset[str]]:
    with (out / "codebook.csv").open(newline="") as file:
        return {row["symbol"]: frozenset(row["members"].split(" ")) for row in csv.DictReader(file)}


def mapping_of(out: Path) -> dict[str, str]:
    with (out.with_name(f"{out.name}.private") / "mapping.csv").open(newline="") as file:
        return {row["item"]: row["published"] for row in csv.DictReader(file)}


def chain(place: Place, rng: random.Random, algorithms: list[list[str]], fixed: list[str], *, after: bool) -> None:
    """Release a changing table several times, and compare symbols and suppressed items of all releases."""
    meant, gone, earlier = dict[str, frozenset[str]](), set[str](), list[str]()
    rows = [row | {ITEMS[i]} if i < len(ITEMS) else row for i, row in enumerate(drawn(rng, 40))]
    for number, algorithm in enumerate(algorithms):
        lines = [f"p{i},{' '.join(sorted(row))}" for i, row in enumerate(rows)]
        data = place.write(f"{number}.csv", "\n".join(["who,codes", *lines, ""]))
        out = place.folder / f"q{number}"
        job = ["anonymize", data, "--items", "codes", "--unit", "who", *fixed, "--algorithm", *algorithm, *earlier]
        ran = place.run(*job, "--accept", "worthless", "-o", str(out))
        assert ran.code == 0, (algorithm, ran.err)
        for name, members in names_of(out).items():
            assert meant.setdefault(name, members) == members, name
        mapping = mapping_of(out)
        assert not [item for item in gone if mapping.get(item)]
        gone |= {item for item, name in mapping.items() if not name}
        tree = ["--hierarchy", fixed[1]] if fixed[0] == "--hierarchy" else []
        assert place.run("verify", str(out), "--original", data, "--unit", "who", *tree, *earlier[2:]).code == 0
        earlier = ["--recoding", str(place.folder / f"q{number}.private")]
        earlier += ["--after", earlier[1]] * after
        for _ in range(rng.randrange(12)):
            position = rng.randrange(len(rows))
            rows[position] = rows[position] ^ {rng.choice(ITEMS)} or {"a"}
        rows += drawn(rng, rng.randrange(6))
    for path in place.folder.glob("q*"):
        shutil.rmtree(path)


@pytest.mark.long
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_symbols_and_suppressed_items_of_cuts_do_not_change(place: Place, seed: int, after: bool) -> None:
    rng = random.Random(seed)
    place.write("tree.csv", TREE)
    algorithms = [rng.choice(OF_CUTS[:3]), *(rng.choice(OF_CUTS) for _ in range(3))]
    fixed = ["--hierarchy", f"codes={place.folder / 'tree.csv'}", "--k", str(rng.choice([2, 3, 4])), "--m", "2"]
    chain(place, rng, algorithms, [*fixed, "--symbols", rng.choice(["auto", "short", "members"])], after=after)


def test_a_short_symbol_is_used_once_in_a_chain(place: Place) -> None:
    """Three releases by sets: pairs, the same pairs of which two are merged, and additional items."""
    utility = place.write("one.txt", " ".join("abcdefgh") + "\n")
    job = ["--algorithm", "pcta", "--k", "2", "--m", "1", "--privacy-constraints", "km", "--symbols", "short"]
    data = [
        "a\nb\n" + "c\nd\n" + "e\ne\nf\nf\ng\ng\nh\nh\n",
        "a\n" + "c\n" + "e\ne\nf\nf\ng\ng\nh\nh\n",
        "a\n" + "c\n" + "e\nf\ng\nh\n",
    ]
    meant = dict[str, frozenset[str]]()
    for number, rows in enumerate(data):
        earlier = ["--recoding", str(place.folder / f"q{number - 1}.private")] if number else []
        path = place.write(f"{number}.dat", rows)
        ran = place.run(
            "anonymize", path, *job, "--utility-constraints", utility, *earlier, "-o", str(place.folder / f"q{number}")
        )
        assert ran.code == 0, ran.err
        names = names_of(place.folder / f"q{number}")
        assert any(len(members) > 1 and name not in meant for name, members in names.items())
        assert all(meant.setdefault(name, members) == members for name, members in names.items())
    assert not (place.folder / "q2" / "retired.csv").exists()
    assert (place.folder / "q2.private" / "retired.csv").exists()
