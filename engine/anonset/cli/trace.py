"""OpenTelemetry trace of a command. It has a span for the command and a span for each phase of a run.

The standard environment variables of OpenTelemetry enable the trace. The spans have the same attributes as the last
line of the JSON log, except the digests of files. Attributes contain figures, phase names and paths, but no values of
the data.
"""

import logging
import os
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PACKAGES = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")
_BY_SIGNAL, _SECONDS_IF_INTERRUPTED = 128, 1.0


def is_requested(environ: Mapping[str, str]) -> bool:
    """Return True if environment variables request traces over OTLP.

    >>> is_requested({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}), is_requested({})
    (True, False)
    >>> is_requested({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})
    False
    """
    exporter = environ.get("OTEL_TRACES_EXPORTER", "")
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return exporter == "otlp" or (not exporter and any(environ.get(name) for name in _ENDPOINTS))


class Trace:
    """Collects the results of a command, and sends them as spans when it ends."""

    def __init__(self, command: str | None, run_id: str) -> None:
        self._began = time.time_ns()
        self._command = command
        self._result: dict[str, Any] = {"run_id": run_id}
        self._error: str | None = None

    def error(self, code: str | None) -> None:
        """Store the code of an error."""
        self._error = code

    def result(self, **values: Any) -> None:
        """Store results of the run."""
        self._result |= values

    def send(self, exit_code: int) -> str:
        """Send the spans. Return an empty text, or the reason if sending fails."""
        try:
            return self._send(exit_code)
        except ModuleNotFoundError:
            return f"no trace was sent, because a package is not installed: pip install {' '.join(_PACKAGES)}"
        except Exception as error:  # the trace is not part of the result; settings and network raise many types
            return f"no trace was sent ({type(error).__name__}); check the OTEL_ variables of the environment"

    def _send(self, exit_code: int) -> str:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        from opentelemetry.trace import Status, StatusCode, set_span_in_context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # the caller reports failures in one line
        resource = Resource.create()
        if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: "anonset"}))
        provider, collected = TracerProvider(resource=resource, shutdown_on_exit=False), InMemorySpanExporter()
        provider.add_span_processor(SimpleSpanProcessor(collected))
        tracer = provider.get_tracer("anonset")
        parent = {name.lower(): os.environ[name] for name in ("TRACEPARENT", "TRACESTATE") if name in os.environ}
        run = tracer.start_span(
            f"anonset {self._command}" if self._command else "anonset",
            TraceContextTextMapPropagator().extract(parent),
            start_time=self._began,
        )
        for phase in map(dict, self._result.pop("phases", ())):
            began, ended = (phase.pop(name, None) for name in ("began", "ended"))
            name = phase.pop("phase")
            if began is None:  # compilation
                run.set_attributes(dict(_attributes(phase, f"anonset.{name}")))
                continue
            span = tracer.start_span(name, set_span_in_context(run), start_time=_nanoseconds(began))
            span.set_attributes(dict(_attributes(phase)))
            span.end(_nanoseconds(ended))
        self._result.pop("sha256", None)
        run.set_attributes(dict(_attributes({**self._result, "exit_code": exit_code})))
        if exit_code:
            run.set_status(Status(StatusCode.ERROR))
        if self._error is not None:
            run.set_attribute("error.type", self._error)
        run.end()
        interrupted = exit_code > _BY_SIGNAL
        exporter = OTLPSpanExporter(timeout=_SECONDS_IF_INTERRUPTED if interrupted else None)
        sent = exporter.export(collected.get_finished_spans()) is SpanExportResult.SUCCESS
        return "" if sent else "no trace was sent: the OpenTelemetry collector does not answer, or refuses it"


def _attributes(values: Mapping[str, Any], prefix: str = "anonset") -> Iterator[tuple[str, bool | float | str]]:
    """Yield the names and values of attributes. Nested mappings get names such as ``anonset.tasks.count``."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _attributes(value, f"{prefix}.{name}")
        elif isinstance(value, (bool, int, float, str)):
            yield f"{prefix}.{name}", value


def _nanoseconds(time_text: str) -> int:
    return round(datetime.fromisoformat(time_text).timestamp() * 1e9)
