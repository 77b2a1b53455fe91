"""``anonset demo``: a complete job on a generated data set."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, cast

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.flags import Quiet
from anonset.cli.output import show, warn
from anonset.cli.progress import progress_bars
from anonset.jobs.anonymize_file import anonymize_file
from anonset.reading.hierarchies.files import write_hierarchy
from anonset.release.publishing.staging import require_new
from anonset.release.release import Release
from anonset.report.account import account, before_and_after, codebook_table
from anonset.settings.overriding import make_settings


def demo(
    *,
    out: Annotated[str | None, Parameter(alias="-o", help="New directory; default: a temporary directory.")] = None,
    quiet: Quiet = False,
) -> int:
    """Generate a data set, anonymize it and explain the result."""
    folder = _folder(out)
    try:
        _run(folder, quiet=quiet)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return DONE


def _run(folder: Path, *, quiet: bool) -> None:
    data, hierarchy = folder / "shop.dat", folder / "hierarchy.csv"
    _generate(data, hierarchy)
    show(
        "5,000 generated baskets. Goal: someone who knows up to 2 items of a basket finds at least 5 matching baskets.",
        f"anonset anonymize {data} --hierarchy items={hierarchy} --model km --k 5 --m 2 -o {folder / 'published'}",
        "",
    )
    settings = make_settings(
        {
            "input": str(data),
            "out": str(folder / "published"),
            "hierarchy": {"items": str(hierarchy)},
            "model": "km",
            "k": 5,
            "m": 2,
        }
    )
    with progress_bars(quiet=quiet) as progress:
        release = cast("Release", anonymize_file(settings, progress=progress))
    for warning in release.warnings:
        warn(warning)
    show(*account(release), "", before_and_after(release), codebook_table(release.publication), "")
    show(f"To repeat the verification: anonset verify {folder / 'published'}")


def _folder(out: str | None) -> Path:
    if out is None:
        return Path(tempfile.mkdtemp(prefix="anonset-demo-"))
    folder = Path(out)
    require_new(folder)
    folder.mkdir()
    return folder


def _generate(data: Path, hierarchy: Path) -> None:
    from anonset_datasets.generators import make, shop_hierarchy

    make("shop", data)
    write_hierarchy(shop_hierarchy(), hierarchy)
