"""Generators of column values: parse ``choice|a*5|b`` and the like into a function that draws texts."""

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.columns import codes, identifiers, language
from tests.columns.drawing import Draw, LayoutError, Texts, by_frequency, distinct, texts
from tests.columns.patterns import Pattern

__all__ = ["LayoutError", "ValueGenerator", "parse_values"]


@dataclass(frozen=True)
class ValueGenerator:
    """Draws the values of one column."""

    draw: Draw | None
    """Returns n texts; None for values that come from another column."""
    capacity: float = math.inf
    """Largest number of distinct values."""
    numeric: bool = False
    """The texts are numbers, also in JSON."""
    column: str | None = None
    """Column whose values are repeated."""
    previous: bool = False
    """Repeats the value in the previous row of the person."""
    blank: str = " "
    """Text between the parts of a value that consists of several."""


def parse_values(spec: str) -> ValueGenerator:
    """Return the generator that a layout describes as ``NAME|ARGUMENT|...``.

    Raises LayoutError if the name is unknown or an argument is invalid.
    """
    name, _, rest = spec.partition("|")
    parse = GENERATORS.get(name)
    if parse is None:
        message = f"unknown generator {name!r} in {spec!r} (known: {', '.join(GENERATORS)})"
        raise LayoutError(message)
    try:
        return parse(rest)
    except LayoutError:
        raise
    except (ValueError, TypeError) as error:
        message = f"{spec!r}: {error}"
        raise LayoutError(message) from error


def _arguments(rest: str, *kinds: Callable[[str], Any]) -> list[Any]:
    parts = rest.split("|") if rest else []
    if len(parts) != len(kinds):
        message = f"expected {len(kinds)} arguments, got {len(parts)}"
        raise ValueError(message)
    return [kind(part) for kind, part in zip(kinds, parts, strict=True)]


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        message = f"expected a positive number, got {text!r}"
        raise ValueError(message)
    return int(text)


def _language(text: str) -> str:
    if text not in language.LANGUAGES:
        message = f"unknown language {text!r} (known: {' '.join(language.LANGUAGES)})"
        raise ValueError(message)
    return text


def serial(rest: str) -> ValueGenerator:
    """Parse ``START``: consecutive numbers. Leading zeros are kept."""
    if not re.fullmatch(r"\d+", rest):
        message = f"expected a number, got {rest!r}"
        raise ValueError(message)
    width, start = len(rest) if rest[0] == "0" else 0, int(rest)
    return ValueGenerator(lambda _, n: texts([f"{x:0{width}d}" for x in range(start, start + n)]), numeric=width <= 1)


def pattern(rest: str) -> ValueGenerator:
    """Parse a pattern: distinct texts."""
    parsed = Pattern.parse(rest)
    return ValueGenerator(parsed.distinct, numeric=bool(re.fullmatch(r"[1-9]9*", rest)))


def valid(rest: str) -> ValueGenerator:
    """Parse ``stdnum.MODULE|PATTERN``: distinct texts that python-stdnum accepts."""
    module, text = rest.split("|", 1)
    numbers = identifiers.Valid.parse(module, text)
    return ValueGenerator(numbers.distinct, capacity=numbers.pattern.size)


def integers(rest: str) -> ValueGenerator:
    """Parse ``LOW|HIGH``: uniform integers, both bounds included."""
    low, high = _arguments(rest, int, int)
    if low > high:
        message = f"{low} is larger than {high}"
        raise ValueError(message)
    return ValueGenerator(
        lambda rng, n: rng.integers(low, high + 1, n).astype(str).astype(object), capacity=high - low + 1, numeric=True
    )


def normal(rest: str) -> ValueGenerator:
    """Parse ``MEAN|SD|DECIMALS``: normally distributed numbers."""
    mean, deviation, decimals = _arguments(rest, float, float, int)
    return ValueGenerator(lambda rng, n: decimal(rng.normal(mean, deviation, n), decimals), numeric=True)


def lognormal(rest: str) -> ValueGenerator:
    """Parse ``MEDIAN|SIGMA|DECIMALS``: numbers whose logarithm is normally distributed."""
    median, sigma, decimals = _arguments(rest, float, float, int)
    if median <= 0:
        message = f"the median must be positive, got {median}"
        raise ValueError(message)
    return ValueGenerator(lambda rng, n: decimal(rng.lognormal(math.log(median), sigma, n), decimals), numeric=True)


def decimal(values: NDArray[np.float64], decimals: int) -> Texts:
    """Return numbers as texts with a fixed number of decimals."""
    return texts([f"{x:.{decimals}f}" for x in values.tolist()])


def dates(rest: str) -> ValueGenerator:
    """Parse ``FORMAT|FIRST|LAST``: uniform times in a `strftime` format; ``%s`` is the Unix time."""
    form, *bounds = rest.rsplit("|", 2)
    first, last = (datetime.datetime.fromisoformat(bound).replace(tzinfo=datetime.UTC) for bound in bounds)
    if len(bounds[1]) == 10:
        last += datetime.timedelta(days=1, seconds=-1)
    if last < first or not form:
        message = "expected FORMAT|FIRST|LAST"
        raise ValueError(message)
    seconds = int((last - first).total_seconds())
    fine = re.search(r"%[-_^#]?[HIMSTRXcfprsX]", form) is not None

    def written(moment: datetime.datetime) -> str:
        unix = form.replace("%s", str(int(moment.timestamp()))) if "%s" in form else form
        return moment.strftime(unix)

    def draw(rng: np.random.Generator, n: int) -> Texts:
        after = rng.integers(0, seconds + 1, n)
        if fine:
            parts = rng.integers(0, 1000, n) * 1000 if "%f" in form else np.zeros(n, np.int64)
            moments = zip(after.tolist(), parts.tolist(), strict=True)
            return texts([written(first + datetime.timedelta(0, second, part)) for second, part in moments])
        days, inverse = np.unique(after // 86400, return_inverse=True)
        return texts([written(first + datetime.timedelta(day)) for day in days.tolist()])[inverse]

    return ValueGenerator(draw, numeric=form in ("%s", "%s000", "%Y"))


def choice(rest: str) -> ValueGenerator:
    """Parse ``a*5|b|c``: one of these texts, with weights."""
    names, weights = [], []
    for part in rest.split("|"):
        match = re.fullmatch(r"(.*)\*(\d+(?:\.\d+)?)", part, re.DOTALL)
        names.append(match[1] if match else part)
        weights.append(float(match[2]) if match else 1.0)
    if len(set(names)) < len(names):
        message = "a text occurs twice"
        raise ValueError(message)
    cumulative = np.cumsum(weights) / sum(weights)
    pool = texts(names)
    return ValueGenerator(
        lambda rng, n: pool[np.searchsorted(cumulative, rng.random(n), side="right")],
        capacity=len(names),
        numeric=all(re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", name) for name in names),
    )


def code_values(rest: str) -> ValueGenerator:
    """Parse ``KIND|N``: one of at most N codes, frequent and rare ones."""
    kind, number = rest.rsplit("|", 1) if "|" in rest else (rest, "")
    size, make = _positive(number), codes.maker(kind)

    def draw(rng: np.random.Generator, n: int) -> Texts:
        return by_frequency(rng, distinct(make, rng, size, fewer=True), n)

    return ValueGenerator(draw, capacity=size, numeric=kind in ("concept", "rxnorm"))


def constant(rest: str) -> ValueGenerator:
    """Parse a text that is the same in each row."""
    return ValueGenerator(lambda _, n: np.full(n, rest, dtype=object), capacity=1)


def empty(rest: str) -> ValueGenerator:
    """Return the generator of empty texts."""
    _arguments(rest)
    return constant("")


def copied(rest: str) -> ValueGenerator:
    """Parse the column whose value is repeated."""
    return ValueGenerator(None, column=rest)


def previous(rest: str) -> ValueGenerator:
    """Parse the column whose value in the previous row of the person is repeated."""
    return ValueGenerator(None, column=rest, previous=True)


def name(rest: str) -> ValueGenerator:
    """Parse ``LANG|PART``: names of persons."""
    lang, part = _arguments(rest, _language, str)
    if part not in language.NAME_PARTS:
        message = f"unknown part of a name {part!r} (known: {'; '.join(language.NAME_PARTS)})"
        raise ValueError(message)
    return ValueGenerator(lambda rng, n: language.names(rng, n, lang, part))


def street(rest: str) -> ValueGenerator:
    """Parse ``LANG``: street and number."""
    (lang,) = _arguments(rest, _language)
    return ValueGenerator(lambda rng, n: language.streets(rng, n, lang))


def city(rest: str) -> ValueGenerator:
    """Parse ``LANG``: cities, large and small ones."""
    (lang,) = _arguments(rest, _language)
    return ValueGenerator(lambda rng, n: language.cities(rng, n, lang))


def text(rest: str) -> ValueGenerator:
    """Parse ``LANG|LOW|HIGH``: sentences."""
    lang, low, high = _arguments(rest, _language, _positive, _positive)
    if low > high:
        message = f"{low} is larger than {high}"
        raise ValueError(message)
    return ValueGenerator(lambda rng, n: language.sentences(rng, n, lang, low, high))


def words(rest: str) -> ValueGenerator:
    """Parse ``LANG|N``: one of N words, frequent and rare ones."""
    lang, size = _arguments(rest, _language, _positive)
    return ValueGenerator(lambda rng, n: by_frequency(rng, language.vocabulary(rng, lang, size), n), capacity=size)


def iban(rest: str) -> ValueGenerator:
    """Parse the country of distinct account numbers."""
    account = identifiers.iban(rest)
    return ValueGenerator(lambda rng, n: distinct(account, rng, n))


def email(rest: str) -> ValueGenerator:
    """Return the generator of distinct e-mail addresses."""
    _arguments(rest)
    return ValueGenerator(language.emails)


def uuids(rest: str) -> ValueGenerator:
    """Return the generator of random UUIDs (version 4)."""
    _arguments(rest)
    alphabets = list(Pattern.parse("xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx").alphabets)
    alphabets[19] = "89ab"
    return ValueGenerator(Pattern(tuple(alphabets)).distinct)


def ip(rest: str) -> ValueGenerator:
    """Return the generator of distinct IPv4 addresses."""
    _arguments(rest)

    def draw(rng: np.random.Generator, n: int) -> Texts:
        return texts([".".join(map(str, row)) for row in rng.integers(1, 224, (n, 4)).tolist()])

    return ValueGenerator(lambda rng, n: distinct(draw, rng, n))


def mac(rest: str) -> ValueGenerator:
    """Return the generator of distinct MAC addresses."""
    _arguments(rest)
    return ValueGenerator(Pattern.parse("xx:xx:xx:xx:xx:xx").distinct)


GENERATORS: dict[str, Callable[[str], ValueGenerator]] = {
    "serial": serial,
    "pattern": pattern,
    "valid": valid,
    "iban": iban,
    "email": email,
    "uuid": uuids,
    "ip": ip,
    "mac": mac,
    "name": name,
    "street": street,
    "city": city,
    "text": text,
    "words": words,
    "int": integers,
    "normal": normal,
    "lognormal": lognormal,
    "date": dates,
    "choice": choice,
    "codes": code_values,
    "constant": constant,
    "empty": empty,
    "previous": previous,
    "copy": copied,
}
