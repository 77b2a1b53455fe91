"""Reconstruction of a disassociated publication returns a possible table, which depends only on the seed."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.facts import names

import anonset
from algorithms.chunk_cases import RECORDS
from anonset.cli.main import main
from anonset.errors import VerificationError
from anonset.jobs.reconstruct import reconstruct
from anonset.release.release import Release
from anonset.verification.chunk_truth import check_chunks_true
from effort import examples

_DRAW = random.Random(4)
ROWS = [{"abcdefgh"[int(8 * _DRAW.random() ** 2)] for _ in range(_DRAW.randint(0, 4))} for _ in range(90)]


def released(rows: list[set[str]], k: int, m: int, size: int) -> Release:
    algorithm = anonset.Disassociation(k=k, m=m, cluster_size=size, counts=size < 60)
    return anonset.anonymize(anonset.Table.from_sets(rows), algorithm, workers=1, accept="worthless")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the publication is worthless")
@given(RECORDS, st.integers(1, 4), st.integers(1, 3), st.sampled_from((2, 4, 60)), st.integers(0, 99))
@settings(max_examples=examples(100))
def test_a_reconstruction_is_a_possible_original(records: list[set[str]], k: int, m: int, size: int, seed: int) -> None:
    assume(len(records) >= k)
    release = released(records, k, m, size)
    made = reconstruct(release, seed=seed)
    sizes = [cluster.n for cluster in release.publication.clusters]
    by_cluster = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    known = replace(release.publication, record=np.arange(made.n), cluster=by_cluster)
    assert check_chunks_true(made, known) is None
    for number, cluster in enumerate(release.publication.clusters):
        if k > 1 and cluster.chunks and not cluster.terms:
            rows = [row for row, where in zip(made.transactions.rows(), by_cluster, strict=True) if where == number]
            assert all(rows)


@pytest.mark.long
def test_the_seed_determines_the_reconstruction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = released(ROWS, 3, 2, 12)
    out = str(release.save(tmp_path / "out"))
    assert release.publication.shared
    for seed, name in ((1, "one.dat"), (1, "again.csv"), (2, "other.dat")):
        assert main(["reconstruct", out, "-o", str(tmp_path / name), "--seed", str(seed)]) == 0
        assert names(capsys.readouterr().out, "90 records")
    first, other = ((tmp_path / name).read_text() for name in ("one.dat", "other.dat"))
    assert first != other
    assert (tmp_path / "again.csv").read_text() == "items\n" + "".join(
        (line or '""') + "\n" for line in first.splitlines()
    )
    read = anonset.read(tmp_path / "one.dat")
    assert list(map(set, read.transactions.rows())) == list(map(set, reconstruct(out, seed=1).transactions.rows()))


def test_file_names_contain_the_seeds_of_several_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(released(ROWS, 3, 2, 12).save(tmp_path / "out"))
    assert main(["reconstruct", out, "-o", str(tmp_path / "made.dat"), "--seed", "5", "--draws", "3"]) == 0
    assert sum(names(line, "90 records") for line in capsys.readouterr().out.splitlines()) == 3
    assert sorted(path.name for path in tmp_path.glob("made*")) == ["made-5.dat", "made-6.dat", "made-7.dat"]
    assert main(["reconstruct", out, "-o", str(tmp_path / "alone.dat"), "--seed", "6", "--quiet"]) == 0
    assert (tmp_path / "alone.dat").read_bytes() == (tmp_path / "made-6.dat").read_bytes()
    assert len({(tmp_path / f"made-{seed}.dat").read_bytes() for seed in (5, 6, 7)}) == 3
    assert main(["reconstruct", out, "-o", str(tmp_path / "made.dat"), "--seed", "4", "--draws", "2"]) == 2
    assert names(capsys.readouterr().err, "made-5.dat")
    assert not (tmp_path / "made-4.dat").exists()


def test_invalid_reconstructions_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(released(ROWS, 3, 2, 12).save(tmp_path / "out"))
    plain = anonset.anonymize(anonset.Table.from_sets(ROWS), anonset.SetSearch(k=2, m=1), workers=1, accept="worthless")
    other = str(plain.save(tmp_path / "other"))
    (tmp_path / "there.dat").write_text("")
    for command, message in (
        ([other, "-o", f"{tmp_path}/a.dat"], "disassociation"),
        ([out, "-o", f"{out}/a.dat"], f"{out}"),
        ([out, "-o", f"{tmp_path}/there.dat"], "there.dat"),
        ([out, "-o", f"{tmp_path}/a.txt"], "a.txt .csv .dat .parquet"),
        ([out, "-o", f"{tmp_path}/a.dat", "--draws", "2.5"], "--draws integer 2.5"),
        ([out, "-o", f"{tmp_path}/a.dat", "--draws", "0"], "--draws 1 0"),
        ([out, "-o", f"{tmp_path}/a.dat", "--draws", "2147483648"], "--draws 100000 2147483648"),
        ([out, "-o", f"{tmp_path}/a.dat", "--seed", "-1"], "seed 0 -1"),
        ([f"{out}.private", "-o", f"{tmp_path}/a.dat"], f"{out}.private"),
    ):
        assert main(["reconstruct", *command]) == 2
        assert names(capsys.readouterr().err, message)
    assert not (tmp_path / "a.dat").exists()


def test_publications_that_fail_verification_are_not_reconstructed() -> None:
    release = released(ROWS, 3, 2, 12)
    forged = replace(release.publication, shared=tuple(replace(c, last=c.last + 9) for c in release.publication.shared))
    with pytest.raises(VerificationError):
        reconstruct(replace(release, unverified=replace(release.unverified, publication=forged)))
