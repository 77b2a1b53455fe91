"""Rejected runs that are followed literally: the options that a message names are added to the command."""

import pytest
from tests.facts import names

from cli.place import Place

PARTS = [["T1"], ["T2"], ["T3"], ["T1", "T2"], ["T2", "T3"], ["T1", "T3"], ["T1", "T2", "T3"]]
ROWS = [
    f"p{who},{who % 2},{'ABC'[visit % 3]},{'pos' if visit % 5 else 'neg'},{'+'.join(PARTS[(who + visit) % 7])}\n"
    for who in range(60)
    for visit in range(who % 2 + 1)
]
KKM, SPLIT = ("--model", "kkm", "--m", "2"), ("--separator", "+")
ALONE = ("--model", "km", "--hierarchy", "parts=halves:frequency")


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        (("--items", "parts", "--relational", "sex,ward", "--drop", "test", *KKM), (SPLIT, ("--drop", "ward"))),
        (("--items", "parts", "--relational", "ward", "--drop", "sex,test", *KKM), (SPLIT, ("--drop", "ward"), ALONE)),
        (("--relational", "sex,ward", "--drop", "test,parts", "--model", "k"), (("--drop", "ward"),)),
        (("--relational", "sex", "--sensitive", "test", "--drop", "ward,parts", "--model", "k"), (("--drop", "test"),)),
    ],
)
def test_messages_are_followed_to_a_publication(
    place: Place, given: tuple[str, ...], steps: tuple[tuple[str, ...], ...]
) -> None:
    data = place.write("visits.csv", "who,sex,ward,test,parts\n" + "".join(ROWS))
    command = ["anonymize", data, "-o", str(place.out), "--k", "5", "--id", "who", "--group", *given]
    for step in steps:
        ran = place.run(*command)
        assert (ran.code, ran.err.count("\n"), " ".join(step) in ran.err) == (2, 1, True), ran.err
        if "--model" in step:
            del command[command.index("--model") : command.index("--model") + 2]
        command += step
    ran = place.run(*command)
    assert ran.code == 0, ran.err


def test_persons_without_a_column_are_no_empty_data(place: Place) -> None:
    data = place.write("visits.csv", "who,sex,ward,test,parts\n" + "".join(ROWS))
    ran = place.run(
        "anonymize", data, "-o", str(place.out), "--model", "k", "--k", "5", "--id", "who", "--group", "--drop",
        "sex,ward,test,parts",
    )  # fmt: skip
    assert (ran.code, names(ran.err, "column id dropped")) == (2, True), ran.err
