"""Recognize text that looks like a person's name, identifier or date of birth. Messages hide such text."""

import re

_NAME = re.compile(r"(?<![^\W\d_])[^\W\d_a-zß-öø-ÿ]['’]?[^\W\d_]*[a-zß-öø-ÿ]")
"""Capitalized word, as in names."""
_SIGN = r"[\u3005\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
_EAST_ASIAN = re.compile(rf"(?:^|\W){_SIGN}{{1,4}}[ \u3000]{_SIGN}{{1,5}}(?:\W|$)")
"""Surname and first name in Chinese, Japanese or Korean."""
_CAPITALS = re.compile(r"(?<!\w)[^\W\d_a-zß-öø-ÿ]{4,}(?!\w)")
_KEY = re.compile(
    r"(?<!\w)((?=\w*\d)(?=\w*[a-f])[\da-f]{8,}|(?=\w*\d)(?=\w*[A-F])[\dA-F]{8,}|[\da-fA-F]{8}(-[\da-fA-F]{4}){4}[\da-fA-F]{8})"
    r"(?!\w)"
)
"""Opaque key: a hexadecimal number of at least eight digits, such as a hash, or a UUID."""
_ID = re.compile(
    r"\d([ ./-]?\d){5,}|(?<![^@\s])[^@\s]+@[^@\s]+\.[^@\s]"
    r"|(?<!\d)\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d)|\d{4}[./-]\d{1,2}[./-]\d"
)
"""Text that contains six digits, an e-mail address, or a full date."""


def is_like_id(text: str) -> bool:
    """Return True if a text contains six digits, an opaque key, an e-mail address or a full date."""
    return _ID.search(text) is not None or _KEY.search(text) is not None


def is_opaque_key(text: str) -> bool:
    """Return True if a text is a hexadecimal number, such as a hash, or a UUID.

    >>> [is_opaque_key(text) for text in ("e1470fb7dbee", "6fa459ea-ee8a-3ca4-894e-db77e160355e", "12345678", "E119")]
    [True, True, False, False]
    """
    return _KEY.fullmatch(text) is not None


def hidden(text: str) -> str:
    """Return a placeholder for a text that may identify a person, or an empty text if messages may show it.

    >>> hidden("Ann Lee"), hidden("MEIER")
    ('[hidden: like a name]', '[hidden: like a name]')
    >>> hidden("中村　大輔")
    '[hidden: like a name]'
    >>> hidden("ann@b.org"), hidden("A 10023-45"), hidden("24.12.1950")
    ('[hidden: like an id]', '[hidden: like an id]', '[hidden: like an id]')
    >>> [hidden(code) for code in ("E10.15", "type 2 diabetes", "A10BA02", "ZZ", "N1_0", "250.13")]
    ['', '', '', '', '', '']
    """
    if is_like_id(text):
        return "[hidden: like an id]"
    is_name = _NAME.search(text) or _CAPITALS.search(text) or _EAST_ASIAN.search(text)
    return "[hidden: like a name]" if is_name else ""
