"""Read and write bytes of files, with formats by name, compression, digests, and one-line messages for failures."""

import hashlib
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from shlex import quote
from threading import Lock
from typing import Any

from anonset.errors import Fix, InputError, MisreadError, foreign, require_known
from anonset.lazy_arrow import pa
from anonset.local_paths import require_local
from anonset.reading.sources.dialect import header_fields
from anonset.reading.sources.ragged_lines import are_aligned, are_baskets, unusual_delimiter
from anonset.spelling import setting

STATISTICS = {
    "sav": "read_sav",
    "zsav": "read_sav",
    "dta": "read_dta",
    "sas7bdat": "read_sas7bdat",
    "xpt": "read_xport",
}
"""Function of pyreadstat for each format of a statistics program."""
FORMATS = (".csv", ".tsv", ".dat", ".xlsx", ".jsonl", ".ndjson", *(f".{name}" for name in STATISTICS), ".parquet")
TEXTS = (".txt", ".text", ".tab")
"""Suffixes of text files that may contain data, if their lines look like a table or like sets."""
INPUT_FORMATS = ("csv", "tsv", "fimi", "baskets", "spmf", "jsonl", "xlsx", *STATISTICS, "parquet")
"""Input formats that can be declared, independent of the file name."""
_OTHER = "this format is not supported; save the table as CSV or Parquet"
_WORKBOOK = "this workbook format is not supported; save it as .xlsx, or its sheet as CSV (UTF-8)"
_JSON = "JSON input must have an object per line (.jsonl); convert it"
_QUOTED = re.compile(rb'"[^"]*"')
_LIST_OF_OBJECTS = re.compile(rb'"(\w+)"\s*:\s*\[\s*\{')
ELSEWHERE = {
    ".xls": _WORKBOOK,
    ".ods": _WORKBOOK,
    ".json": _JSON,
    ".toml": "this is a job file, not data; use the data file that it names as input",
    **dict.fromkeys((".por", ".rds", ".rdata", ".arff", ".feather", ".orc", ".avro"), _OTHER),
    **dict.fromkeys(
        (".zip", ".bz2", ".xz", ".7z", ".tar", ".tgz"),
        "archives are not supported; unpack the file, or compress the data with gzip",
    ),
}
_WHAT = (
    "csv or tsv (with a header line), fimi, baskets (separated items, no header), spmf, jsonl, xlsx, "
    f"{', '.join(STATISTICS)}, parquet"
)
_PACKED = (".xlsx", *(f".{name}" for name in STATISTICS), ".parquet")
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_LARGEST = 1 << 30
"""Maximum size of a side file in bytes, such as a hierarchy. It is loaded completely."""
_FIRST_LINES, _FIRST_BYTES = 100, 1 << 16
_FEWEST_LINES, _FEWEST_FIELDS = 5, 3
"""Minimum number of lines, and of fields that blanks separate, to recognize a table by these lines."""
LEAST_READ = 1 << 12
"""Minimum size of a read in bytes. Arrow does not repeat a failed read that is smaller than the answer of the object
store.
"""
_BUFFER = 1 << 20
"""Bytes per read of a side file, or of a column of a local Parquet file."""
_FAR_BUFFER = 1 << 23
"""Bytes per read of a column of a remote Parquet file, for which each request is slow."""
_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def format_of(path: Path, declared: str | None = None, *, no_header: bool = False) -> str:
    """Return the format of an input, as declared or derived from its name. A directory has the format ``parquet``.

    Parameters
    ----------
    declared
        One of `INPUT_FORMATS`, independent of the name. None if the name determines the format.
    no_header
        Whether the first line is declared to be a row. Only CSV and TSV allow it, so an unknown name means CSV.

    Raises
    ------
    InputError
        If the declared format is unknown, or the name has no known suffix.
    """
    if declared is not None:
        return _declared(path, declared)
    if path.is_dir():
        return "parquet"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] in _COMPRESSIONS
    if packed:
        suffixes.pop()
    if no_header and (suffixes or [""])[-1] not in (*FORMATS, *ELSEWHERE):
        return "csv"
    if not suffixes or suffixes[-1] not in FORMATS or (packed and suffixes[-1] in _PACKED):
        ending = f"the name must end with {', '.join(FORMATS)} (also with .gz or .zst, except {' and '.join(_PACKED)})"
        probable, elsewhere = _probable_format(path), ELSEWHERE.get(suffixes[-1] if suffixes else "")
        if elsewhere is not None and probable.get("input_format") != "jsonl":
            raise InputError(f"{path}: {elsewhere}{_by_line(path) if elsewhere is _JSON else ''}")
        msg = f"{path}: unknown format; {ending}; or set {setting('input_format')}: {_WHAT}"
        if probable:
            msg = f"{path}: the file name shows no format"
            raise MisreadError(msg, fixes=[Fix(probable, "as the first lines suggest")])
        raise InputError(msg)
    if suffixes[-1] == ".dat" and not packed:
        lines = [line.decode("utf-8", "replace").strip() for line in _first_lines(path)]
        blanks = any(" " in line for line in lines)
        mark = unusual_delimiter(lines, ",;") or ("" if blanks else unusual_delimiter(lines))
        if len(lines) > _FEWEST_LINES and mark:
            fix = Fix({"input_format": "csv", "delimiter": mark}, "if they are")
            raise MisreadError(f"{path}: the lines look like a table, not like items between blanks", fixes=[fix])
    return "jsonl" if suffixes[-1] == ".ndjson" else suffixes[-1][1:]


def _first_lines(path: Path) -> list[bytes]:
    """Return the first lines of a text. Raise InputError if they are columns of fixed width."""
    try:
        with path.open("rb") as file:
            stream = file if (packing := compression_of(path.name)) is None else pa.CompressedInputStream(file, packing)
            lines = stream.read(_FIRST_BYTES).splitlines()[:_FIRST_LINES]
    except (OSError, pa.ArrowException):
        return []
    if are_aligned(lines):
        msg = f"{path}: the lines are padded to columns of fixed width; save the table as CSV, with a header line"
        raise InputError(msg)
    return lines


def _by_line(path: Path) -> str:
    """Return the command that writes an array, or the first list of objects in an object, as one object per line."""
    text = b"".join(_first_lines(path))
    match = _LIST_OF_OBJECTS.search(text) if text.lstrip().startswith(b"{") else None
    wrapped = b'"Bundle"' in text and match is not None and match[1] == b"entry"  # FHIR
    each = f".{match[1].decode()}[]{'.resource' if wrapped else ''}" if match else ".[]"
    return f": jq -c {quote(each)} {quote(str(path))} > {quote(str(path.with_suffix('.jsonl')))}"


def _probable_format(path: Path) -> dict[str, str]:
    """Return the settings that probably read a text, by its first lines. Empty if the format is unclear. Lines of a
    table have equal numbers of fields, and lines of baskets do not, or their last fields are empty.
    """
    lines = _first_lines(path)
    if any(b"\t" in line for line in lines):
        return {"input_format": "tsv"}
    if len(lines) > 1 and all(line.lstrip().startswith(b'{"') for line in lines[:-1]):
        return {"input_format": "jsonl"}
    plain = [_QUOTED.sub(b"", line) for line in lines]
    marks = [mark for mark in (b",", b";", b"|") if any(mark in line for line in plain)]
    even = any(2 * Counter(line.count(mark) for line in plain).most_common(1)[0][1] > len(lines) for mark in marks)
    texts = [line.decode("utf-8", "replace").strip() for line in lines[: -1 if len(lines) == _FIRST_LINES else None]]
    if not even and len(texts) > _FEWEST_LINES:
        fields = {len(header_fields(text, " ")) for text in texts if not text.startswith("#")}
        if len(fields) == 1 and fields.pop() >= _FEWEST_FIELDS:
            return {"input_format": "csv", "delimiter": " "}
        if all(text.endswith(" -2") for text in texts):
            return {"input_format": "spmf"}
    unquoted = bool(marks) and not any(b'"' in line for line in lines)
    rows = [[field.strip() for field in text.split(mark.decode())] for mark in marks[:1] for text in texts]
    if unquoted and (not even or are_baskets(rows)):
        return {"input_format": "baskets"}
    if not marks and (unusual := unusual_delimiter(texts)):
        return {"input_format": "csv", "delimiter": unusual}
    return {"input_format": "csv"} if marks else {}


def _declared(path: Path, declared: str) -> str:
    require_known(setting("input_format"), declared, INPUT_FORMATS)
    if path.is_dir() and declared != "parquet":
        raise InputError(f"{path}: a directory must contain parquet files, got {setting('input_format', declared)}")
    return "dat" if declared == "fimi" else declared


def one_line(error: BaseException) -> str:
    """Return the message of an error as one line. If the operating system gives a reason, return only this reason."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(text).split())


_SAFE_TO_SHOW = re.compile(r"Conversion failed for column .* with type \w+")


@contextmanager
def reading(where: object, problem: str = "cannot be read", *, values: bool = False) -> Iterator[None]:
    """Convert all errors of reading or writing a file in the block to an InputError that names the file. `problem` is
    the text of the error without the reason.

    Parameters
    ----------
    values
        Whether Arrow or another library converts values. Its errors may contain values, so they are neither shown nor
        chained.
    """
    failures = (
        (Exception,) if values else (OSError, pa.ArrowException, LookupError, OverflowError, TypeError, ValueError)
    )

    try:
        yield
    except (InputError, MemoryError):
        raise
    except FileNotFoundError:
        raise InputError(f"{where}: no such file or directory") from None
    except failures as error:
        reason, shows = one_line(error), isinstance(error, OSError)
        if values and not isinstance(error, OSError):
            safe = _SAFE_TO_SHOW.search(reason)
            reason, shows = safe[0] if safe else type(error).__name__, True
            _forget(error)
        raise InputError(f"{where}: {problem}: {reason if shows else foreign(reason)}") from error


def _forget(error: BaseException) -> None:
    """Delete the text of a chained error, because it may contain data."""
    error.args, error.__cause__, error.__context__ = (), None, None
    if isinstance(error, UnicodeDecodeError):
        error.object = b""


def require_file(path: Path) -> None:
    """Reject paths that are not regular files. For example, a pipe may never end and cannot be read twice.

    Raises
    ------
    InputError
        If there is no such file, or it is of another kind.
    """
    with reading(path):
        mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: not a regular file but {_KINDS.get(stat.S_IFMT(mode), 'a device')}")


def compression_of(name: str) -> str | None:
    """Return the compression that a file name implies. None for uncompressed files."""
    return _COMPRESSIONS.get(PurePosixPath(name).suffix.lower())


def read_bytes(path: Path) -> bytes:
    """Return the decompressed bytes of a file.

    Raises
    ------
    InputError
        If the file is missing or unreadable, the compression does not match the name, or there are more than 1 GiB.
    """
    require_file(path)
    packing = compression_of(path.name)
    with reading(path, "cannot be read" if packing is None else f"not valid {packing}"), path.open("rb") as file:
        if packing is not None and not path.stat().st_size:
            raise InputError(f"{path}: not valid {packing}: the file is empty")
        stream = file if packing is None else pa.CompressedInputStream(pa.PythonFile(file, "r"), packing)
        parts, size = list[bytes](), 0
        while size <= _LARGEST and (part := stream.read(_BUFFER)):
            parts.append(part)
            size += len(part)
    if size > _LARGEST:
        raise InputError(f"{path}: the content exceeds {_LARGEST >> 30} GiB")
    return b"".join(parts)


def text_lines(path: Path, entry: str) -> list[str]:
    """Return the non-empty lines of a text file, stripped.

    Parameters
    ----------
    entry
        Name of the content of a line, for messages.

    Raises
    ------
    InputError
        See `read_bytes`; also if the file is not UTF-8.
    """
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path}: must be UTF-8 text with {entry} per line") from None
    return [line.strip() for line in lines if line.strip()]


def write_file(path: Path, parts: Iterable[Any]) -> Path:
    """Write bytes-like parts to a file, compressed according to the name. A failed write leaves no file.

    Raises
    ------
    InputError
        If the file cannot be written. The message contains the operating system's reason.
    """
    packing = compression_of(path.name)
    with remove_on_failure(path), path.open("wb") as file:
        if packing is None:
            for part in parts:
                file.write(part)
        else:
            with pa.CompressedOutputStream(pa.PythonFile(file, "w"), packing) as stream:
                for part in parts:
                    stream.write(part)
    return path


@contextmanager
def remove_on_failure(path: Path) -> Iterator[None]:
    """Convert a write error to an InputError. Remove the unfinished file, but never a file that existed before."""
    require_local(path)
    existed = path.exists()
    with reading(path, "cannot be written"):
        try:
            yield
        except BaseException:
            if not existed:
                path.unlink(missing_ok=True)
            raise


def digest(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal. For a directory, return the hash of the file names and digests.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    where = Path(path)
    if where.is_dir():
        files = files_below(where)
        return digest_of_list((file.relative_to(where).as_posix(), digest(file)) for file in files)
    require_file(where)
    with reading(where), where.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_below(folder: Path) -> list[Path]:
    """Return all files of a directory and its subdirectories, sorted."""
    return sorted(file for file in folder.rglob("*") if file.is_file())


def digest_of_list(digests: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 of a list of file names and digests in hexadecimal."""
    return hashlib.sha256("".join(f"{sha256}  {name}\n" for name, sha256 in digests).encode()).hexdigest()


_THREADS: dict[object, int] = {}
"""Number of Arrow's threads before all blocks of `arrow_threads`, then in each block that other threads have begun."""
_LOCK = Lock()


@contextmanager
def arrow_threads(workers: int | None) -> Iterator[None]:
    """Set the number of Arrow's threads within the block. If None, Arrow's default applies. The number is one of the
    process: of blocks in several threads, that of the last one applies, and after all of them that before the first.
    """
    block = object()
    with _LOCK:
        before = _THREADS.setdefault(None, pa.cpu_count())
        _THREADS[block] = before if workers is None else workers
        pa.set_cpu_count(_THREADS[block])
    try:
        yield
    finally:
        with _LOCK:
            del _THREADS[block]
            pa.set_cpu_count([*_THREADS.values()][-1])
            if len(_THREADS) == 1:
                _THREADS.clear()


def open_parquet(file: Any, *, far: bool = False, **options: Any) -> Any:
    """Open a file as Parquet (``pyarrow.parquet.ParquetFile``) to read it page by page. `far` is True for a remote
    file.

    Without page reads, Arrow loads a whole compressed row group before it returns the first row.
    """
    from pyarrow import parquet

    return parquet.ParquetFile(file, buffer_size=_FAR_BUFFER if far else _BUFFER, pre_buffer=False, **options)


def open_workbook_parts(where: object, file: Any) -> Any:
    """Open a workbook (``.xlsx``) as the archive of its parts (`zipfile.ZipFile`).

    Raises
    ------
    InputError
        If the file is not an archive.
    """
    from zipfile import BadZipFile, ZipFile

    try:
        return ZipFile(file)
    except (BadZipFile, ValueError):  # Arrow rejects positions before the start of a short file
        problem = f"{where}: the workbook (.xlsx) is damaged, protected by a password, or not an Excel file"
        raise InputError(f"{problem}; open it in a spreadsheet program and save its sheet as CSV (UTF-8)") from None
