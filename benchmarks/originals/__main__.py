"""Command line of the steps that build the data folder."""

import gzip
import hashlib
import sys
from pathlib import Path

from benchmarks.originals.recipes import RECIPES
from cyclopts import App

from anonset.errors import InputError
from anonset_datasets.presence import digests

app = App(name="originals", help="Build the data folder from the files that the owners of the data publish.")


@app.default
def build(downloads: Path, data: Path, *names: str) -> None:
    """Build the files whose originals are present, and compare each with its digest in the catalogue.

    A file with another digest is not written. Exits with status 1 if a digest differs. Without the originals of a data
    set, prints their names and their source.

    Parameters
    ----------
    downloads
        Folder with the originals, without subfolders.
    data
        Data folder, for the variable ANONSET_DATA.
    names
        Data sets to build; all by default.
    """
    differing = 0
    for name in names or RECIPES:
        recipe = RECIPES.get(name)
        if recipe is None:
            msg = f"data set must be one of {', '.join(RECIPES)}, got {name!r}"
            raise InputError(msg)
        if missing := recipe.missing(downloads):
            sys.stdout.write(f"{name}: missing {', '.join(missing)} (source: {recipe.source})\n")
            continue
        for file, text in recipe.build(downloads).items():
            outcome = _store(data, f"{file}.gz", text)
            differing += outcome != "as published"
            sys.stdout.write(f"{name}: {file}.gz {outcome}\n")
    sys.exit(1 if differing else 0)


def _store(data: Path, file: str, text: str) -> str:
    """Write a file if its digest is the published one. Return the outcome as text."""
    content, target = text.encode(), data / file
    if hashlib.sha256(content).hexdigest() != digests()[file]:
        return "differs from the published file, and is not written"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(content, mtime=0))
    return "as published"


if __name__ == "__main__":
    try:
        app()
    except InputError as error:
        sys.exit(f"originals: error: {error}")
