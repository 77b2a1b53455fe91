"""If a run out of core fails, locally or on workers, it prints a one-line error and publishes no files."""

import resource
from types import SimpleNamespace

import pytest
from tests.cli.place import Ran
from tests.facts import names, refused

from anonset.cli.main import main
from anonset.data.storage import cluster
from anonset.errors import RAW_DATA_STAY, AnonsetError, InputError

RECORDS = 300


OF_ITEMS = ["--hierarchy", "items=balanced:3", "--model", "km", "--k", "2", "--m", "6", "--algorithm", "apriori"]


def write_baskets(folder):
    rows = (f"a{i % 3} b{i % 4} c{i % 5} d{i % 7} e{i % 2} f{i % 6} g{i % 8}\n" for i in range(RECORDS))
    (folder / "v.dat").write_text("".join(rows))
    return str(folder / "v.dat")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Compile the kernels of the job first: machine code files are larger than the file size limit."""
    folder = tmp_path_factory.mktemp("compiled")
    places = ["-o", str(folder / "out"), "--work-dir", str(folder / "work")]
    assert main(["anonymize", write_baskets(folder), *OF_ITEMS, *places]) == 0


@pytest.fixture
def job(tmp_path, capsys, compiled):
    """Run a job out of core with a file size limit, as on a full disk."""
    write_baskets(tmp_path)
    places = ["-o", str(tmp_path / "out"), "--work-dir", str(tmp_path / "work")]

    def run(most, *options):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        try:
            code = main(["anonymize", str(tmp_path / "v.dat"), *OF_ITEMS, *places, *options])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.mark.parametrize(("most", "name"), [(600, "run.json"), (4000, "items"), (8800, "expanded")])
def test_a_full_work_directory_is_named_and_remains_only_if_the_data_are_read(tmp_path, job, most, name):
    done, stays = job(most), name == "expanded"
    assert done.code == 2
    *notes, error = done.err.splitlines()
    assert {RAW_DATA_STAY in line or names(line, "'out of core'") for line in notes} <= {True}
    assert any(RAW_DATA_STAY in line and names(line, f"warning {tmp_path / 'work'}") for line in notes) == stays
    assert error.startswith(f"anonset: error: {tmp_path / 'work' / name}")
    assert names(error, "'File too large'")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.dat", *(["work"] if stays else [])]


def test_a_work_directory_without_lease_is_removed(tmp_path, job):
    done = job(10)
    assert (done.code, done.err.count("\n")) == (2, 1)
    lease = tmp_path / "work" / "anonset-lease.json"
    assert names(done.err, f"error {lease} 'File too large'")
    assert [path.name for path in tmp_path.iterdir()] == ["v.dat"]


def test_the_run_resumes_after_disk_space_is_freed(tmp_path, job):
    assert job(8800).code == 2
    assert job(resource.RLIM_INFINITY, "--if-exists", "resume").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private", "v.dat"]


def test_a_second_run_in_a_work_directory_is_refused(tmp_path, job):
    assert job(8800).code == 2
    done = job(resource.RLIM_INFINITY)
    assert (done.code, names(done.err, f"{tmp_path / 'work'} empty")) == (2, True)


class Lost:
    """A task that lost all workers, or that never returns."""

    def __init__(self, error):
        self.error = error

    def result(self, _seconds):
        raise self.error


def test_a_task_that_kills_its_workers_is_reported_in_one_line():
    from distributed.scheduler import KilledWorker

    lost = KilledWorker("task", SimpleNamespace(address="tcp://a"), 3)
    with refused(AnonsetError, "cluster workers 4"):
        cluster._Pending(Lost(lost), None, lambda: None, b"task").result()


def test_waiting_without_workers_ends_after_a_timeout(monkeypatch):
    monkeypatch.setattr(cluster, "_SECONDS_WITHOUT_WORKERS", 0)
    client = SimpleNamespace(nthreads=dict)
    with refused(AnonsetError, "cluster workers stopped"):
        cluster._Pending(Lost(TimeoutError()), client, lambda: None, b"task").result()


def test_an_error_on_a_worker_is_raised_unchanged():
    error = InputError("/shared/work/expanded-1: full")
    with refused(InputError, "/shared/work/expanded-1"):
        cluster._Pending(Lost(error), None, lambda: None, b"task").result()
