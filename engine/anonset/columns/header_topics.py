"""Detect the topic of a column by its header: sensitive attributes, remarks, quantities, products and school subjects.

The words are in `anonset.columns.words`.
"""

from functools import cache

from anonset.columns.headers import words_of
from anonset.columns.words import words_about


def is_quantity(header: str) -> bool:
    """Return True if a header names an amount, a price, a duration or a count. The values are then no codes.

    >>> is_quantity("unit_price"), is_quantity("Menge"), is_quantity("product")
    (True, True, False)
    >>> is_quantity("Количество"), is_quantity("金額"), is_quantity("商品名")
    (True, True, False)
    """
    return not words_about("quantities").isdisjoint(words_of(header))


def names_a_product(header: str) -> bool:
    """Return True if a header names a bought, prescribed or diagnosed thing.

    >>> names_a_product("Artikel"), names_a_product("ward")
    (True, False)
    """
    return not words_about("products").isdisjoint(words_of(header))


def names_codes(header: str) -> bool:
    """Return True if a header names goods, drugs, diagnoses or codes, of which a cell contains one.

    >>> [names_codes(one) for one in ("dx1", "Diagnose_2", "prod_code", "item12", "med1", "ward", "Klasse")]
    [True, True, True, True, True, False, False]
    """
    return not (words_about("families") | words_about("products")).isdisjoint(words_of(header))


def is_copy(header: str) -> bool:
    """Return True if a header names the source text or the type of a code that another column contains.

    >>> is_copy("drug_source_value"), is_copy("drug_type_concept_id"), is_copy("drug_concept_id")
    (True, True, False)
    """
    return not words_about("copies").isdisjoint(words_of(header))


def names_items(header: str) -> bool:
    """Return True if a header names things of which a person may have several, and nothing sensitive.

    >>> [names_items(one) for one in ("Artikel", "Kenntnisse", "diagnosis_codes", "Grund", "Sede", "usr", "HIV status")]
    [True, True, True, False, False, False, False]
    """
    words = words_of(header)
    return not (words_about("families") | words_about("sets")).isdisjoint(words) and (
        not is_sensitive(header) or not words_about("families").isdisjoint(words)
    )


def begins_like_items(header: str) -> bool:
    """Return True if the first word of a header names goods, drugs, diagnoses or codes, as in ``dx_a`` or ``item12``.

    >>> [begins_like_items(one) for one in ("dx_a", "item12", "Produkt Milch", "has_hiv", "test_hiv")]
    [True, True, True, False, False]
    """
    return not words_about("families").isdisjoint(words_of(header)[:1])


def is_remark(header: str) -> bool:
    """Return True if a header names remarks, which may mention anybody.

    >>> [is_remark(one) for one in ("Bemerkung", "doctor_comments", "product", "備考", "ملاحظات")]
    [True, True, False, True, True]
    """
    return not words_about("remarks").isdisjoint(words_of(header))


def names_a_subject(header: str) -> bool:
    """Return True if a header is the name of a school subject.

    >>> names_a_subject("Mathe"), names_a_subject("math_2"), names_a_subject("class")
    (True, True, False)
    """
    words = words_of(header)
    return bool(words) and words_about("subjects").issuperset(words)


def is_sensitive(header: str) -> bool:
    """Return True if a header names a sensitive attribute of a person.

    >>> [is_sensitive(one) for one in ("HIV-Status", "Jahreseinkommen", "Schulnote", "religión", "readmitted_30d")]
    [True, True, True, True, True]
    >>> [is_sensitive(one) for one in ("asylum_status", "special_needs", "Förderbedarf", "TB screening")]
    [True, True, True, True]
    >>> [is_sensitive(one) for one in ("age", "num_diagnoses", "date_of_death", "Klasse")]
    [False, False, False, False]
    >>> [is_sensitive(one) for one in ("Диагноз", "الراتب", "ציון מתמטיקה", "मासिक आय", "検査結果", "月收入", "진단명")]
    [True, True, True, True, True, True, True]
    """
    words = words_of(header)
    if words_about("counts").intersection(words):
        return False
    if "needs" in words or {"special", "need"} <= set(words):
        return True
    return any(
        word in words_about("sensitive")
        or word.endswith(_ends())
        or any(stem in word for stem in words_about("sensitive_stems"))
        for word in words
    )


@cache
def _ends() -> tuple[str, ...]:
    return tuple(words_about("sensitive_ends"))
