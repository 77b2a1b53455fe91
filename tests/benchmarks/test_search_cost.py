"""The comparison of search costs in two checkouts."""

from pathlib import Path

import pytest
from benchmarks.search_cost import Line, compared, main, summary

ROOT = Path(__file__).parents[2]


class Answers:
    """Simulates a checkout with fixed answers."""

    def __init__(self, *answers) -> None:
        self.answers = iter(answers)

    def ask(self, _question):
        cpu, digest = next(self.answers)
        return {"cpu": cpu, "found": digest, "fixes": 3}


def test_the_least_of_the_counted_runs_is_compared():
    before, after = Answers((9, "x"), (2, "x"), (1, "x")), Answers((0, "x"), (3, "x"), (4, "x"))
    assert list(compared([before, after], ["a"], [5], [2], 2, 100)) == [Line("a", 5, 2, 1, 3, 3, True)]


def test_slow_searches_are_not_repeated():
    before, after = Answers((9, "x"), (9, "x")), Answers((9, "x"), (9, "y"))
    assert list(compared([before, after], ["a"], [5], [2], 9, 10)) == [Line("a", 5, 2, 9, 9, 3, False)]


@pytest.mark.parametrize(
    ("before", "after", "same", "verdict"),
    [(1, 1.04, True, ""), (1, 1.06, True, "slower"), (0.001, 0.002, True, ""), (1, 0.5, False, "differs")],
)
def test_the_result_line_states_the_verdict(before, after, same, verdict):
    assert str(Line("a", 5, 2, before, after, 3, same)).endswith(f"| 3 | {verdict} |")


def test_the_ratios_of_each_set_are_summed_up():
    lines = [Line("a", k, m, 1, k / 4, 3, m == 2) for k, m in [(2, 2), (5, 2), (3, 3)]] + [
        Line("b", 2, 2, 2, 1, 3, True)
    ]
    assert list(summary(lines)) == [
        "| data | m=2 | m=3 |",
        "|---|---|---|",
        "| a | 0.50 to 1.25 | 0.75 to 0.75 |",
        "| b | 0.50 to 0.50 |  |",
        "\n4 searches: 1 take over 5% longer, 1 find a different cut or trace.",
    ]


@pytest.mark.compiled
@pytest.mark.studies
def test_a_checkout_agrees_with_itself(capfd):
    code = main([str(ROOT), "--sets", "pos_like:300", "--k", "2", "--m", "2", "--runs", "1"])
    line, *table = capfd.readouterr().out.splitlines()[2:]
    assert line.startswith("| pos_like:300 | 2 | 2 |")
    assert "differs" not in line
    assert table[3].startswith("| pos_like:300 | ")
    assert code == int("slower" in line)
