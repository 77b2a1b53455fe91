"""Pairs of words for chosen and not chosen answers, by language and by the programs that export them."""

import re
from collections.abc import Collection, Sequence

FILLED = "filled"
"""Value of `present` for columns in which each cell that is not empty marks the item as present."""
ABOVE_0 = "above-0"
"""Value of `present` for columns of counts. A count above 0 marks the item as present."""

_WORDS = """
REDCap: Checked/Unchecked
Qualtrics: Selected/Not Selected | Selected/Unselected
LimeSurvey: Quoted/Not quoted | Ticked/Not ticked | Ticked/Unticked | Chosen/Not chosen | Marked/Not marked
English: Yes/No | Y/N | True/False | T/F | Mentioned/Not mentioned
German: Ja/Nein | J/N | Wahr/Falsch | Ausgewählt/Nicht ausgewählt | Gewählt/Nicht gewählt | Genannt/Nicht genannt
German: Angekreuzt/Nicht angekreuzt | Quoted/Not quoted
French: Oui/Non | O/N | Vrai/Faux | Coché/Non coché | Cochée/Non cochée | Coché/Décoché | Sélectionné/Non sélectionné
Spanish: Sí/No | Si/No | S/N | Verdadero/Falso | Marcado/No marcado | Seleccionado/No seleccionado
Portuguese: Sim/Não | Sim/Nao | Verdadeiro/Falso | Marcado/Não marcado | Selecionado/Não selecionado
Portuguese: Marcado/Desmarcado
Italian: Sì/No | Vero/Falso | Selezionato/Non selezionato
Catalan: Marcat/No marcat
Dutch: Ja/Nee | Waar/Onwaar | Aangevinkt/Niet aangevinkt | Geselecteerd/Niet geselecteerd
Danish, Swedish, Norwegian: Ja/Nej | Ja/Nei | Sant/Falskt | Sandt/Falsk | Valgt/Ikke valgt | Markerad/Ej markerad
Finnish: Kyllä/Ei | Valittu/Ei valittu
Estonian, Latvian, Lithuanian: Jah/Ei | Jā/Nē | Taip/Ne
Polish: Tak/Nie | Prawda/Fałsz | Zaznaczone/Niezaznaczone
Czech, Slovak: Ano/Ne | Áno/Nie | Zaškrtnuto/Nezaškrtnuto
Croatian, Serbian, Slovene: Da/Ne | Да/Не
Hungarian: Igen/Nem
Romanian: Da/Nu
Turkish: Evet/Hayır | Seçili/Seçili değil
Greek: Ναι/Όχι | Ναι/Οχι
Russian, Ukrainian, Bulgarian: Да/Нет | Так/Ні | Да/Не | Выбрано/Не выбрано
Hebrew, Arabic, Persian: כן/לא | نعم/لا | بله/خیر
Chinese, Japanese, Korean: 是/否 | 有/无 | 有/無 | はい/いいえ | あり/なし | 예/아니오 | 예/아니요
Vietnamese, Indonesian: Có/Không | Ya/Tidak
"""
"""For each language or program: the word for a chosen answer, and the word for an answer that is not chosen."""


def _listed(text: str) -> frozenset[tuple[str, str]]:
    pairs = (pair for line in text.strip().splitlines() for pair in line.partition(": ")[2].split(" | "))
    return frozenset((chosen.casefold(), other.casefold()) for chosen, _, other in (p.partition("/") for p in pairs))


PAIRS = _listed(_WORDS)
"""Pairs of words without case: chosen, not chosen."""


def words_for_marks(labels: Sequence[str]) -> tuple[str, str] | None:
    """Return the word for a chosen answer and the word for another answer, as written in a column. A word is empty if
    it does not occur. Return None if the labels are not one pair of words.

    >>> words_for_marks(["Unchecked", "Checked"]), words_for_marks(["NON"]), words_for_marks(["1", "2"])
    (('Checked', 'Unchecked'), ('', 'NON'), None)
    """
    written = {label.casefold(): label for label in labels}
    if not 0 < len(written) <= 2:
        return None
    fitting = [pair for pair in PAIRS if written.keys() <= {*pair}]
    found = {(written.get(chosen, ""), written.get(other, "")) for chosen, other in fitting}
    return found.pop() if len(found) == 1 else None


def are_counts(labels: Collection[str]) -> bool:
    """Return True if all values are numbers that are not negative.

    >>> are_counts(["0", "2", "1.5"]), are_counts(["0", "-2"]), are_counts(["", "1"])
    (True, False, False)
    """
    return all(map(_COUNT, labels))


_COUNT = re.compile(r"\d+([.]\d+)?").fullmatch
ABSENT = frozenset({"0", "0.0", "false", "False", "FALSE"})
PRESENT = frozenset({"1", "1.0", "true", "True", "TRUE"})
"""Values that mark an item as present in a 0/1 column."""
_ANSWERS = ({"yes", "no"}, {"y", "n"}, {"t", "f"}, {"ja", "nein"}, {"j", "n"}, {"x"})
_ABSENT_WORDS = ("no", "n", "f", "nein")


def says_present(labels: Collection[str]) -> dict[str, bool | None]:
    """Return the meaning of each value. True marks an item as present, False marks it as absent, and None is another
    value.

    >>> says_present(["1", "0"]), says_present(["yes", "NO"]), says_present(["x", "y"])
    ({'1': True, '0': False}, {'yes': True, 'NO': False}, {'x': None, 'y': None})
    """
    words = {label.casefold() for label in labels} - {""}
    if any(words <= pair for pair in _ANSWERS):
        return {label: None if not label else label.casefold() not in _ABSENT_WORDS for label in labels}
    return {label: True if label in PRESENT else False if label in ABSENT else None for label in labels}
