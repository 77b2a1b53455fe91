"""Plausible codes of clinical and commercial code systems: right syntax and check digits, invented content."""

from collections.abc import Callable

import numpy as np
from stdnum import ean, luhn, verhoeff
from tests.columns import language
from tests.columns.drawing import Draw, LayoutError, Texts, texts
from tests.columns.patterns import Pattern


def maker(kind: str) -> Draw:
    """Return the function that draws codes of a kind. Raises LayoutError if the kind is unknown."""
    if kind.startswith("pattern:"):
        return Pattern.parse(kind.removeprefix("pattern:")).draw
    if kind not in KINDS:
        message = f"unknown kind of codes {kind!r} (known: {', '.join(KINDS)}, pattern:PATTERN)"
        raise LayoutError(message)
    return KINDS[kind]


def _mixture(*patterns: str) -> Draw:
    """Return a function that draws from one of several patterns. A pattern given twice is twice as frequent."""
    parsed = [Pattern.parse(pattern) for pattern in patterns]

    def draw(rng: np.random.Generator, n: int) -> Texts:
        drawn = np.stack([pattern.draw(rng, n) for pattern in parsed])
        return drawn[rng.integers(0, len(parsed), n), np.arange(n)]

    return draw


def _checked(make: Draw, complete: Callable[[str], str]) -> Draw:
    """Return a function that appends the check digit to each code."""
    return lambda rng, n: texts([complete(code) for code in make(rng, n).tolist()])


def icd10(rng: np.random.Generator, n: int) -> Texts:
    """Draw ICD-10-CM codes: E11.9, S72.001A."""
    chapters = texts("ABCDEFGHIJKLMNOPQRSTVWXYZ")[rng.integers(0, 25, n)]
    details = _mixture(".9", ".9", ".9", ".99", ".99", ".999", "", ".999\\A")(rng, n)
    return chapters + Pattern.parse("99").draw(rng, n) + details


def icd10who(rng: np.random.Generator, n: int) -> Texts:
    """Draw ICD-10 codes: E11, E11.9."""
    chapters = texts("ABCDEFGHIJKLMNOPQRSTVWXYZ")[rng.integers(0, 25, n)]
    return chapters + _mixture("99.9", "99.9", "99.9", "99")(rng, n)


def atc(rng: np.random.Generator, n: int) -> Texts:
    """Draw ATC codes of the fifth level: A10BA02."""
    groups = texts("ABCDGHJLMNPRSV")[rng.integers(0, 14, n)]
    subgroups = texts([f"{x:02d}" for x in range(1, 17)])[rng.integers(0, 16, n)]
    letters = texts("ABCDEFGX")
    chemical = letters[rng.integers(0, 8, n)] + letters[rng.integers(0, 8, n)]
    return groups + subgroups + chemical + texts([f"{x:02d}" for x in rng.integers(1, 60, n).tolist()])


def cpt(rng: np.random.Generator, n: int) -> Texts:
    """Draw CPT codes of five digits, office visits among them."""
    return texts([f"{x:05d}" for x in rng.integers(10004, 99608, n).tolist()])


def ops(rng: np.random.Generator, n: int) -> Texts:
    """Draw OPS codes: 5-820.00, 8-930."""
    chapters = texts("135689")[rng.integers(0, 6, n)]
    return chapters + _mixture("-999", "-999.9", "-999.99", "-99a.9", "-999.9a")(rng, n)


def concept(rng: np.random.Generator, n: int) -> Texts:
    """Draw OMOP concept identifiers: integers from 8,000 to 46,000,000."""
    numbers = np.exp(rng.uniform(np.log(30_000), np.log(46_000_000), n)).astype(np.int64)
    return numbers.astype(str).astype(object)


def rxnorm(rng: np.random.Generator, n: int) -> Texts:
    """Draw RxNorm concept identifiers: integers of 3 to 7 digits."""
    return np.exp(rng.uniform(np.log(160), np.log(2_700_000), n)).astype(np.int64).astype(str).astype(object)


def snomed(rng: np.random.Generator, n: int) -> Texts:
    """Draw SNOMED CT concept identifiers: item, partition 00 (or 10 in an extension), Verhoeff check digit."""
    items = _mixture("1999900", "2999900", "7999900", "3999999900", "19999999100011910")(rng, n)
    return texts([code + verhoeff.calc_check_digit(code) for code in items.tolist()])


def loinc(rng: np.random.Generator, n: int) -> Texts:
    """Draw LOINC codes: number, hyphen, check digit of the Luhn algorithm."""
    numbers = _mixture("1999", "2999", "3999", "49999", "79999", "799")(rng, n)
    return texts([f"{code}-{luhn.calc_check_digit(code)}" for code in numbers.tolist()])


def url(rng: np.random.Generator, n: int) -> Texts:
    """Draw addresses of pages."""
    vocabulary = language.words("en", "words")
    first, second = (vocabulary[rng.integers(0, len(vocabulary), n)] for _ in range(2))
    form = _mixture("/#", "/#/99", "/#/@", "/#/@-999", "/#?id=999", "/#/@.html")(rng, n)
    pairs = zip(form.tolist(), first.tolist(), second.tolist(), strict=True)
    return texts([f"https://www.example.org{x.replace('?', b, 1).replace('#', a)}" for x, a, b in pairs])


def _ean_digit(code: str) -> str:
    return code + ean.calc_check_digit(code)


KINDS: dict[str, Draw] = {
    "icd10": icd10,
    "icd10who": icd10who,
    "icd9": _mixture("999.9", "999.99", "999", "\\V99.9", "\\E999.9", "999.9"),
    "atc": atc,
    "ndc": _mixture("09999-9999-99", "59999-0999-99", "69999-9999-09"),
    "loinc": loinc,
    "snomed": snomed,
    "cpt": cpt,
    "hcpcs": _mixture("\\A0999", "\\E0999", "G0999", "J9999", "L9999", "Q9999"),
    "opcs": _mixture("A99.9", "A99.9", "A99"),
    "ops": ops,
    "concept": concept,
    "rxnorm": rxnorm,
    "ean13": _checked(_mixture("409999999999", "501999999999", "761999999999", "000999999999"), _ean_digit),
    "isbn13": _checked(_mixture(r"\978399999999", r"\978099999999", r"\97\9109999999"), _ean_digit),
    "url": url,
}
