"""The recipes of `docs/pipelines.md` with Airflow and Spark, which `make recipes` installs below `build`."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.readme.console import ROOT

from anonset.cli.main import main
from anonset.strict_json import loads

AIRFLOW, SPARK = ROOT / "build" / "airflow" / "bin" / "airflow", ROOT / "build" / "spark" / "bin"
PERSONS = [[f"{10 * chapter + n}" for n in (1, 1 + chapter)] for chapter in (1, 2, 3) for _ in range(4)]
JOB = 'model = "km"\nk = 3\nm = 2\nunit = "patient"\nitems = ["codes"]\nhierarchy = {codes = "prefix:1"}\n'
DAY = "2026-03-02"
SESSION = """
import json, subprocess
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.createDataFrame(%r, ["patient", "code"])
%s
print(json.dumps([[*row.codes] for row in published.collect()]))
"""

pytestmark = pytest.mark.studies


def recipe(start: str, folder: Path) -> str:
    """Return the block of the page that begins with a text, with paths below a folder."""
    page = (ROOT / "docs" / "pipelines.md").read_text()
    [block] = [block for block in re.findall(r"```py\n(.*?)```", page, re.DOTALL) if block.startswith(start)]
    for name in ("/warehouse", "/jobs", "/private", "/safe"):
        block = block.replace(f"{name}/", f"{folder}{name}/")
    return block.replace('"nightly.toml"', f'"{folder}/jobs/nightly.toml"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the job file of the recipes."""
    for name in ("warehouse/visits", "jobs", "private/visits", "safe/visits"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "jobs" / "nightly.toml").write_text(JOB)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    """Return an environment whose `PATH` contains this anonset."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **more}


@pytest.mark.skipif(not AIRFLOW.exists(), reason="make recipes installs Airflow")
@pytest.mark.parametrize("data", ["there", "missing"])
def test_airflow_runs_the_tasks_and_fails_with_the_command(folder: Path, data: str) -> None:
    if data == "there":
        (day := folder / "warehouse" / "visits" / DAY).mkdir()
        table = pa.table({"patient": [f"P{n}" for n in range(len(PERSONS))], "codes": PERSONS})
        parquet.write_table(table, day / "part-0.parquet")
    (folder / "dags").mkdir()
    (folder / "dags" / "visits.py").write_text(recipe("from airflow.", folder).replace("retries=1", "retries=0"))
    settings = {"AIRFLOW__CORE__DAGS_FOLDER": str(folder / "dags"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    env = environment(AIRFLOW_HOME=str(folder / "home"), **settings)

    def airflow(*arguments: str) -> int:
        ran = subprocess.run([AIRFLOW, *arguments], env=env, capture_output=True, text=True, check=False)
        (folder / "log").write_text(ran.stdout + ran.stderr)
        return ran.returncode

    assert (airflow("db", "migrate"), airflow("dags", "reserialize")) == (0, 0)
    succeeded = airflow("dags", "test", "visits", DAY) == 0
    assert succeeded == (data == "there"), (folder / "log").read_text()
    published = folder / "safe" / "visits" / DAY
    assert published.exists() == succeeded
    if succeeded:
        assert main(["verify", str(published), "--quiet"]) == 0


@pytest.mark.skipif(not (SPARK / "python").exists(), reason="make recipes installs Spark")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark_writes_the_data_and_reads_the_publication(folder: Path) -> None:
    rows = [(f"P{n}", code) for n, codes in enumerate(PERSONS) for code in codes]
    block = recipe("rows.groupBy(", folder)
    shutil.rmtree(folder / "warehouse" / "visits")
    shutil.rmtree(folder / "safe" / "visits")
    program = [SPARK / "python", "-c", SESSION % (rows, block)]
    ran = subprocess.run(program, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    published = loads(ran.stdout.splitlines()[-1])
    assert len(published) == len(PERSONS)
    supports = Counter(codes for row in published for n in (1, 2) for codes in combinations(sorted(row), n))
    assert min(supports.values()) >= 3
    assert main(["verify", str(folder / "safe" / "visits"), "--quiet"]) == 0
