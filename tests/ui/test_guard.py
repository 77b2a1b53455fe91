"""Requests that the guard of the page accepts and rejects."""

import asyncio
from typing import Any

import pytest

from anonset.ui.guard import Guard

PORT, TOKEN = 8123, "a-token"
HOST = f"127.0.0.1:{PORT}"


async def page(scope: Any, receive: Any, send: Any) -> None:
    root = scope.get("root_path", "")
    own = [(b"X-Own", b"1"), (b"X-Screen", scope["path"].removeprefix(root).encode())]
    await send({"type": f"{scope['type']}.response.start", "status": 200, "headers": own})


LOCAL = Guard(page, (f"http://{HOST}", f"http://localhost:{PORT}"), TOKEN)
HOSTED = Guard(page, ("https://anonset.example",))


def asked(path: str = "/", kind: str = "http", guard: Guard = LOCAL, **headers: str) -> tuple[int, dict[str, str]]:
    """Return status and headers of a request. The status is 200 if the request is accepted."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    path, _, query = path.partition("?")
    given = [(name.encode(), value.encode()) for name, value in {"host": HOST, **headers}.items()]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": given}
    asyncio.run(guard(scope, None, send))  # type: ignore[arg-type]
    if sent[0]["type"] == "websocket.close":
        return sent[0]["code"], {}
    return sent[0]["status"], {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}


def entered(guard: Guard = LOCAL) -> tuple[str, str]:
    """Return the cookie of the guard and its path."""
    cookie, path, *options = asked(f"/?token={TOKEN}", guard=guard)[1]["set-cookie"].split("; ")
    assert options == ["HttpOnly", "SameSite=Strict"]
    return cookie, path.removeprefix("Path=").removesuffix("/")


COOKIE, FOLDER = entered()


def test_other_servers_of_the_machine_do_not_get_the_cookie() -> None:
    assert len({COOKIE.partition("=")[2], FOLDER.strip("/"), TOKEN}) == 3
    assert len(FOLDER) > 40
    assert entered(Guard(page, (f"http://{HOST}",), TOKEN))[1] != FOLDER
    assert asked(f"{FOLDER}/report", cookie=COOKIE)[1]["x-screen"] == "/report"


def test_the_use_of_the_token_is_reported() -> None:
    entries: list[int] = []
    guard = Guard(page, (f"http://{HOST}",), TOKEN, lambda: entries.append(1))
    asked("/?token=wrong", guard=guard)
    assert entries == []
    asked(f"/?token={TOKEN}", guard=guard)
    assert entries == [1]


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", f"/report?token={TOKEN}", "/_nicegui/x.js"])
@pytest.mark.parametrize("cookie", ["", "anonset=wrong", f"anonset={TOKEN}", "anonset", "=;\xff", "true"])
def test_without_token_folder_and_cookie_nothing_is_served(path: str, cookie: str) -> None:
    place, cookie = (path, COOKIE) if cookie == "true" else (f"{FOLDER}{path}", cookie)
    assert asked(place, cookie=cookie)[0] == 403
    assert asked(place, "websocket", cookie=cookie, origin=f"http://{HOST}")[0] == 1008


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, {}),
        (200, {"host": f"localhost:{PORT}"}),
        (200, {"origin": f"http://{HOST}"}),
        (421, {"host": f"evil.example:{PORT}"}),
        (421, {"host": "127.0.0.1"}),
        (421, {"host": "127.0.0.1:1"}),
        (403, {"origin": "http://evil.example"}),
        (403, {"origin": "null"}),
        (403, {"origin": f"https://{HOST}"}),
    ],
)
def test_requests_of_other_hosts_and_origins_are_rejected(status: int, headers: dict[str, str]) -> None:
    assert asked(f"{FOLDER}/", cookie=COOKIE, **headers)[0] == status


def test_a_socket_needs_an_origin() -> None:
    assert asked(f"{FOLDER}/", "websocket", cookie=COOKIE)[0] == 1008
    assert asked(f"{FOLDER}/", "websocket", cookie=COOKIE, origin="http://evil.example")[0] == 1008
    assert asked(f"{FOLDER}/", "websocket", cookie=COOKIE, origin=f"http://{HOST}")[0] == 200


def test_pages_are_not_stored_and_load_nothing_from_elsewhere() -> None:
    headers = asked(f"{FOLDER}/", cookie=COOKIE)[1]
    assert (headers["cache-control"], headers["referrer-policy"], headers["x-own"]) == ("no-store", "no-referrer", "1")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "cache-control" not in asked(f"{FOLDER}/_nicegui/x.js", cookie=COOKIE)[1]


def test_behind_a_proxy_the_public_address_replaces_the_cookie() -> None:
    own: Any = {"guard": HOSTED, "host": "anonset.example"}
    status, headers = asked("/", **own)
    assert status == 200
    assert "connect-src 'self' wss://anonset.example;" in headers["content-security-policy"]
    assert asked("/?token=", **own)[0] == 200
    assert asked("/", "websocket", origin="https://anonset.example", **own)[0] == 200
    for origin in ({}, {"origin": "https://evil.example"}, {"origin": "http://anonset.example"}):
        assert asked("/", "websocket", **origin, **own)[0] == 1008
    assert asked("/", guard=HOSTED)[0] == 421
