"""Server of the page. It accepts only requests from this machine with a random token, or from a proxy that logs users
in.
"""

import logging
import os
import re
import secrets
import signal
import socket
import traceback
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp

import uvicorn
from fastapi import FastAPI
from nicegui import ui

from anonset.errors import InputError
from anonset.ui.guard import Guard
from anonset.ui.screens.pages import add_pages
from anonset.ui.state.page_state import PageState

ADDRESS = "127.0.0.1"
_INHERITED = 3
"""File descriptor of the socket that a service manager passes."""
_SECONDS_TO_CLOSE = 1
_SECONDS_TO_RECONNECT = 60
"""A browser that does not answer for this time, such as on a busy machine, loads the page again, and unsent input is
lost.
"""
_QUEUE = 128
_LARGEST_PORT = 65535


class _DiscreetHandler(logging.Handler):
    """Print the type and the code lines of server errors. Error messages are hidden because they may contain data
    values.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        kind, _, places = record.exc_info or (None, None, None)
        name = "an error" if kind is None else kind.__name__
        self._say(f"defect of the page: {name}; the text is hidden because it may contain data values")
        for place in traceback.extract_tb(places):
            self._say(f"  {place.filename}:{place.lineno} in {place.name}")


def serve(
    state: PageState, first: str | None, *, port: int, browser: bool, address: str, say: Callable[[str], None]
) -> None:
    """Serve the page until a signal ends the process.

    Parameters
    ----------
    first
        File of the folder to open, or None.
    port
        Port, or 0 for any free port.
    browser
        True to open the address in a browser.
    address
        HTTPS address of a proxy that logs users in. If it is empty, only this machine can open the page.
    say
        Called with each line for the terminal.

    Raises
    ------
    InputError
        If the port is in use, the service manager passes no socket, or the file cannot be opened.
    """
    entrance = ExitStack()
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    if hosted := bool(address):
        guard, listening = Guard(app, [_origin(address)]), _inherited()
        lines = [f"open {address} after the login of the proxy"]
    else:
        listening = _listen(port)
        number, token = listening.getsockname()[1], secrets.token_urlsafe()
        origins = (f"http://{host}:{number}" for host in (ADDRESS, "localhost"))
        guard = Guard(app, origins, token, entrance.close)
        address = f"http://{ADDRESS}:{number}/?token={token}"
        lines = [
            f"open this address in a browser of this machine: {address}",
            "keep the address secret: it gives access to the files in the folder. Press Ctrl-C to stop the server",
        ]

    def announce() -> None:
        for line in lines:
            say(line)
        if browser and not hosted:
            with suppress(OSError, RuntimeError):  # no home directory: the address is printed
                webbrowser.open(entrance.enter_context(_private_page(address)).as_uri())

    add_pages(state)
    ui.run_with(
        app, title="anonset", dark=None, language="en-US", tailwind=False, show_welcome_message=False,
        reconnect_timeout=_SECONDS_TO_RECONNECT,
    )  # fmt: skip
    _log_discreetly(say)
    config = uvicorn.Config(
        guard, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=_SECONDS_TO_CLOSE,
        loop="asyncio",  # uvloop closes the file descriptors of pipes twice
    )  # fmt: skip
    server = _Server(config, state, first, announce)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup makes the process ignore this signal
        signal.signal(signal.SIGHUP, lambda number, frame: server.handle_exit(number, frame))
    with entrance, suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if server.failure is not None:
        raise server.failure


@contextmanager
def _private_page(address: str) -> Iterator[Path]:
    """Write a file that only this user can read and that leads a browser to an address. Delete it at the end.

    Every user of the machine can read the arguments of a process, so the browser gets the path of the file. The file is
    in the home directory, because browsers in a sandbox cannot read the directory for temporary files.
    """
    descriptor, name = mkstemp(".html", "anonset-", Path.home())
    with os.fdopen(descriptor, "w") as file:
        file.write(f'<!DOCTYPE html><title>anonset</title><meta http-equiv="refresh" content="0; url={address}">\n')
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


class _Server(uvicorn.Server):
    """Server that opens the first file, then prints the address."""

    def __init__(
        self, config: uvicorn.Config, state: PageState, first: str | None, announce: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.failure: InputError | None = None
        self._page_state = state
        self._first = first
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, open the first file, and print the address."""
        await super().startup(sockets)
        try:
            if self._first is not None:
                self._page_state.open(self._first)
        except InputError as error:
            self.failure, self.should_exit = error, True
        else:
            self._announce()


def _listen(port: int) -> socket.socket:
    """Return a socket that listens on this machine only."""
    if not 0 <= port <= _LARGEST_PORT:
        raise InputError(f"--port must be an integer from 0 to {_LARGEST_PORT}, got {port}")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen(_QUEUE)
    except OSError as error:
        listening.close()
        raise InputError(f"port {port} of {ADDRESS} cannot be used: {error.strerror}; choose another --port") from None
    return listening


def _origin(address: str) -> str:
    if not re.fullmatch(r"https://[a-z0-9.-]+(:[0-9]+)?/?", address):
        raise InputError(f"--address must be https://NAME without a path, got {address!r}")
    return address.rstrip("/")


def _inherited() -> socket.socket:
    """Return the Unix socket that a service manager such as systemd passes to this process."""
    variables = os.environ.get("LISTEN_PID"), os.environ.get("LISTEN_FDS")
    if variables == (str(os.getpid()), "1"):
        listening = socket.socket(fileno=_INHERITED)
        if listening.family == socket.AF_UNIX:
            return listening
        listening.close()
    raise InputError("--address needs a Unix socket of systemd, so that only the proxy can connect; see docs/ui.md")


def _log_discreetly(say: Callable[[str], None]) -> None:
    handler = _DiscreetHandler(say)
    for name in ("nicegui", "uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "fastapi", "socketio", "engineio"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler] if name != "uvicorn" else []
        logger.propagate = False
        logger.setLevel(logging.ERROR)
