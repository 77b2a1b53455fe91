"""A run or a cleanup is killed while it removes a work directory. The next command removes the rest."""

import os
import shutil

import pytest
from tests.facts import names
from tests.jobs.test_by_blocks import BASKETS, files_of
from tests.jobs.test_retry import KILLED, arguments, start

from anonset.cli.main import main
from anonset.data.storage.lease import LEASE, lease_files
from anonset.data.storage.store import Files
from anonset.jobs.runs.leftovers import remove_left, work_directories

pytestmark = [pytest.mark.compiled, pytest.mark.long]


@pytest.fixture(scope="module", params=["work", "work/anonset-work"])
def finished(request, tmp_path_factory):
    """Folder of a run that was killed before it removed its work directory, the directory, and a copy of it."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "v.dat").write_text(BASKETS)
    if request.param != "work":
        (folder / "work").mkdir()
    options = ("--if-exists", "resume", "--work-dir", str(folder / "work"))
    for where in ("in the search", "in verifying", "before the work directory is removed"):
        child = start(folder, KILLED[where], options)
        assert (*child.communicate(), child.returncode) == ("", "", 9)
    work = folder / request.param
    assert (len(lease_files(work)), (folder / "out").exists()) == (3, True)
    (work / "anonset-nested").mkdir()
    (work / "anonset-nested" / "rows").write_text("raw")
    shutil.copytree(work, folder / "copy")
    return folder, work, options


def killed_at(deletion, remove):
    """Call a function in a process that is killed before a deletion. Return whether it was killed."""
    if not (child := os.fork()):
        n, real = [0], {name: getattr(os, name) for name in ("unlink", "rmdir")}

        def counting(name):
            def delete(*given, **more):
                if n[0] == deletion:
                    os._exit(9)
                n[0] += 1
                return real[name](*given, **more)

            return delete

        for name in real:
            setattr(os, name, counting(name))
        try:
            remove()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def by_run(work):
    Files(work).remove()


def by_clean(work):
    (directory,) = work_directories(work)
    remove_left(directory)


@pytest.mark.parametrize("remove", [by_run, by_clean])
def test_the_next_command_removes_the_rest(finished, capsys, remove):
    folder, work, options = finished
    job, expected = arguments(folder, *options), files_of(folder / "out")
    others = {path.name for path in folder.iterdir()} - {"work"}
    for command in (job, ["clean", str(folder / "work"), "--yes"]):
        deletion, killed = 0, True
        while killed:
            shutil.rmtree(folder / "work", ignore_errors=True)
            shutil.copytree(folder / "copy", work)
            killed = killed_at(deletion, lambda: remove(work))
            left = [path.name for path in work.iterdir()] if work.exists() else []
            assert LEASE in left or not left
            if killed or command == job:  # there is nothing to clean after a complete removal
                assert main(command) == 0
                assert capsys.readouterr().err == ""
            assert not any(path.is_file() for path in (folder / "work").rglob("*")), deletion
            if command == job:
                assert not (folder / "work").exists() or list((folder / "work").iterdir()) == []
                assert files_of(folder / "out") == expected
            deletion += 1
        assert deletion > 10
        assert {path.name for path in folder.iterdir()} - {"work"} == others


def test_files_that_cannot_be_deleted_are_named(finished, capsys, monkeypatch):
    folder, work, options = finished
    shutil.rmtree(folder / "work", ignore_errors=True)
    shutil.copytree(folder / "copy", work)

    def unlink(path, *given, **more):
        if os.fspath(path).endswith("rows"):
            raise PermissionError(13, "Permission denied")
        real(path, *given, **more)

    real = os.unlink
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        assert main(arguments(folder, *options)) == 2
    message = capsys.readouterr().err
    assert (message.count("\n"), names(message, f"{work} 'anonset clean' --yes 'Permission denied'")) == (1, True)
    assert {"run.json", LEASE} <= {path.name for path in work.iterdir()}
    assert main(["clean", str(folder / "work"), "--yes"]) == 0
    assert not work.exists()
