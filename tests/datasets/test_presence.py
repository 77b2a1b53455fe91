"""Reporting data sets as present, missing or changed."""

import gzip
import hashlib
from pathlib import Path

import pytest
from tests.facts import refused

from anonset.errors import InputError
from anonset_datasets import presence
from anonset_datasets.cards import CARDS
from anonset_datasets.entries import ENTRIES
from anonset_datasets.presence import digests, look

TEXT = b"1 2\n3\n"
FILE = "transactions/retail.dat.gz"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data folder in which `retail` has two records, matching the published digest."""
    (tmp_path / "transactions").mkdir()
    (tmp_path / FILE).write_bytes(gzip.compress(TEXT, 9))
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path))
    monkeypatch.setattr(presence, "digests", lambda: {FILE: hashlib.sha256(TEXT).hexdigest()})
    return tmp_path


def test_every_file_has_a_digest_and_every_data_set_a_card() -> None:
    files = {file for entry in ENTRIES.values() if not entry.optional for file in entry.files}
    assert files == set(digests())
    assert all(len(digest) == 64 for digest in digests().values())
    assert set(CARDS) == set(ENTRIES)
    for name, card in CARDS.items():
        assert card.offered, name
        assert card.made, name
        assert not card.stands_in_for or card.differs, name


def test_recompressed_data_are_as_published(folder: Path) -> None:
    assert look(["retail"])[0].state == "as published"
    (folder / FILE).write_bytes(gzip.compress(TEXT, 1, mtime=1))
    (state,) = look(["retail"])
    assert (state.state, state.is_wanting) == ("as published", False)


@pytest.mark.parametrize("content", [gzip.compress(b"1 2\n4\n"), gzip.compress(TEXT)[:-6], TEXT, b""])
def test_other_bytes_and_broken_files_are_different(folder: Path, content: bytes) -> None:
    (folder / FILE).write_bytes(content)
    (state,) = look(["retail"])
    assert (state.state, state.is_wanting) == ("different", True)


def test_a_hierarchy_that_is_missing_makes_the_data_set_missing(folder: Path) -> None:
    (folder / "transactions" / "groceries.dat.gz").write_bytes(gzip.compress(TEXT))
    (state,) = look(["groceries"])
    assert [part.state for part in state.parts] == ["different", "missing"]
    assert state.state == "missing"


def test_optional_data_may_be_missing_but_not_wrong(folder: Path) -> None:
    (state,) = look(["bms_pos"])
    assert (state.state, state.is_wanting) == ("missing", False)
    # the digest is unknown, so characteristics are compared
    (folder / "transactions" / "BMS-POS.dat").write_bytes(TEXT)
    (state,) = look(["bms_pos"])
    assert (state.state, state.is_wanting) == ("different", True)
    assert state.parts[0].file == "transactions/BMS-POS.dat"


def test_without_a_folder_all_is_missing_and_a_wrong_one_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refused(InputError, "retail retial"):
        look(["retail", "retial"])
    monkeypatch.setenv("ANONSET_DATA", str(folder / "nowhere"))
    with refused(InputError, f"ANONSET_DATA {folder / 'nowhere'}"):
        look()
    monkeypatch.delenv("ANONSET_DATA")
    assert {state.state for state in look()} == {"missing"}
    assert len(look()) == len(ENTRIES)


@pytest.mark.long
@pytest.mark.data
def test_stored_data_have_their_digests(data_folder: Path) -> None:
    wanting = [(state.entry.name, state.parts) for state in look() if state.is_wanting]
    assert not wanting, data_folder
