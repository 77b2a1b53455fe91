"""Data generated in parts equal the data generated at once."""

import pytest
from tests.facts import refused

from anonset.data import NumericColumn
from anonset.data.fingerprints import columns_sha256
from anonset.errors import InputError
from anonset.reading.read import read
from anonset.reading.scan import scan
from anonset_datasets.generators import generate, parts
from anonset_datasets.generators.missions import BLOCK
from anonset_datasets.generators.pos import pos_like_part
from anonset_datasets.generators.tail import long_tail_part
from anonset_datasets.generators.youtube import youtube_like_part


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "workers"), [("pos_like", 1), ("pos_like", 3), ("youtube_like", 2), ("long_tail", 2)])
def test_parts_together_equal_the_complete_data(tmp_path, monkeypatch, name, workers):
    monkeypatch.setattr(parts, "BLOCKS_OF_PART", 1)
    parameters = {"n": 2 * BLOCK + 17, "seed": 3, "avg_length": 1.5}
    assert parts.make_parts(name, tmp_path / "made", parameters, workers) == 2 * BLOCK + 17
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [f"part-0000{n}.parquet" for n in range(3)]
    complete = generate(name, **parameters)
    numeric = [column.name for column in complete.relational if isinstance(column, NumericColumn)]
    roles = {"relational": [column.name for column in complete.relational], "numeric": numeric}
    table = scan(tmp_path / "made", items=complete.transactions.name, **roles)
    assert columns_sha256(table) == columns_sha256(complete)
    assert list(tmp_path.iterdir()) == [tmp_path / "made"]


def test_no_records_are_one_empty_part(tmp_path):
    assert parts.make_parts("pos_like", tmp_path / "made", {"n": 0}) == 0
    assert read(tmp_path / "made", items="items").n == 0


@pytest.mark.parametrize("part", [pos_like_part, long_tail_part, youtube_like_part])
def test_blocks_of_more_records_than_fit_at_once(part):
    few = part(n=3 * BLOCK, only=range(1, 2))
    assert columns_sha256(part(n=10**9, only=range(1, 2))) == columns_sha256(few)
    assert part(n=10**9, only=range(10**9 // BLOCK, 10**9 // BLOCK + 1)).n == 10**9 % BLOCK


@pytest.mark.parametrize(
    ("name", "folder", "parameters", "facts"),
    [
        ("shop", "made", {}, "shop .dat"),
        ("pos_like", "there", {}, "folder"),
        ("pos_like", "none/made", {}, "folder"),
        ("pos_like", "made", {"n": -1}, "n 0 -1"),
        ("pos_like", "made", {"n": 10**10 + 1}, "n 10000000000 10000000001"),
        ("pos_like", "made", {"records": 1}, "pos_like n records"),
        ("none", "made", {}, "generator pos_like none"),
    ],
)
def test_invalid_parts_are_rejected(tmp_path, name, folder, parameters, facts):
    (tmp_path / "there").mkdir()
    with refused(InputError, facts):
        parts.make_parts(name, tmp_path / folder, parameters)
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]
