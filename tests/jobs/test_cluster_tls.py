"""A scheduler with TLS accepts clients with a certificate of its authority, and no others."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import dask
import pytest
from tests.jobs.programs import Programs

from anonset.cli.main import main
from anonset.data.storage import scheduler
from anonset.data.storage.scheduler import cluster_of
from anonset.errors import InputError

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def certificates(folder: Path) -> Path:
    """Create an authority, and a certificate by it."""
    folder.mkdir()

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", *KEY, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=authority")
    openssl("req", *KEY, "-keyout", "key.pem", "-out", "request", "-subj", "/CN=dask")
    by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
    openssl("x509", "-req", "-in", "request", *by, "-out", "cert.pem", "-days", "2")
    return folder


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return certificates(tmp_path_factory.mktemp("tls") / "own")


@pytest.fixture(scope="module")
def address(own, tmp_path_factory):
    """Address of a scheduler with one worker."""
    with Programs(tmp_path_factory.mktemp("local"), certificates=own) as programs:
        programs.complete(1)
        yield programs.address


def job(folder: Path, *more: str) -> list[str]:
    (folder / "v.dat").write_text("a b\na b\na c\n" * 3)
    fixed = ["--model", "km", "--algorithm", "apriori", "--k", "2", "--m", "2", "--hierarchy", "items=balanced:2"]
    return ["anonymize", str(folder / "v.dat"), *fixed, "--quiet", *more]


@pytest.mark.compiled
@pytest.mark.parametrize("by", ["option", "configuration"])
def test_a_run_with_client_certificates_publishes_the_same_bytes(tmp_path, own, address, by):
    configured = {
        "distributed.comm.require-encryption": True,
        "distributed.comm.tls.ca-file": str(own / "ca.pem"),
        "distributed.comm.tls.client.cert": str(own / "cert.pem"),
        "distributed.comm.tls.client.key": str(own / "key.pem"),
    }
    more = ["--cluster-tls", str(own)] if by == "option" else []
    with dask.config.set({} if by == "option" else configured):
        assert main(job(tmp_path, "-o", str(tmp_path / "far"), "--cluster", address, *more)) == 0
    assert main(job(tmp_path, "-o", str(tmp_path / "near"))) == 0
    assert (tmp_path / "far" / "published.dat").read_bytes() == (tmp_path / "near" / "published.dat").read_bytes()


@pytest.mark.parametrize("who", ["another authority", "without TLS"])
def test_clients_without_the_certificates_are_rejected_in_one_line(tmp_path, address, capsys, monkeypatch, who):
    monkeypatch.setattr(scheduler, "_SECONDS_TO_ANSWER", 3)
    if who == "another authority":
        more = ["--cluster", address, "--cluster-tls", str(certificates(tmp_path / "other"))]
    else:
        more = ["--cluster", address.replace("tls://", "tcp://")]
    assert main(job(tmp_path, "-o", str(tmp_path / "out"), *more)) == 2
    error = capsys.readouterr().err
    assert (error.count("\n"), "no scheduler answers" in error) == (1, True), error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("foo://127.0.0.1:1", "unknown address scheme"),
        ("127.0.0.1", "missing port number"),
        ("tls://127.0.0.1:1", "no certificates"),
        ("tcp://127.0.0.1:1", "no scheduler answers"),
    ],
)
def test_addresses_without_a_scheduler_are_rejected_with_the_reason(monkeypatch, address, reason):
    monkeypatch.setattr(scheduler, "_SECONDS_TO_ANSWER", 1)
    with pytest.raises(InputError, match=reason), cluster_of(address):
        pass


def test_a_service_that_never_answers_is_rejected(monkeypatch):
    monkeypatch.setattr(scheduler, "_SECONDS_TO_ANSWER", 1)
    with socket.create_server(("127.0.0.1", 0)) as service:
        address = f"tcp://127.0.0.1:{service.getsockname()[1]}"
        with pytest.raises(InputError, match="no scheduler answers"), cluster_of(address):
            pass


def test_missing_certificates_are_named(tmp_path, own):
    with pytest.raises(InputError, match="requires a tls:// address"), cluster_of("tcp://127.0.0.1:9", str(own)):
        pass
    with pytest.raises(InputError, match=r"ca\.pem: no such file"), cluster_of("tls://127.0.0.1:9", str(tmp_path)):
        pass


def test_local_processes_reject_clients_without_their_certificate(tmp_path, own, monkeypatch):
    monkeypatch.setattr(scheduler, "_SECONDS_TO_ANSWER", 3)
    with cluster_of("local:1") as client:
        address = client.scheduler.address
        assert all(place.startswith("tls://127.0.0.1:") for place in (address, *client.nthreads()))
        for place, certificate in (address, str(own)), (address.replace("tls://", "tcp://"), None):
            with pytest.raises(InputError, match="no scheduler answers"), cluster_of(place, certificate):
                pass


def test_local_processes_do_not_start_without_certificates(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)  # as if it were not installed
    with pytest.raises(InputError, match="pip install cryptography"), cluster_of("local:1"):
        pass
