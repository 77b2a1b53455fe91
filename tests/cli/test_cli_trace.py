"""OpenTelemetry: a trace on request has the fields of the last log line, and no values of the data."""

import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from anonset.release.stopwatch import COMPILING
from anonset.strict_json import loads
from cli.place import Place

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
MODULES = {
    "exporter": "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "sdk": "opentelemetry.sdk.resources",
}
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector:
    """Requests that an OpenTelemetry collector received."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []

    @property
    def spans(self) -> list[Span]:
        """Spans of the only request."""
        [request] = self.requests
        [resource] = request.resource_spans
        [scope] = resource.scope_spans
        assert [field.value.string_value for field in resource.resource.attributes if field.key == "service.name"] == [
            "anonset"
        ]
        return [*scope.spans]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    collected = Collector()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collected.requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv(ENDPOINT, f"http://127.0.0.1:{server.server_port}")
    yield collected
    server.shutdown()
    server.server_close()


def values_of(span: Span) -> dict[str, Any]:
    """Return the attributes of a span without the prefix ``anonset``."""
    return {
        field.key.removeprefix("anonset."): getattr(field.value, field.value.WhichOneof("value"))
        for field in span.attributes
    }


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in values.items():
        result |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return result


@pytest.mark.long
def test_spans_have_the_fields_of_the_last_log_line(place: Place, collector: Collector) -> None:
    end = loads(place.run(*place.job("--log-format", "json")).err.splitlines()[-1])
    *phases, run = collector.spans
    expected = {
        name: end[name] for name in ("run_id", "exit_code", "verdict", "records", "losses", "peak_memory", "out")
    }
    [compiling] = [phase["seconds"] for phase in end["phases"] if phase["phase"] == COMPILING] or [None]
    more = {} if compiling is None else {f"{COMPILING}.seconds": compiling}
    assert values_of(run) == flat(expected) | more
    assert (run.name, run.status.code) == ("anonset anonymize", Status.STATUS_CODE_UNSET)
    timed = [phase for phase in end["phases"] if phase["phase"] != COMPILING]
    assert [span.name for span in phases] == [phase.pop("phase") for phase in timed]
    for span, phase in zip(phases, timed, strict=True):
        began, ended = (datetime.fromisoformat(phase.pop(name)).timestamp() for name in ("began", "ended"))
        assert values_of(span) == flat(phase)
        assert span.start_time_unix_nano / 1e9 == pytest.approx(began, abs=1e-6)
        assert span.end_time_unix_nano / 1e9 == pytest.approx(ended, abs=1e-6)
        assert (span.parent_span_id, span.trace_id) == (run.span_id, run.trace_id)
        assert run.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano


def test_texts_of_spans_are_no_values_of_the_data(place: Place, collector: Collector) -> None:
    ran = place.run(*place.job("--log-format", "json"))
    run_id = loads(ran.err.splitlines()[-1])["run_id"]
    texts = {value for span in collector.spans for value in values_of(span).values() if isinstance(value, str)}
    assert texts == {run_id, "holds", str(place.out)}


def test_a_trace_continues_the_trace_of_the_pipeline(
    place: Place, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEPARENT", PARENT)
    place.run("verify", str(place.out))
    [run] = collector.spans
    _, trace, parent, _ = PARENT.split("-")
    assert (run.trace_id.hex(), run.parent_span_id.hex()) == (trace, parent)


def test_a_failed_command_has_the_code_of_its_error(place: Place, collector: Collector) -> None:
    ran = place.run(*place.job("--items", "none"))
    [run] = collector.spans
    assert (ran.code, run.status.code, run.status.message) == (2, Status.STATUS_CODE_ERROR, "")
    values = values_of(run)
    assert (values["exit_code"], values["error.type"]) == (2, "input")
    assert values.keys() == {"run_id", "exit_code", "error.type"}


def refuse(*_: Any, **__: Any) -> None:
    msg = "the value of a setting"
    raise ValueError(msg)


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("exporter", "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"),
        ("sdk", "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"),
        ("collector", "does not answer"),
        ("setting", "ValueError"),
    ],
)
def test_a_trace_that_cannot_be_sent_changes_no_exit_code(
    place: Place, monkeypatch: pytest.MonkeyPatch, reason: str, message: str
) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.1")
    if reason == "setting":
        monkeypatch.setattr(f"{MODULES['exporter']}.OTLPSpanExporter.__init__", refuse)
    if reason in MODULES:
        monkeypatch.setitem(sys.modules, MODULES[reason], None)  # as if it were not installed
    ran = place.run("demo", "--nothing")
    assert (ran.code, message in ran.err.splitlines()[-1]) == (2, True), ran.err
    assert ran.err.count("no trace was sent") == 1


def test_nothing_is_sent_without_a_request(place: Place, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
    place.run("verify", str(place.out))
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    place.run("verify", str(place.out))
    assert collector.requests == []
