"""An object store on this machine: the part of the S3 protocol that Arrow uses, with faults on request."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
from pyarrow import fs

from anonset.reading.sources import place

_XML = '<?xml version="1.0" encoding="UTF-8"?>'
_DATE, _ISO = "Mon, 02 Mar 2026 08:00:00 GMT", "2026-03-02T08:00:00.000Z"


@dataclass
class ObjectStore:
    """Objects by ``bucket/key``, and the requests so far."""

    objects: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each request, without the parts of large objects."""
    fault: Callable[[str, str], bool] = lambda method, path: False
    """Called with method and path before each request; if True, the store answers 503."""
    stale: Callable[[str], bool] = lambda key: False
    """Called with the key of each listed object; if True, the list lacks the object."""
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)

    def below(self, prefix: str) -> dict[str, bytes]:
        """Return the objects under a prefix, without the marks of directories."""
        start = f"{prefix}/"
        return {
            name.removeprefix(start): data
            for name, data in self.objects.items()
            if name.startswith(start) and not name.endswith("/")
        }


def _handler(store: ObjectStore) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            return

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except (ConnectionError, ValueError):  # a killed client
                self.close_connection = True

        def _answer(self, code: int, body: bytes = b"", **headers: str) -> None:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", headers.pop("Content_Size", str(len(body))))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def _error(self, code: int, name: str) -> None:
            self._answer(code, f"{_XML}<Error><Code>{name}</Code><Message>{name}</Message></Error>".encode())

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") == "chunked":
                data = b"".join(self._chunks())
            else:
                data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
                return data
            whole, at = list[bytes](), 0
            while size := int(data[at : (end := data.index(b"\r\n", at))].split(b";")[0], 16):
                whole.append(data[end + 2 : end + 2 + size])
                at = end + 4 + size
            return b"".join(whole)

        def _chunks(self) -> Iterator[bytes]:
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()

        def _serve(self) -> None:
            url = urlsplit(self.path)
            key, ask, body = unquote(url.path.lstrip("/")), parse_qs(url.query, keep_blank_values=True), self._body()
            if "partNumber" not in ask:
                store.requests.append((self.command, key))
            if store.fault(self.command, key):
                self._error(503, "SlowDown")
                return
            getattr(self, f"_{self.command.lower()}")(key, ask, body)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815

        def _head(self, key: str, ask: dict[str, list[str]], body: bytes) -> None:
            if "/" not in key:
                self._answer(200)
            elif key in store.objects:
                data = store.objects[key]
                self._answer(200, ETag=f'"{hash(data)}"', Last_Modified=_DATE, Content_Size=str(len(data)))
            else:
                self._answer(404)

        def _get(self, key: str, ask: dict[str, list[str]], body: bytes) -> None:
            if "list-type" in ask:
                self._list(key, ask)
            elif key not in store.objects:
                self._error(404, "NoSuchKey")
            elif asked := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
                data = store.objects[key]
                first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
                self._answer(206, data[first : last + 1], Content_Range=f"bytes {first}-{last}/{len(data)}")
            else:
                self._answer(200, store.objects[key], Last_Modified=_DATE)

        def _list(self, bucket: str, ask: dict[str, list[str]]) -> None:
            prefix, mark = (ask.get(name, [""])[0] for name in ("prefix", "delimiter"))
            keys = sorted(name.partition("/")[2] for name in store.objects if name.startswith(f"{bucket}/{prefix}"))
            behind = {key: key[len(prefix) :] for key in keys if not store.stale(f"{bucket}/{key}")}
            shared = {prefix + rest.split(mark)[0] + mark for rest in behind.values() if mark and mark in rest}
            own = [key for key, rest in behind.items() if not (mark and mark in rest)]
            found = "".join(
                f"<Contents><Key>{escape(key)}</Key><LastModified>{_ISO}</LastModified>"
                f"<Size>{len(store.objects[f'{bucket}/{key}'])}</Size></Contents>"
                for key in own
            ) + "".join(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in sorted(shared))
            count = f"<KeyCount>{len(own) + len(shared)}</KeyCount><IsTruncated>false</IsTruncated>"
            self._answer(200, f"{_XML}<ListBucketResult>{count}{found}</ListBucketResult>".encode())

        def _put(self, key: str, ask: dict[str, list[str]], body: bytes) -> None:
            if "partNumber" in ask:
                store.uploads[ask["uploadId"][0]][int(ask["partNumber"][0])] = body
            elif copied := self.headers.get("x-amz-copy-source"):
                store.objects[key] = store.objects[unquote(copied).lstrip("/")]
                self._answer(200, f"{_XML}<CopyObjectResult><ETag>x</ETag></CopyObjectResult>".encode())
                return
            else:
                store.objects[key] = body
            self._answer(200, ETag='"x"')

        def _post(self, key: str, ask: dict[str, list[str]], body: bytes) -> None:
            if "uploads" in ask:
                number = str(len(store.uploads) + 1)
                store.uploads[number] = {}
                found = f"<UploadId>{number}</UploadId>"
                self._answer(
                    200, f"{_XML}<InitiateMultipartUploadResult>{found}</InitiateMultipartUploadResult>".encode()
                )
            elif "uploadId" in ask:
                parts = store.uploads[ask["uploadId"][0]]
                store.objects[key] = b"".join(parts[number] for number in sorted(parts))
                done = "CompleteMultipartUploadResult"
                self._answer(200, f"{_XML}<{done}><ETag>x</ETag></{done}>".encode())
            else:  # several deletions
                for name in re.findall(r"<Key>(.*?)</Key>", body.decode()):
                    store.objects.pop(f"{key.rstrip('/')}/{name}", None)
                self._answer(200, f"{_XML}<DeleteResult></DeleteResult>".encode())

        def _delete(self, key: str, ask: dict[str, list[str]], body: bytes) -> None:
            store.objects.pop(key, None)
            self._answer(204)

    return Handler


class _FileSystem(fs.FileSystem):
    """Arrow's file systems; a request to a busy store is repeated within 0.2 s, not within 6 s."""

    @staticmethod
    def from_uri(uri: str) -> tuple[Any, str]:
        system, path = ARROW.from_uri(uri)
        if isinstance(system, fs.S3FileSystem):
            _, (options,) = system.__reduce__()
            system = fs.S3FileSystem(**options, retry_strategy=fs.AwsDefaultS3RetryStrategy(max_attempts=3))
        return system, path


ARROW = fs.FileSystem


@contextmanager
def object_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """Serve an empty store whose buckets all exist, and direct Arrow to it."""
    store = ObjectStore()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(store))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    given = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}", "AWS_ACCESS_KEY_ID": "id"}
    for name, value in {**given, "AWS_SECRET_ACCESS_KEY": "key", "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(fs, "FileSystem", _FileSystem)
    monkeypatch.setattr(place, "PAUSES", (0.0,) * len(place.PAUSES))
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
