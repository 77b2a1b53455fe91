"""``anonset demo``: a complete job on a generated data set."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, cast

from anonset.cli.options import Option
from anonset.cli.output import Output, warn
from anonset.data.progress import Progress
from anonset.jobs.anonymize_file import anonymize_file
from anonset.reading.hierarchies.files import write_hierarchy
from anonset.release.publishing.staging import require_new
from anonset.release.release import Release
from anonset.report.account import account, before_and_after, codebook_table
from anonset.report.sections import for_json, for_terminal
from anonset.settings.edits import make_settings


def demo(
    *,
    out: Annotated[str | None, Option("New directory; default: a temporary directory.", alias="-o")] = None,
    progress: Progress | None,
) -> Output:
    """Generate a data set, anonymize it and explain the result."""
    folder = _folder(out)
    try:
        return _run(folder, progress)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _run(folder: Path, progress: Progress | None) -> Output:
    data, hierarchy = folder / "shop.dat", folder / "hierarchy.csv"
    _generate(data, hierarchy)
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
    release = cast("Release", anonymize_file(settings, progress=progress))
    for warning in release.warnings:
        warn(warning)
    return Output(
        lambda: for_json(account(release)),
        lambda: [
            "5,000 generated baskets. Goal: someone who knows up to 2 items of a basket finds at least 5 matching "
            "baskets.",
            f"anonset anonymize {data} --hierarchy items={hierarchy} --model km --k 5 --m 2 -o {folder / 'published'}",
            "", *for_terminal(account(release)), "", before_and_after(release), codebook_table(release.publication), "",
            f"To repeat the verification: anonset verify {folder / 'published'}",
        ],
    )  # fmt: skip


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
