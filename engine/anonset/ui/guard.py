"""Check each request to the server, so that only the browser of the owner reaches the page."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest, token_urlsafe
from typing import Any

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' {socket}; frame-ancestors 'none'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Content Security Policy of the page. It permits no content from other origins.

Inline scripts are permitted, because the page library requires them.
"""
_STATIC = "/_nicegui/"
_COOKIE = "anonset"


class Guard:
    """ASGI application that checks each request before the page receives it.

    A request is accepted if its Host is this server, its Origin (if any) is this server, its path is below a random
    folder, and it contains the cookie. The address of the first request contains the token instead. The answer sets the
    cookie and leads to the folder.

    Browsers send a cookie to all ports of a host, so also to servers of other users of this machine. They send it only
    to paths below the folder, which these servers do not know. A random name ``NAME.localhost`` would also separate the
    cookies, but Safari does not find such names.

    Parameters
    ----------
    origins
        Addresses of the server without a path.
    token
        Secret of the first address. An empty token means that no token, folder or cookie is needed, because only a
        proxy with a login can reach the server.
    on_entry
        Called when a browser has used the token.
    """

    def __init__(
        self, app: App, origins: Iterable[str], token: str = "", on_entry: Callable[[], object] = lambda: None
    ) -> None:
        self._app = app
        self._token = token
        self._on_entry = on_entry
        self._folder = f"/{token_urlsafe()}" if token else ""
        self._secret = token_urlsafe()
        """Value of the cookie."""
        self._origins = {origin.partition("://")[2]: origin for origin in origins}
        """The accepted origin for each host."""

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer a request, or reject it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host") not in self._origins:
            await _reject(scope, send, 421, "unknown host: use the address that anonset ui printed")
        elif headers.get("origin", "" if scope["type"] == "http" else "none") not in {"", *self._origins.values()}:
            await _reject(scope, send, 403, "the request comes from another page")
        elif self._has_token(scope):
            self._on_entry()
            # after a redirect, browsers would withhold a SameSite cookie if another page has led to the first address
            text = f'<!DOCTYPE html><title>anonset</title><meta http-equiv="refresh" content="0; url={self._folder}/">'
            cookie = f"{_COOKIE}={self._secret}; Path={self._folder}/; HttpOnly; SameSite=Strict"
            kind = {"content-type": "text/html; charset=utf-8", "set-cookie": cookie}
            await _answer(send, 200, text, {**kind, **self._headers(headers, "/")})
        elif not (scope["path"].startswith(f"{self._folder}/") and self._has_cookie(headers.get("cookie", ""))):
            await _reject(scope, send, 403, "open the complete address that anonset ui printed")
        else:
            own = self._headers(headers, scope["path"].removeprefix(self._folder))
            await self._app({**scope, "root_path": self._folder}, receive, self._with_headers(send, own))

    def _has_token(self, scope: Scope) -> bool:
        query = scope["query_string"].decode("latin-1")
        is_start = self._token and scope["type"] == "http" and scope["path"] == "/" and query.startswith("token=")
        return bool(is_start) and compare_digest(query.removeprefix("token=").encode(), self._token.encode())

    def _has_cookie(self, text: str) -> bool:
        if not self._token:
            return True
        try:
            found = SimpleCookie(text).get(_COOKIE)
        except CookieError:
            return False
        return found is not None and compare_digest(found.value.encode(), self._secret.encode())

    def _headers(self, request: dict[str, str], path: str) -> dict[str, str]:
        headers = {
            "content-security-policy": _POLICY.format(socket=self._origins[request["host"]].replace("http", "ws", 1)),
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
        }
        return headers if path.startswith(_STATIC) else {**headers, "cache-control": "no-store"}

    @staticmethod
    def _with_headers(send: Any, headers: dict[str, str]) -> Any:
        async def send_with(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = [*message.get("headers", ())]
                names = {name.lower().decode("latin-1") for name, _ in given}
                own = [(name.encode(), value.encode()) for name, value in headers.items() if name not in names]
                message = {**message, "headers": given + own}
            await send(message)

        return send_with


async def _reject(scope: Scope, send: Any, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, status, f"anonset: {text}\n", {"content-type": "text/plain; charset=utf-8"})


async def _answer(send: Any, status: int, text: str, headers: dict[str, str]) -> None:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": text.encode()})
