"""Requests that the guard of the page accepts and rejects."""

import asyncio
from typing import Any

import pytest

from anonset.ui.guard import Guard

PORT, TOKEN = 8123, "a-token"
COOKIE = f"anonset-{PORT}={TOKEN}"
HOST = f"127.0.0.1:{PORT}"
LOCAL = ((f"http://{HOST}", f"http://localhost:{PORT}"), f"anonset-{PORT}", TOKEN)
HOSTED = (("https://anonset.example",),)


def asked(path: str = "/", kind: str = "http", guarded: Any = LOCAL, **headers: str) -> tuple[int, dict[str, str]]:
    """Return status and headers of a request. The status is 200 if the request reaches the page."""
    sent: list[Any] = []

    async def page(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": f"{kind}.response.start", "status": 200, "headers": [(b"X-Own", b"1")]})

    async def send(message: Any) -> None:
        sent.append(message)

    path, _, query = path.partition("?")
    given = [(name.encode(), value.encode()) for name, value in {"host": HOST, **headers}.items()]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": given}
    asyncio.run(Guard(page, *guarded)(scope, None, send))  # type: ignore[arg-type]
    if sent[0]["type"] == "websocket.close":
        return sent[0]["code"], {}
    return sent[0]["status"], {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}


def test_the_token_gives_the_cookie() -> None:
    status, headers = asked(f"/?token={TOKEN}")
    assert (status, headers["location"]) == (303, "/")
    assert headers["set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict"


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", f"/report?token={TOKEN}", "/_nicegui/x.js"])
@pytest.mark.parametrize("cookie", ["", "anonset-8123=wrong", f"anonset-1={TOKEN}", "anonset-8123", "=;\xff"])
def test_without_token_and_cookie_nothing_is_served(path: str, cookie: str) -> None:
    assert asked(path, cookie=cookie)[0] == 403
    assert asked(path, "websocket", cookie=cookie, origin=f"http://{HOST}")[0] == 1008


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
    assert asked("/", cookie=COOKIE, **headers)[0] == status


def test_a_socket_needs_an_origin() -> None:
    assert asked("/", "websocket", cookie=COOKIE)[0] == 1008
    assert asked("/", "websocket", cookie=COOKIE, origin="http://evil.example")[0] == 1008
    assert asked("/", "websocket", cookie=COOKIE, origin=f"http://{HOST}")[0] == 200


def test_pages_are_not_stored_and_load_nothing_from_elsewhere() -> None:
    headers = asked("/", cookie=COOKIE)[1]
    assert (headers["cache-control"], headers["referrer-policy"], headers["x-own"]) == ("no-store", "no-referrer", "1")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "cache-control" not in asked("/_nicegui/x.js", cookie=COOKIE)[1]


def test_behind_a_proxy_the_public_address_replaces_the_cookie() -> None:
    own = {"guarded": HOSTED, "host": "anonset.example"}
    status, headers = asked("/", **own)
    assert status == 200
    assert "connect-src 'self' wss://anonset.example;" in headers["content-security-policy"]
    assert asked("/?token=", **own)[0] == 200
    assert asked("/", "websocket", origin="https://anonset.example", **own)[0] == 200
    for origin in ({}, {"origin": "https://evil.example"}, {"origin": "http://anonset.example"}):
        assert asked("/", "websocket", **origin, **own)[0] == 1008
    assert asked("/", guarded=HOSTED)[0] == 421
