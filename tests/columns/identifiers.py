"""Identifiers that python-stdnum accepts: national numbers of a pattern, and bank accounts."""

import functools
import importlib
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from stdnum import ean, luhn, numdb, verhoeff
from stdnum import iban as stdnum_iban
from stdnum.es import ccc
from stdnum.exceptions import ValidationError
from tests.columns.drawing import Draw, LayoutError, Texts, texts
from tests.columns.patterns import Pattern

BATCH = 2000
RARE = 0.02
"""Share of accepted candidates below which new ones are permuted from accepted ones."""
ENOUGH = 300
"""Accepted texts after which characters that none of them has at a position are not tried there, as in dates."""
LARGEST_EFFORT = 5_000
"""Candidates per required text after which the search fails."""

Complete = Callable[[str], str]


@dataclass(frozen=True)
class Valid:
    """Texts of a pattern that a module of python-stdnum accepts."""

    pattern: Pattern
    module: ModuleType

    @classmethod
    def parse(cls, module: str, pattern: str) -> "Valid":
        """Return the texts of a pattern that ``stdnum.MODULE`` accepts; the prefix may be omitted.

        Raises LayoutError if the module does not exist.
        """
        name = module.removeprefix("stdnum.")
        try:
            imported = importlib.import_module(f"stdnum.{name}")
        except ImportError as error:
            message = f"python-stdnum has no module {name!r}"
            raise LayoutError(message) from error
        return cls(Pattern.parse(pattern), imported)

    def distinct(self, rng: np.random.Generator, n: int) -> Texts:
        """Return n distinct accepted texts. Raises LayoutError if too few candidates are accepted."""
        accepts = self.module.is_valid
        found: dict[str, None] = {}
        complete: Complete | None = None
        source, tried = self, 0
        while len(found) < n:
            if tried > 100 * BATCH + LARGEST_EFFORT * len(found):
                message = f"{self.module.__name__} accepts {len(found)} of {tried} texts of the pattern, need {n}"
                raise LayoutError(message)
            candidates = source._candidates(rng, list(found), tried)
            tried += BATCH
            if complete:
                candidates = filter(self.pattern.matches, map(complete, candidates))
            found.update((x, None) for x in candidates if len(found) < n and accepts(x))
            complete = complete or completion(self.module, list(found)[:5])
            if source is self and len(found) >= ENOUGH:
                source = Valid(self.pattern.narrowed(list(found)), self.module)
        return texts(list(found)[:n])

    def _candidates(self, rng: np.random.Generator, found: list[str], tried: int) -> Iterable[str]:
        """Draw candidates. If few are accepted, half of the texts are accepted ones with characters exchanged."""
        drawn = self.pattern.draw(rng, BATCH).tolist()
        if not found or len(found) > RARE * tried:
            return drawn
        codes = np.array([list(found[x]) for x in rng.integers(0, len(found), BATCH // 2).tolist()])
        groups = [[at for at, x in enumerate(self.pattern.alphabets) if x == y] for y in set(self.pattern.alphabets)]
        places = np.array(max(groups, key=len))
        rows = np.arange(len(codes))
        for _ in range(3):
            first, second = (places[rng.integers(0, len(places), len(codes))] for _ in range(2))
            codes[rows, first], codes[rows, second] = codes[rows, second], codes[rows, first]
        return drawn[: BATCH // 2] + ["".join(row) for row in codes.tolist()]


def completion(module: ModuleType, accepted: Sequence[str]) -> Complete | None:
    """Return the function that writes the check digits at the end of a text, None if none is known.

    Modules differ in the name and the argument of the function that computes check digits, and some use a common
    algorithm: the result is a function that is right for all `accepted` texts, at least five.
    """
    if len(accepted) < 5:
        return None
    own = [getattr(module, name) for name in dir(module) if name.lstrip("_").startswith("calc")]
    common = [luhn.calc_check_digit, verhoeff.calc_check_digit, ean.calc_check_digit]
    for function, size, whole in itertools.product([*own, *common], (1, 2, 3), (False, True)):
        complete = functools.partial(_completed, function, size, whole)
        if all(complete(f"{text[:-size]}{'0' * size}") == text for text in accepted):
            return complete
    return None


def _completed(function: Callable[..., str], size: int, whole: bool, text: str) -> str:
    bare = re.sub(r"\W", "", text)
    try:
        return text[:-size] + str(function(bare if whole else bare[:-size]))
    except (TypeError, ValueError, KeyError, IndexError, ValidationError):
        return text


def iban(country: str) -> Draw:
    """Return the function that draws valid account numbers of a country.

    Raises LayoutError if python-stdnum does not know the country.
    """
    properties = numdb.get("iban").info(country)[0][1] if re.fullmatch("[A-Z]{2}", country) else {}
    structure = properties.get("bban")
    if not structure:
        message = f"iban: unknown country {country!r}"
        raise LayoutError(message)
    signs = {"n": "9", "a": "A", "c": "9"}
    bban = Pattern.parse("".join(signs[kind] * int(size) for size, kind in re.findall(r"(\d+)!([nac])", structure)))

    def draw(rng: np.random.Generator, n: int) -> Texts:
        accounts = (NATIONAL.get(country, str)(account) for account in bban.draw(rng, n).tolist())
        numbers = [f"{country}00{account}" for account in accounts]
        complete = [f"{x[:2]}{stdnum_iban.calc_check_digits(x)}{x[4:]}" for x in numbers]
        return texts([x for x in complete if country not in CHECKED or stdnum_iban.is_valid(x)])

    return draw


def _belgian(account: str) -> str:
    return f"{account[:10]}{int(account[:10]) % 97 or 97:02d}"


def _spanish(account: str) -> str:
    return account[:8] + ccc.calc_check_digits(account) + account[10:]


NATIONAL = {"BE": _belgian, "ES": _spanish}
"""Countries whose accounts contain check digits that python-stdnum checks, and their computation."""
CHECKED = ("BE", "ME", "NO")
"""Countries whose accounts are drawn until python-stdnum accepts them."""
