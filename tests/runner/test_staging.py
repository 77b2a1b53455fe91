"""A publication appears whole or not at all."""

from pathlib import Path

import pytest

from anonset.errors import InputError
from anonset.runner.staging import Staging


def test_finished_work_stays(tmp_path: Path) -> None:
    with Staging(tmp_path / "out", tmp_path / "private") as staging:
        assert not (tmp_path / "out").exists()
        assert (tmp_path / "private").is_dir()
        assert staging.folder.parent.stat().st_mode & 0o777 == 0o700
        (staging.folder / "data").write_text("x")
        staging.rename()
        (staging.private / "report").write_text("y")
        staging.finish()
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")} == {
        "out",
        "out/data",
        "private",
        "private/report",
    }


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_unfinished_work_goes(tmp_path: Path, error: type[BaseException], renamed: bool) -> None:
    def work() -> None:
        with Staging(tmp_path / "out", tmp_path / "private") as staging:
            (staging.folder / "data").write_text("x")
            if renamed:
                staging.rename()
            raise error

    with pytest.raises(error):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    def work() -> None:
        with Staging(tmp_path / "out", tmp_path / "private") as staging:
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "precious").write_text("x")
            staging.rename()

    with pytest.raises(InputError, match="exists already"):
        work()
    assert (tmp_path / "out" / "precious").read_text() == "x"
    assert not (tmp_path / "private").exists()


def test_a_dangling_link_is_something_that_exists(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="exists already"), Staging(tmp_path / "out", tmp_path / "private"):
        pass
    assert (tmp_path / "out").is_symlink()


def test_failure_to_begin_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", fail)
    with pytest.raises(PermissionError), Staging(tmp_path / "out", tmp_path / "private"):
        pass
    assert list(tmp_path.iterdir()) == []
