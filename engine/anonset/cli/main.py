"""Entry point of ``anonset``: runs a command, reports errors in a single line and returns the exit code.

Import as little as possible here: a signal during these imports causes a traceback.
"""

import atexit
import gc
import io
import os
import secrets
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from anonset.cli.exit_codes import BAD_INPUT, FAILED, UNDECIDED
from anonset.errors import (
    AnonsetError,
    InfeasibleError,
    InputError,
    LeftoverNote,
    UndecidedError,
    VerificationError,
    abridged,
)
from anonset.interruption import RaisingHandler
from anonset.spelling import Spelling, as_options, spelled_by

_LOG_FORMAT = "--log-format"
_DEFECT, _BY_SIGNAL, _SIGINT = 70, 128, 2
_NOT_PRINTED = 120
"""Exit code of Python if the output cannot be written."""
_RARELY = (300_000, 50, 100)
"""Thresholds of the garbage collector. Imports create many objects but few cycles, so high thresholds save time."""
_REUSED = (32 << 20) - (1 << 16)
"""Maximum size in bytes of freed blocks that malloc reuses. The C library glibc allows at most 32 MiB."""


def main(arguments: Sequence[str] | None = None, *, own_process: bool = False, spelling: Spelling = as_options) -> int:
    """Run a command and return the exit code. Report an error as a line on standard error.

    Parameters
    ----------
    own_process
        True if the process runs only this command. A JSON log may then reserve standard error.
    spelling
        Function that returns settings as text in messages.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    with spelled_by(spelling), spelled_by(_of_job(arguments, spelling)):
        try:
            code = _run(arguments, own_process=own_process)
        except (AnonsetError, OSError, MemoryError, KeyboardInterrupt, ImportError) as error:
            if isinstance(error, ImportError) and not _missing_package(error):
                raise
            _say(error)
            code = exit_code(error)
    _end(code)
    return code


def _missing_package(error: BaseException | None) -> str:
    """Return the name of the missing package that caused an error. Return an empty text for other errors, and for
    missing modules of anonset.
    """
    while error is not None and not isinstance(error, ModuleNotFoundError):
        error = error.__cause__
    package = "" if error is None or error.name is None else error.name.partition(".")[0]
    return "" if package.startswith("anonset") else package


def _of_job(arguments: Sequence[str], spelling: Spelling) -> Spelling:
    """Return the spelling of settings in messages. The columns of linked tables get their roles in the job file."""
    if not any(argument.lower().endswith(".toml") for argument in arguments):
        return spelling
    from anonset.settings.table_lines import with_table_lines

    return with_table_lines(arguments, spelling)


def _run(arguments: Sequence[str], *, own_process: bool) -> int:
    if sys.platform == "win32":
        msg = "anonset does not run on Windows, where file modes do not protect private files; use WSL or a container"
        raise InputError(msg)
    from anonset.cli.app import run_command
    from anonset.cli.output import log_to

    as_json = False
    if any(argument.startswith(_LOG_FORMAT) for argument in arguments):
        from anonset.cli.log import JsonLog, take_standard_error, taken_from

        arguments, as_json = taken_from(arguments)
    if as_json:
        if own_process:
            take_standard_error()
        command = next((argument for argument in arguments if not argument.startswith("-")), None)
        log_to(log := JsonLog(command, secrets.token_hex(8)))
        log.start()
    return run_command(arguments)


def exit_code(error: BaseException) -> int:
    """Return the exit code of an error."""
    if isinstance(error, UndecidedError):
        return UNDECIDED
    if isinstance(error, (InfeasibleError, VerificationError)):
        return FAILED
    return _BY_SIGNAL + _number(error) if isinstance(error, KeyboardInterrupt) else BAD_INPUT


def describe(error: BaseException) -> str:
    """Return an error as a line of text. Data values are marked (see `anonset.errors`)."""
    if isinstance(error, KeyboardInterrupt):
        return f"{'interrupted' if _number(error) == _SIGINT else 'terminated'}; nothing was published"
    if isinstance(error, ImportError) and (package := _missing_package(error)):
        return f"package {package} is required and not installed: pip install {package}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}".rstrip(": ")
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename!r}" if error.filename is not None else ""
        return abridged(f"{error.strerror}{where}")
    return " ".join(f"{error}".split())


def run(spelling: Spelling = as_options) -> None:
    """Run the command line of this process and exit. See `main` for `spelling`."""
    gc.set_threshold(*_RARELY)
    bytes(_REUSED)  # glibc raises its thresholds to the largest freed block; this avoids new mappings
    unwinding = RaisingHandler()
    warnings.showwarning = _warn
    code = _DEFECT
    try:
        unwinding.install()
        unwinding.watch(_interrupted)
        _open_streams()
        code = main(own_process=True, spelling=spelling)
    except KeyboardInterrupt as error:  # interrupted before the command started, or after it failed
        code = _interrupted(error)
    except Exception as error:
        if unwinding.came is not None:  # a library replaced the interruption by another error
            interruption = KeyboardInterrupt(unwinding.came)
            interruption.__notes__ = getattr(error, "__notes__", [])
            code = _interrupted(interruption)
        else:  # a defect has another exit code than a failed model
            _show_defect(error)
    if code > _BY_SIGNAL:
        os._exit(code)  # files are removed; worker threads may still run a kernel
    unwinding.leave()
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the process without finalizing the interpreter.

    During finalization, a thread of pyarrow that frees the memory of a Python object would abort the process, although
    the command is complete.
    """
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = _NOT_PRINTED
    os._exit(code)


def _open_streams() -> None:
    """Open closed standard streams (``>&-``) as the null device. Without this, the next opened file would get the
    number of the stream and receive its output.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # the lowest free descriptor
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a label may not be encodable


def _show_defect(error: Exception) -> None:
    """Print the traceback of a defect without its message, which may contain values of the data."""
    import traceback

    from anonset.cli.output import has_log, say

    places = "".join(traceback.format_tb(error.__traceback__))
    defect = "defect of anonset; the error text is hidden because it may contain data values"
    if not has_log():
        sys.stderr.write(f"Traceback (most recent call last):\n{places}{type(error).__name__}\n")
    say(defect, "error", code="defect", exit_code=_DEFECT, defect=type(error).__name__, places=places.splitlines())
    _end(_DEFECT)


def _interrupted(error: KeyboardInterrupt) -> int:
    _say(error)
    _end(exit_code(error))
    return exit_code(error)


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Print the warning of a library without source locations. The log contains only the type of the warning."""
    from anonset.cli.output import warn
    from anonset.errors import foreign

    warn(f"{category.__name__}: {foreign(' '.join(str(message).split()))}")


def _number(error: BaseException) -> int:
    """Return the signal number of an interruption."""
    return next((part for part in error.args if isinstance(part, int)), _SIGINT)


def _say(error: BaseException) -> None:
    from anonset.cli.output import say

    for note in getattr(error, "__notes__", ()):
        if isinstance(note, LeftoverNote):
            say(note, "warning")
    code = "interrupted" if isinstance(error, KeyboardInterrupt) else getattr(error, "code", "system")
    for finding in (findings := getattr(error, "findings", ())):
        place, fixes = {"column": finding.column, "count": finding.count}, finding.problem.fixes
        say(f"{finding}", "error", fixes, code=code, **place, exit_code=BAD_INPUT)
    if not findings:
        place, fixes = getattr(error, "place", {}), getattr(error, "fixes", ())
        say(describe(error), "error", fixes, code=code, **place, exit_code=exit_code(error))
    for command in getattr(error, "commands", ()):
        say(command)


def _end(code: int) -> None:
    if output := sys.modules.get("anonset.cli.output"):
        output.end_log(code)
