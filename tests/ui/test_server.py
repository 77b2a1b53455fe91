"""The server process of the page, its answers, and its end."""

import http.client
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from tests.facts import refused

from anonset.cli.main import main
from anonset.errors import InputError
from anonset.ui.server import _DiscreetHandler, _listen
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState

SECRET = "Quincke"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Page:
    process: subprocess.Popen[str]
    address: str
    folder: Path

    @property
    def port(self) -> int:
        return int(self.address.partition("?")[0].rpartition(":")[2].strip("/"))

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    @cached_property
    def entered(self) -> tuple[str, str]:
        """Cookie, and the path of the folder to which browsers send it."""
        cookie, path, *options = self.get(f"/?token={self.token}").headers["set-cookie"].split("; ")
        assert options == ["HttpOnly", "SameSite=Strict"]
        return cookie, path.removeprefix("Path=").removesuffix("/")

    def seen(self, path: str, cookie: str | None = None, **headers: str) -> Answer:
        """Get a path below the folder, with the cookie of the page or another one."""
        own, folder = self.entered
        return self.get(f"{folder}{path}", own if cookie is None else cookie, **headers)

    def get(self, path: str, cookie: str = "", **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers={**({"Cookie": cookie} if cookie else {}), **given})
        answer = connection.getresponse()
        try:
            return Answer(answer.status, dict(answer.headers), b"" if answer.status == 101 else answer.read())
        finally:
            answer.close()
            connection.close()


def started(folder: Path, *arguments: str, browser: bool = False) -> Page:
    process = subprocess.Popen(
        [sys.executable, "-m", "anonset", "ui", *arguments, *([] if browser else ["--no-browser"])],
        cwd=folder, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # nohup ignores SIGHUP, children too
    )  # fmt: skip
    assert process.stderr is not None
    line = process.stderr.readline()
    address = re.search(r"http://\S+", line)
    assert address is not None, line
    return Page(process, address[0], folder)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("chosen")
    (folder / "visits.csv").write_text(f"name,codes\n{SECRET},E10 I10\n")
    (folder.parent / "outside.csv").write_text("codes\nE10\n")
    page = started(folder)
    yield page
    page.process.kill()
    page.process.communicate()


def test_the_first_address_leads_to_the_folder_of_the_cookie(page: Page) -> None:
    answer = page.get(f"/?token={page.token}")
    folder = page.entered[1]
    assert answer.status == 200
    assert f'content="0; url={folder}/"' in answer.body.decode()
    start = page.seen("/")
    assert start.status == 200
    assert set(re.findall(r"(?:src|href)=\"(/[\w-]*)", start.body.decode())) == {folder}


def test_without_the_cookie_nothing_is_served(page: Page) -> None:
    for path in ("/", "/publish", "/download/job.toml", "/report", "/_nicegui/", "/?token=wrong"):
        assert page.get(path, page.entered[0]).status == 403
        assert page.seen(path, "").status == 403


def test_the_socket_needs_the_origin_and_the_cookie(page: Page) -> None:
    own = f"http://127.0.0.1:{page.port}"
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert page.seen(path, **upgrade, Origin=own).status == 101
    assert page.seen(path, **upgrade, Origin="http://evil.example").status == 403
    assert page.seen(path, "", **upgrade, Origin=own).status == 403


@pytest.mark.long
def test_other_users_do_not_see_the_token_in_the_arguments_of_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nprintf "%s" "$1" > opened.part && mv opened.part opened\n')
    browser.chmod(0o700)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("BROWSER", str(browser))
    monkeypatch.setenv("HOME", str(home))
    page = started(tmp_path, browser=True)
    try:
        while not (tmp_path / "opened").exists():
            assert page.process.poll() is None
        (file,) = home.iterdir()
        assert (tmp_path / "opened").read_text() == file.as_uri()
        assert file.stat().st_mode & 0o777 == 0o600
        assert f"url={page.address}" in file.read_text()
        assert page.entered[0]
        assert list(home.iterdir()) == []
    finally:
        page.process.terminate()
        page.process.communicate(timeout=30)


def test_the_page_loads_nothing_from_other_origins(page: Page) -> None:
    answer = page.seen("/")
    policy = answer.headers["content-security-policy"]
    sources = {word for rule in policy.split(";") for word in rule.split()[1:]}
    assert sources <= {"'none'", "'self'", "'unsafe-inline'", "'unsafe-eval'", "data:", f"ws://127.0.0.1:{page.port}"}
    assert "default-src 'none'" in policy
    text = answer.body.decode()
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    assert SECRET not in text
    assert (answer.headers["referrer-policy"], answer.headers["cache-control"]) == ("no-referrer", "no-store")


@pytest.mark.parametrize(
    "path", ["/../outside.csv", "/%2e%2e/outside.csv", "/visits.csv", "/_nicegui/../../visits.csv"]
)
def test_files_are_not_served(page: Page, path: str) -> None:
    assert page.seen(path).status == 404


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
@pytest.mark.long
def test_the_page_ends_when_its_terminal_closes(tmp_path: Path, number: signal.Signals) -> None:
    page = started(tmp_path)
    os.kill(page.process.pid, number)
    _, error = page.process.communicate(timeout=30)
    assert (page.process.returncode, "error" in error) == (0, False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.long
def test_its_end_removes_temporary_data_and_ends_its_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    folder, temporary = tmp_path / "data", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    (folder / "visits.csv").write_text("codes\n" + f"{SECRET} E10\n" * 200_000)
    (folder / "visits.toml").write_text('input = "visits.csv"\nunit = "row"\nitems = ["codes"]\n')
    monkeypatch.setenv("TMPDIR", str(temporary))
    page = started(folder, "visits.toml")
    children = Path(f"/proc/{page.process.pid}/task/{page.process.pid}/children")
    while not (running := children.read_text().split()):  # the inspection
        assert page.process.poll() is None
    assert len(list(temporary.iterdir())) >= 1
    page.process.send_signal(number)
    _, error = page.process.communicate(timeout=30)
    assert page.process.returncode in (0, -number)
    assert list(temporary.iterdir()) == []
    assert not any(Path(f"/proc/{child}").exists() for child in running)
    assert SECRET not in error


def test_the_log_has_no_text_of_errors() -> None:
    lines: list[str] = []
    handler = _DiscreetHandler(lines.append)
    try:
        raise ValueError(SECRET)
    except ValueError:
        record = logging.LogRecord("nicegui", logging.ERROR, __file__, 1, SECRET, None, sys.exc_info())
    handler.emit(record)
    handler.emit(logging.LogRecord("nicegui", logging.ERROR, __file__, 1, SECRET, None, None))
    assert "ValueError" in lines[0]
    assert __file__ in lines[1]
    assert SECRET not in "".join(lines)


def test_a_port_in_use_and_a_missing_file_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(_listen(0)) as taken:
        assert taken.getsockname()[0] == "127.0.0.1"
        with refused(InputError, f"{taken.getsockname()[1]} --port"):
            _listen(taken.getsockname()[1])
    assert main(["ui", str(tmp_path / "missing.csv")]) == 2
    assert "missing.csv" in capsys.readouterr().err
    assert main(["ui", str(tmp_path), "--port", "65536"]) == 2
    assert "--port must be an integer from 0 to 65535, got 65536" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["letter.docx", "table.json", "noise.bin"])
def test_a_file_of_another_kind_is_rejected(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x00\x01\t\x02\n")
    state = PageState(Folder(tmp_path))
    with refused(InputError, f"{name} .toml .csv"):
        state.open(name)
    assert state.job is None


class SocketConnection(http.client.HTTPConnection):
    """Connection of a proxy to the socket of a page."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def hosted(listening: socket.socket, folder: Path) -> subprocess.Popen[str]:
    """Start the page as a service manager does: with a socket as file descriptor 3."""
    start = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); "
        "os.execv(sys.executable, [sys.executable, '-m', 'anonset', 'ui', '.', '--address', 'https://anonset.example'])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", start, str(listening.fileno())],
        cwd=folder, pass_fds=[listening.fileno()], stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.long
def test_behind_a_proxy_it_serves_an_inherited_unix_socket_only(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(tmp_path / "page.sock"))
        listening.listen()
        process = hosted(listening, tmp_path)
        try:
            for host, status in (("anonset.example", 200), ("evil.example", 421)):
                with closing(SocketConnection(str(tmp_path / "page.sock"), timeout=30)) as connection:
                    connection.request("GET", "/", headers={"Host": host})
                    answer = connection.getresponse()
                    assert (answer.status, answer.headers["set-cookie"]) == (status, None)
        finally:
            process.terminate()
            _, error = process.communicate(timeout=30)
    assert "https://anonset.example" in error
    assert "token" not in error
    with closing(_listen(0)) as reachable:
        process = hosted(reachable, tmp_path)
        assert "needs a Unix socket" in process.communicate(timeout=30)[1]
        assert process.returncode == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "--host"),
        (["--address", "http://anonset.example"], "https://NAME"),
        (["--address", "https://anonset.example/page"], "https://NAME"),
        (["--address", "https://anonset.example"], "Unix socket of systemd"),
    ],
)
def test_other_machines_need_a_proxy_with_tls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert main(["ui", str(tmp_path), *options]) == 2
    assert words in capsys.readouterr().err
