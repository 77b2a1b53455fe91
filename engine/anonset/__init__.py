"""anonset: anonymize transaction, relational and relational-transaction data.

>>> import anonset
>>> table = anonset.Table.from_sets([{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}])
>>> release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
>>> print(release.verdict)
km-anonymity with k=2, m=2 holds
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that importing anonset costs nothing (PEP 562).

    The names stand in ``__init__.pyi`` alone, where type checkers find them too.
    """
    if name.startswith("__") and name != "__all__":  # what others ask of any module
        msg = f"module 'anonset' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    homes = _homes()
    if name == "__all__":
        return sorted(homes)
    if name not in homes:
        msg = f"module 'anonset' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(homes[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes()})


def _homes() -> dict[str, str]:
    """Return the module of each public name."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (line for line in stub.body if isinstance(line, ast.ImportFrom))
    return {name.name: str(line.module) for line in imports for name in line.names}
