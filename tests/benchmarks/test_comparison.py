"""Losses and guarantees of the files that other tools publish, and the tables of the page."""

import csv
import gzip
import json

import pytest
from benchmarks.comparison import __main__ as comparison
from benchmarks.comparison import inputs, measures, tools
from benchmarks.relational import COLUMNS

TREE = inputs.Tree([("a", "1_x", "2_*"), ("b", "1_x", "2_*"), ("c", "1_y", "2_*"), ("d", "1_y", "2_*")])


def test_a_label_costs_its_share_of_the_leaves_and_a_suppressed_value_costs_one():
    assert [measures.cost(TREE, label) for label in ("a", "1_x", "2_*", "", "NA")] == [0, 0.5, 1, 1, 1]


def test_a_suppressed_record_costs_one():
    rows = [["a", "1_x"], ["a", "1_x"]]
    assert measures.table_loss(rows, {"one": TREE, "two": TREE}, 2) == 0.25
    assert measures.table_loss(rows, {"one": TREE, "two": TREE}, 4) == 0.625
    assert measures.smallest_class([*rows, ["b", "1_x"]]) == 1


def test_a_record_costs_the_size_of_its_class_and_all_records_if_it_is_suppressed():
    trees = {"one": TREE, "two": TREE}
    rows = [["a", "1_x"]] * 2 + [["b", "c"]] * 3 + [["2_*", "NA"]]
    assert measures.discernibility(rows, trees, 8) == (2 * 2 + 3 * 3 + 3 * 8) / 8
    assert measures.discernibility([["2_*", "c"]] * 4, trees, 4) == 4


def test_algorithms_run_with_and_without_refinement(tmp_path):
    ways = list(tools.of_tables({tools.ANONSET: ["anonset"]}, tmp_path, ["age"]))
    assert [way.algorithm for way in ways] == [
        "`local-recoding`", "`local-recoding` `--refine`", "`mondrian`", "`mondrian` `--refine`", "`full-domain`"
    ]  # fmt: skip
    assert len({way.output for way in ways}) == len(ways)
    ways = [
        way for way in tools.of_tables({"arx": ["java"], tools.ANONSET: []}, tmp_path, ["age"]) if way.tool == "arx"
    ]
    assert [way.command[1] for way in ways if "local" in way.algorithm] == ["local", "local-fine", "local-precision"]


def test_the_best_full_domain_solution_is_applied():
    rows, lines = [["a", "a"], ["b", "c"]], [["2", "0"], ["1", "0"], ["1", "2"]]
    assert measures.best_levels(lines, rows, {"one": TREE, "two": TREE}) == [["1_x", "a"], ["1_x", "c"]]


def test_items_cost_by_their_published_ancestor():
    records, published = [["a", "c"], ["a", "d"], ["b"]], [["1_x", "c"], ["1_x"], ["1_x"]]
    assert measures.set_loss(published, records, TREE) == (3 * 0.5 + 0 + 1) / 5, "d is suppressed"
    assert measures.least_support(published, 1) == measures.least_support(published, 2) == 1
    assert measures.least_support([["a", "c"], ["a", "d"], ["c", "a"], ["d", "a"]], 2) == 2
    assert measures.least_support([["a", "c"], ["a"], ["c"]], 1) == 2
    assert measures.least_support([["a", "c"], ["a"], ["c"]], 2) == 1


def test_hierarchies_have_equal_depth_and_distinct_labels(tmp_path):
    (tmp_path / "transactions").mkdir()
    text = "".join(f"{item} {item + 1}\n" for item in range(0, 30, 2))
    (tmp_path / "transactions" / "made.dat.gz").write_bytes(gzip.compress(text.encode()))
    records, tree = inputs.baskets(tmp_path, "made", tmp_path / "out")
    assert len(records) == 15
    assert {len(path) for path in tree.paths} == {4}
    assert tree.paths[29] == ("29", "1_5", "2_1", "3_0")
    assert len(tree.leaves_below["1_0"]) == 5
    amnesia = (tmp_path / "out" / "sets.txt").read_text()
    assert amnesia.startswith("distinct\nname sets\ntype string\nheight 4\n\n1_0 has 0 1 2 3 4\n")
    assert amnesia.endswith("\n\n3_0 has 2_0 2_1\n\n")


def test_leaves_that_do_not_occur_are_left_out_of_the_hierarchies(tmp_path):
    for name in ("relational", "hierarchies/adult_arx"):
        (tmp_path / name).mkdir(parents=True)
    with gzip.open(tmp_path / "relational" / "adult.csv.gz", "wt", newline="") as file:
        csv.writer(file).writerows([COLUMNS, ["1"] * 8, ["2"] * 8, ["?"] * 8])
    for name in COLUMNS:
        path = tmp_path / "hierarchies" / "adult_arx" / f"adult_hierarchy_{name}.csv.gz"
        path.write_bytes(gzip.compress(b"1;up to 2;*\n2;up to 2;*\n3;above;*\n"))
    rows, trees = inputs.adult(tmp_path, tmp_path / "out", ("age", "marital-status"))
    assert rows == [["1", "1"], ["2", "2"]]
    assert trees["marital_status"].paths == [("1", "1_up_to_2", "2_*"), ("2", "1_up_to_2", "2_*")]
    assert (tmp_path / "out" / "table.csv").read_text() == "age,marital_status\n1,1\n2,2\n"


def test_failed_runs_are_listed_last_with_their_reason():
    done = {"loss": 0.25, "k": 10, "seconds": 1.25, "peak_mib": 99.6, "on": "2026-11-24"}
    failed = {"tool": "amnesia", "algorithm": "Flash", "error": "time limit", "on": "2026-11-24"}
    of = {"2026-11-24": {"commit": "c1", "load": 2.0, "cores": 2, "rounds": 3}}
    text = comparison.table([failed, {"tool": "arx", "algorithm": "local recoding"} | done], of)
    assert text.splitlines()[2:] == [
        "| ARX | local recoding | 0.2500 | 10 |  | 1.2 | 100 | 2026-11-24 | c1 | 2.0 | 3 |",
        "| Amnesia | Flash | time limit |  |  |  |  | 2026-11-24 | c1 | 2.0 | 1 |",
    ]
    text = comparison.table([failed, {"tool": "arx", "algorithm": "x", "discernibility": 1234.5} | done], of)
    assert [line.count(" | ") for line in text.splitlines()[2:]] == [11, 11]
    assert "| 0.2500 | 1,234.5 | 10 |" in text
    of["2026-11-24"]["load"] = 2.1
    text = comparison.table([{"tool": "arx", "algorithm": "x", "cpu_seconds": 2} | done], of)
    assert "| ARX | x | 0.2500 | 10 | 2.0 |  | 100 | 2026-11-24 |" in text, "other programs used all cores"


def test_the_page_says_which_rows_may_be_compared():
    made = {"versions": {}, "cpu": "x", "cores": 2, "memory_gib": 1, "load": 0.0}
    measured = {"limit": 180, "measurements": {"2026-11-24": made | {"rounds": 3}}}
    assert comparison.provenance(measured).endswith("may be compared by all columns.")
    measured["measurements"]["2026-11-29"] = made | {"rounds": 1}
    last = comparison.provenance(measured).splitlines()[-1]
    assert "Rows of different dates may be compared by loss" in last
    assert "The times of 2026-11-29 are of fewer than 3 runs" in last


def test_results_of_tools_that_are_not_installed_keep_their_measurement(tmp_path, monkeypatch):
    def stored(tool, on, loss):
        return {"tool": tool, "algorithm": "x", "loss": loss, "k": 10, "seconds": 1, "peak_mib": 1, "on": on}

    cases = {
        key: [stored("arx", "2020-01-01", 0.2), stored("anonset", "2020-01-01", 0.3)] for key in ("adult4", "groceries")
    }
    old = {"limit": 180, "measurements": {"2020-01-01": {"versions": {}}}, "cases": cases, "checks": []}
    (tmp_path / "stored.json").write_text(json.dumps(old))
    (tmp_path / "tools.json").write_text("{}")
    monkeypatch.setattr(comparison, "STORED", tmp_path / "stored.json")
    measured = {"tool": "anonset", "algorithm": "x", "loss": 0.1, "k": 10}
    monkeypatch.setattr(comparison, "_tables", lambda *_: [("adult4", [measured])])
    monkeypatch.setattr(comparison, "_sets", lambda *_: [("groceries", [measured])])
    monkeypatch.setattr(comparison, "_checks", lambda *_: [])
    comparison.run(tmp_path, tmp_path)
    found = json.loads((tmp_path / "stored.json").read_text())
    new, kept = found["cases"]["adult4"]
    assert (kept, new["loss"]) == (cases["adult4"][0], 0.1)
    assert found["measurements"].keys() == {"2020-01-01", new["on"]}
    assert "commit" in found["measurements"][new["on"]]["versions"]["anonset"]


@pytest.mark.parametrize("key", ["adult4", "adult", "groceries", "bms_webview1"])
def test_the_page_shows_the_stored_results(key):
    results = json.loads(comparison.STORED.read_text(encoding="utf-8"))
    assert comparison.table(results["cases"][key], results["measurements"]) in comparison.PAGE.read_text(
        encoding="utf-8"
    )
    assert comparison.provenance(results) in comparison.PAGE.read_text(encoding="utf-8")
