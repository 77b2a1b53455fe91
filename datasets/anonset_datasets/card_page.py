"""Page of data cards, for each data set of the catalogue and each generator used in experiments."""

from collections.abc import Iterable, Sequence

from anonset_datasets.cards import CARDS, GENERATED, Card, Shape
from anonset_datasets.entries import ENTRIES, Entry
from anonset_datasets.generators import GENERATORS

_INTRODUCTION = """\
# Data cards

What each data set of the catalogue is, whose it is, on what terms it may be used, and what it stands in for in the
experiments; then the generators that experiments take data from. The numbers are not taken on trust: a test reads every
file, or generates the data, and counts. Beside them stands what the papers print.

No data come with the project. `anonset datasets check` tells which are there, and how to get the rest.

**Never for linking attacks**: {never}. Their terms forbid trying to
learn who somebody is; those of the former also linking them to other data about persons."""
_HEAD = ("", "records", "items", "longest", "average")


def page() -> str:
    """Return the page as Markdown.

    >>> page().splitlines()[0]
    '# Data cards'
    """
    never = " and ".join(f"[`{entry.name}`](#{entry.name})" for entry in ENTRIES.values() if not entry.linkable)
    parts = [_INTRODUCTION.format(never=never)]
    for title, kind in (
        ("Sets of items", "transactions"),
        ("With relational columns", "rt"),
        ("Relations", "relational"),
    ):
        parts += [f"## {title}", *(_of_entry(entry) for entry in ENTRIES.values() if entry.kind == kind)]
    parts += ["## Generated", *(_of_generator(name, card) for name, card in GENERATED.items())]
    return "\n\n".join(parts) + "\n"


def _of_entry(entry: Entry) -> str:
    card = CARDS[entry.name]
    own = Shape(n=entry.n, n_items=entry.n_items, max_length=entry.max_length, avg_length=entry.avg_length)
    columns = ", ".join(f"`{name}`" for name in entry.relational)
    facts = (
        ("Origin", entry.source),
        ("Offered by", card.offered),
        ("Terms", entry.terms + ("; may be passed on" if entry.redistributable else "; not to be passed on")),
        ("To cite", entry.citation),
        ("Made", card.made),
        ("Records", "made up, of no real person" if entry.synthetic else ""),
        ("Quasi-identifiers", columns),
        ("Hierarchy of the items", _hierarchy(entry)),
        ("Stands in for", card.stands_in_for),
        ("Differs", card.differs),
        ("Note", entry.note),
    )
    return _section(entry.name, entry.about, None if entry.optional else own, card, facts)


def _of_generator(name: str, card: Card) -> str:
    facts = (("Made", card.made), ("Stands in for", card.stands_in_for), ("Differs", card.differs))
    return _section(name, GENERATORS[name].about, card.measured, card, facts)


def _hierarchy(entry: Entry) -> str:
    if entry.items is None:
        return ""
    return f"`{entry.default_hierarchy}`; there is no taxonomy" if entry.taxonomy is None else f"`{entry.taxonomy}`"


def _section(name: str, about: str, own: Shape | None, card: Card, facts: Iterable[tuple[str, str]]) -> str:
    shapes = [*([("here", own)] if own else []), *card.printed]
    lines = [f"### {name}", "", f"{about[0].upper()}{about[1:]}.", "", *_table(shapes), ""]
    lines += [f"- **{fact}**: {text[0].upper() if text[0] != '`' else '`'}{text[1:]}" for fact, text in facts if text]
    return "\n".join(lines)


def _table(shapes: Sequence[tuple[str, Shape]]) -> list[str]:
    """Return the characteristics as lines of a Markdown table; only record counts if no data set has items."""
    width = len(_HEAD) if any(shape.n_items for _, shape in shapes) else 2
    lines = [_HEAD[:width], ("---",) * width]
    for name, shape in shapes:
        cells = (name, f"{shape.n:,}", f"{shape.n_items:,}", f"{shape.max_length:,}", str(shape.avg_length))
        lines.append(cells[:width])
    return ["| " + " | ".join(line) + " |" for line in lines]
