"""Small data sets on disk, and the command line run in this process."""

import random
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from anonset.cli.main import main
from cli.place import HIERARCHY, RECORDS, Place, Ran
from cli.published import IN_CHUNKS, ORIGIN, RT, publish

ITEMS = "abcdefghijkl"


def made_in(folder: Path, run: Callable[..., Ran]) -> Place:
    made = Place(folder, run)
    made.write("data.dat", RECORDS)
    made.write("data.csv", "age,codes\n" + "".join(f"{20 + i},{row}\n" for i, row in enumerate(RECORDS.splitlines())))
    made.write("hierarchy.csv", HIERARCHY)
    return made


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    def run(*arguments: str) -> Ran:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return made_in(tmp_path, run)


@pytest.fixture(scope="session")
def usual_publication(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Publish the usual job once. No test changes the publication."""
    made = made_in(tmp_path_factory.mktemp("usual"), lambda *arguments: Ran(main(list(arguments)), "", ""))
    assert made.run(*made.job()).code == 0
    return made


@pytest.fixture
def is_published(place: Place, usual_publication: Place) -> None:
    """Copy the publication of the usual job to the place."""
    copytree(usual_publication.out, place.out)
    copytree(usual_publication.private, place.private)


@pytest.fixture
def rt(place: Place) -> Place:
    place.write("rt.csv", RT)
    place.write("origin.csv", ORIGIN)
    return place


@pytest.fixture
def long(place: Place) -> Place:
    """Twenty people with one to three tuples each."""
    drugs = [f"P{i % 20},{20 + i % 7},{'abcdefgh'[(i * 3 + i // 20) % 8]}\n" for i in range(45)]
    place.write("long.csv", "name,age,drug\n" + "".join(drugs))
    return place


@pytest.fixture
def shop(place: Place) -> Place:
    """Sixty baskets of twelve items, a few of them with a sensitive item."""
    rng = random.Random(1)
    rows = [" ".join(rng.sample(ITEMS, rng.randint(1, 4))) for _ in range(60)]
    rows = [f"{row} secret" if i % 12 == 0 else row for i, row in enumerate(rows)]
    place.write("shop.dat", "\n".join(rows) + "\n")
    return place


@pytest.fixture(scope="module")
def publish_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Publish the data of a module once per job. Each test receives copies of the two directories."""
    made: dict[tuple[str, ...], Path] = {}

    def publish_once(place: Place, *job: str) -> None:
        if job in made:
            copytree(made[job], place.folder, dirs_exist_ok=True)
            return
        publish(place, *job)
        made[job] = tmp_path_factory.mktemp("published")
        for directory in (place.out, place.private):
            copytree(directory, made[job] / directory.name)

    return publish_once


@pytest.fixture
def chunks(place: Place) -> Place:
    """150 baskets of at most five items, as a file of baskets and as a column of a table."""
    draw = random.Random(1)
    rows = [sorted({int(12 * draw.random() ** 2) for _ in range(draw.randint(0, 5))}) for _ in range(150)]
    place.write("sets.dat", "".join(" ".join(map(str, row)) + "\n" for row in rows))
    place.write("sets.csv", "age,codes\n" + "".join(f"3,{' '.join(f'c{item}' for item in row)}\n" for row in rows))
    return place


@pytest.fixture
def done(chunks: Place, publish_once: Callable[..., None]) -> Place:
    """The baskets, published in chunks."""
    publish_once(chunks, "sets.dat", *IN_CHUNKS)
    return chunks
