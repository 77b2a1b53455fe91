"""Connections to the scheduler of a dask cluster."""

import asyncio
import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from anonset.errors import InputError, shortened
from anonset.interruption import defer_signals
from anonset.spelling import listed, setting

_SILENT = """\
import logging, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
logging.getLogger("distributed").setLevel(logging.CRITICAL)
"""
"""Code that local processes run at their start. They ignore Ctrl-C because the main process handles it."""
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
}
"""Dask settings that disable profiling and self-monitoring in local processes, which cost a tenth of the CPU time."""
_TRIM = "MALLOC_TRIM_THRESHOLD_"
"""Environment variable that is removed for local processes, because it costs a tenth of the CPU time."""
CERTIFICATES = ("ca.pem", "cert.pem", "key.pem")
"""File names of the authority's certificate, the client's certificate and the client's key."""
_LOGGERS = ("distributed", "tornado", "asyncio")
"""Loggers of Dask that report lost connections. They are disabled."""
_SECONDS_TO_ANSWER = 10
_PROCESS_COUNT = re.compile("[1-9][0-9]{0,2}")


@contextmanager
def cluster_of(address: str, certificates: str | None = None) -> Iterator[Any]:
    """Connect to a running scheduler and yield the client. The address ``local:N`` starts N local processes, which end
    with the block. These processes only accept connections from this machine, with a certificate that exists only in
    their memory.

    Parameters
    ----------
    certificates
        Directory with the files `CERTIFICATES`, for a ``tls://`` address. If None, Dask's configuration
        is used.

    Raises
    ------
    InputError
        If dask.distributed is not installed, the address is invalid, a certificate is missing, or no scheduler answers.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        msg = f"{setting('cluster', address)} needs the package distributed (part of Dask): pip install distributed"
        raise InputError(msg) from None
    for name in tuple(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # anonset reports errors in one line
    security = None if certificates is None else _security_of(address, Path(certificates))
    kind, _, count = address.partition(":")
    if kind != "local":
        with _client_of(address, security) as client:
            yield client
    elif _PROCESS_COUNT.fullmatch(count):
        with _local_processes(int(count)) as client:
            yield client
    else:
        what = "the address of a scheduler, or local:N for N processes (at most 999)"
        raise InputError(f"{setting('cluster')} must be {what}, got {shortened(address)}")


def _client_of(address: str, security: Any) -> Any:
    from distributed import Client, Security
    from distributed.comm.core import connect

    async def greet() -> None:  # a client waits forever for a service that accepts connections and never answers
        arguments = (security or Security()).get_connection_args("client")
        connection = await asyncio.wait_for(connect(address, **arguments), _SECONDS_TO_ANSWER)
        await connection.close()

    try:
        with ThreadPoolExecutor(1) as thread:  # needed in a notebook, where an event loop runs in this thread
            thread.submit(lambda: asyncio.run(greet())).result()
        return Client(address, timeout=_SECONDS_TO_ANSWER, set_as_default=False, security=security)
    except OSError as error:  # also TimeoutError
        msg = f"{setting('cluster', address)}: no scheduler answers ({type(error).__name__})"
    except (TypeError, ValueError) as error:
        reason = shortened(str(error))
        if isinstance(error, TypeError) and address.startswith("tls:"):
            reason = f"no certificates; set {setting('cluster_tls', 'DIR')}, or distributed.comm.tls of Dask"
        msg = f"{setting('cluster', address)}: {reason}"
    raise InputError(msg)


@contextmanager
def _local_processes(count: int) -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster
    from distributed.security import Security

    address = setting("cluster", f"local:{count}")
    options: dict[str, Any] = {"n_workers": count, "threads_per_worker": 1, "processes": True}
    options |= {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}  # any free port
    options |= {"silence_logs": logging.CRITICAL, "preload": [_SILENT], "memory_limit": 0}
    try:
        import cryptography  # noqa: F401  # dask creates the certificate with it

        options["security"] = Security.temporary()
    except ImportError:
        raise InputError(f"{address} needs the package cryptography: pip install cryptography") from None
    with ExitStack() as stack:
        before = "distributed.nanny.pre-spawn-environ"
        environ = {name: value for name, value in dask.config.get(before).items() if name != _TRIM}
        try:
            with defer_signals(), dask.config.set({**_QUIET, before: environ}):
                client = stack.enter_context(Client(stack.enter_context(LocalCluster(**options)), set_as_default=False))
        except Exception as error:  # for example, the operating system refuses to start processes
            reason = "worker processes cannot start; check that /dev/shm exists and is writable, or remove the option"
            raise InputError(f"{address}: {reason} ({type(error).__name__})") from None
        try:
            yield client
        finally:
            with defer_signals():  # stopping the workers may take a while, and must not be interrupted
                stack.close()


def _security_of(address: str, folder: Path) -> Any:
    from distributed.security import Security

    if not address.startswith("tls://"):
        raise InputError(f"{setting('cluster_tls')} requires a tls:// address, got {setting('cluster', address)}")
    if missing := next((path for name in CERTIFICATES if not (path := folder / name).is_file()), None):
        msg = f"{setting('cluster_tls')}: {missing}: no such file; the directory must contain {listed(CERTIFICATES)}"
        raise InputError(msg)
    authority, certificate, key = (str(folder / name) for name in CERTIFICATES)
    return Security(require_encryption=True, tls_ca_file=authority, tls_client_cert=certificate, tls_client_key=key)
