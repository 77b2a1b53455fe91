"""Result files: a new measurement replaces only the entries of the measured case."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks.experiments import store
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples

pytestmark = pytest.mark.compiled

HERE = {"cpu": "a", "cores": 2, "commit": "c1"}
TIMES = {"seconds": 0.1, "seconds_of_runs": [0.1, 0.2], "microseconds_per_record": 3.0, "peak_mib": 200.5}


def result(x=1, *, series="AA", repetition="", machine=HERE, **values):
    when = {"measured_at": "2026-01-01T00:00:00+00:00", "seconds_of_case": 1.5, "load_before": 0.25, "sources": "d1"}
    options = {"figure": "fig1", "series": series, "x": x, "repetition": repetition, "parameters": {"m": 2, "k": 5}}
    return (
        options
        | when
        | {"machine": machine, "modules": ["anonset.data", "anonset.errors"]}
        | (values or {"measured": {"ncp": 0.1, **TIMES}})
    )


def lines(folder, name):
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_results_and_costs_are_stored_separately(tmp_path):
    store.write(tmp_path, [result()])
    assert lines(tmp_path, "cases.jsonl") == [
        {
            "figure": "fig1",
            "series": "AA",
            "x": 1,
            "repetition": "",
            "parameters": {"k": 5, "m": 2},
            "found": {"ncp": 0.1},
        }
    ]
    (cost,) = lines(tmp_path, "costs.jsonl")
    assert cost["took"] == TIMES
    assert json.loads((tmp_path / "environment.json").read_text()) == {
        "environments": {cost["environment"]: HERE},
        "modules": ["anonset.data", "anonset.errors"],
        "lists": {cost["modules"]: "0 1"},
    }


def test_cpu_time_is_stored_if_it_was_measured(tmp_path):
    store.write(tmp_path, [result(1), result(2) | {"cpu_seconds_of_case": 0.75}])
    loaded = store.load(tmp_path)
    assert [loaded["fig1", "AA", x, ""].get("cpu_seconds_of_case") for x in (1, 2)] == [None, 0.75]


def test_measuring_a_case_again_changes_one_line_of_costs(tmp_path):
    wanted = {("fig1", "AA", x, "") for x in range(20)}
    store.write(tmp_path, [result(x) for x in range(20)])
    before = {name: (tmp_path / name).read_text() for name in store.FILES}
    store.save(tmp_path, [result(7, measured={"ncp": 0.1, **TIMES, "seconds": 0.3})], wanted)
    after = {name: (tmp_path / name).read_text() for name in store.FILES}
    assert [name for name in store.FILES if before[name] != after[name]] == ["costs.jsonl"]
    changed = zip(before["costs.jsonl"].splitlines(), after["costs.jsonl"].splitlines(), strict=True)
    assert sum(a != b for a, b in changed) == 1


def test_each_environment_is_stored_once_until_its_last_result_is_replaced(tmp_path):
    there = HERE | {"commit": "c2"}
    wanted = {("fig1", "AA", x, "") for x in range(3)}
    for x in range(3):
        store.save(tmp_path, [result(x)], wanted)
    store.save(tmp_path, [result(1, machine=there)], wanted)
    environments = json.loads((tmp_path / "environment.json").read_text())["environments"]
    assert sorted(environment["commit"] for environment in environments.values()) == ["c1", "c2"]
    assert [store.load(tmp_path)["fig1", "AA", x, ""]["machine"]["commit"] for x in range(3)] == ["c1", "c2", "c1"]
    store.save(tmp_path, [result(1)], wanted)
    assert list(json.loads((tmp_path / "environment.json").read_text())["environments"].values()) == [HERE]


def test_cases_that_the_paper_no_longer_has_are_dropped(tmp_path):
    store.write(tmp_path, [result(1), result(2)])
    store.save(tmp_path, [result(3)], {("fig1", "AA", 1, ""), ("fig1", "AA", 3, "")})
    assert [key[2] for key in store.load(tmp_path)] == [1, 3]


def test_a_failed_measurement_is_stored(tmp_path):
    failed = result(error="did not finish\u2028within 2 s")
    store.write(tmp_path, [failed])
    assert store.load(tmp_path) == {("fig1", "AA", 1, ""): failed}


def test_a_missing_folder_has_no_results(tmp_path):
    assert store.load(tmp_path / "none") == {}


def test_simultaneously_written_results_are_all_kept(tmp_path):
    wanted = {("fig1", "AA", x, "") for x in range(40)}
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda x: store.save(tmp_path, [result(x)], wanted), range(40)))
    assert store.load(tmp_path).keys() == wanted


_NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
_VALUES = _NUMBERS | st.text() | st.booleans() | st.lists(_NUMBERS, max_size=3)
_NAMES = st.text(min_size=1) | st.sampled_from(["seconds", "peak_mib", "ncp", "microseconds_per_record"])


@pytest.mark.studies
@settings(max_examples=examples(40))
@given(st.lists(st.dictionaries(_NAMES, _VALUES, max_size=4), max_size=6), st.randoms())
def test_every_value_is_restored_in_any_order_of_writing(tmp_path_factory, measured, random):
    folder = tmp_path_factory.mktemp("results")
    results = [result(x if x % 2 else f"x{x}", measured=entry) for x, entry in enumerate(measured)]
    store.write(folder, results)
    before = {name: (folder / name).read_bytes() for name in store.FILES}
    actual = store.load(folder)
    assert actual == {("fig1", "AA", result["x"], ""): result for result in results}
    back = [actual["fig1", "AA", result["x"], ""]["measured"] for result in results]
    assert [repr(sorted(entry.items())) for entry in back] == [repr(sorted(entry.items())) for entry in measured], (
        "types too"
    )
    random.shuffle(results)
    store.write(folder, results)
    assert {name: (folder / name).read_bytes() for name in store.FILES} == before


@pytest.mark.parametrize("xs", [[1, 2, 10, 0.5, "a", "10"]])
def test_lines_are_ordered_by_series_and_number(tmp_path, xs):
    store.write(tmp_path, [result(x, series=s) for x in reversed(xs) for s in ("B", "A")])
    assert [(line["series"], line["x"]) for line in lines(tmp_path, "cases.jsonl")] == [
        (s, x) for s in ("A", "B") for x in (0.5, 1, 2, 10, "10", "a")
    ]


def test_levels_are_ordered_by_number(tmp_path):
    levels = ["random 10", "random 2", "numeric", "", "first seen"]
    store.write(tmp_path, [result(repetition=level) for level in levels])
    actual = [line["repetition"] for line in lines(tmp_path, "cases.jsonl")]
    assert actual == ["", "first seen", "numeric", "random 2", "random 10"]
