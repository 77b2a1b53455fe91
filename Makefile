# On a new machine with CPython 3.11 or newer and make, run `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
PACK = tar -c --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$(shell git log -1 --format=%ct)

# Use the real data if their folder exists next to the project. Without real data, the tests that need them are skipped.
ifneq ($(wildcard ../shared/datasets/SHA256SUMS),)
export ANONSET_DATA ?= $(abspath ../shared/datasets)
endif

# Resolves requirements for all Python versions and platforms.
COMPILE := build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header

# Let Python cache compiled modules. Some container images disable this cache.
export PYTHONDONTWRITEBYTECODE :=

# A worker for each processor, but at most four: each worker imports and collects all tests.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist worksteal

# Folders of tests of packages that users do not run. `make test` leaves them out.
OF_DEVELOPERS := tests/benchmarks tests/datasets

# Folders of tests that call many kernels.
ON_KERNELS := $(addprefix tests/,kernels generalization support queries measures attacks algorithms verification)

.PHONY: help setup constraints recipes demo test check check-all lint warmup types long coverage combinations columns docs wheel compiled sbom release releasable bench reproduce clean

help:  ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

setup: $(READY)  ## Create the virtual environment with all packages

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "anonset needs Python 3.11 or newer; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable . --group dev
	$(BIN)/python -m pip install --quiet --no-deps --constraint constraints.txt pycanon || echo "pycanon is not available: one test is skipped"
	$(BIN)/python -m pip install --quiet --no-deps --constraint constraints.txt efficient-apriori || echo "efficient-apriori is not available: some tests are skipped"
	$(BIN)/python -m pip install --quiet --no-deps --constraint constraints.txt axe-playwright-python || echo "axe-playwright-python is not available: one test is skipped"
	@touch $(READY)

constraints:  ## Update constraints.txt to the newest versions that pyproject.toml allows
	$(PYTHON) -m venv build/uv
	build/uv/bin/python -m pip install --quiet uv
	head -n 1 constraints.txt > build/constraints.txt
	$(COMPILE) --all-extras --group dev pyproject.toml >> build/constraints.txt
	echo "axe-playwright-python pycanon efficient-apriori" | tr ' ' '\n' | $(COMPILE) --no-deps - >> build/constraints.txt
	mv build/constraints.txt constraints.txt

recipes: $(READY)  ## Install Airflow and Spark (needs Java) into build/, and run the examples of docs/pipelines.md
	$(PYTHON) -m venv build/airflow
	build/airflow/bin/python -m pip install --quiet --no-compile apache-airflow-core apache-airflow-providers-standard || echo "Airflow is not available: its example is skipped"
	$(PYTHON) -m venv build/spark
	build/spark/bin/python -m pip install --quiet --no-compile pyspark || echo "Spark is not available: its example is skipped"
	$(PYTEST) tests/readme/test_recipes.py

demo: $(READY)  ## Anonymize a generated data set and verify the result
	$(BIN)/anonset demo

test: $(READY)  ## Run the tests (about five minutes on two cores)
	$(PYTEST) -m "not long and not studies" $(addprefix --ignore=,$(OF_DEVELOPERS))

check: lint warmup types wheel coverage long  ## Run lint, type checks, import checks, the wheel, all tests and coverage, without experiments

check-all: check recipes  ## Run `check`, and also recipes, experiments, the site in a browser, all random examples, and the wheel on other Pythons
	$(PYTEST) -m studies
	$(MAKE) reproduce QUICK=1
	$(BIN)/python -m benchmarks.experiments check
	ANONSET_EXAMPLES=all $(PYTEST) -m "hypothesis and not studies"
	$(MAKE) combinations
	PYTHONPATH=tests:. $(BIN)/python -m tests.combinations --triples 20000
	for python in python3.12 python3.13; do \
		if $$python --version 2> /dev/null; then $(MAKE) wheel PYTHON=$$python || exit 1; \
		else echo "$$python is not available: the wheel is not tested with it"; fi; done

lint: $(READY)  ## Check lint, formatting and imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

warmup: $(READY)  ## Compile all kernels, so that coverage does not measure the compilation
	$(BIN)/anonset warmup --quiet

types: $(READY)  ## Check types
	$(BIN)/mypy

columns: $(READY)  ## Measure how often inspect is wrong on labelled layouts, and what each observation contributes
	PYTHONPATH=tests:. $(BIN)/python -m tests.columns.errors both --rows 2000 --page docs/development/columns.md
	PYTHONPATH=tests:. $(BIN)/python -m tests.columns.ablation

combinations: warmup  ## Run jobs that cover all pairs of options, layouts and ways to run, and judge each by an independent oracle
	PYTHONPATH=tests:. $(BIN)/python -m tests.combinations

docs: $(READY)  ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

wheel: $(READY)  ## Build sdist and wheel, install only the wheel, and run the demo and the tutorials with it
	rm -rf dist build/wheel
	$(BIN)/hatchling build --directory dist
	$(PYTHON) -m venv --without-pip build/wheel
	$(BIN)/python -m pip --python build/wheel/bin/python install --quiet --no-compile --constraint constraints.txt "$$(ls dist/*.whl)[report]"
	cd build && wheel/bin/anonset demo --quiet
	$(BIN)/python tests/readme/console.py --check --bin build/wheel/bin docs/tutorials/*.md

compiled: wheel  ## Build a wheel of the compiled kernels for this Python, and test that a run with it compiles nothing
	rm -rf build/compiled
	$(PYTHON) -m venv --without-pip build/compiled
	$(BIN)/python -m pip --python build/compiled/bin/python install --quiet --no-compile --constraint constraints.txt \
		dist/anonset-$(VERSION)-*.whl hatchling
	cd kernels/compiled && ../../build/compiled/bin/hatchling build --target wheel --directory ../../dist
	rm -r dist/anonset_compiled
	$(BIN)/python -m pip --python build/compiled/bin/python install --quiet --no-deps --no-index dist/anonset_compiled-*.whl
	NUMBA_CACHE_DIR=build/compiled/empty build/compiled/bin/anonset warmup --json | grep '"kernels": 0,'

release: releasable compiled docs sbom  ## Build the files of a release into dist/: sdist, wheel, bill of materials, site, results, checksums
	$(PACK) --transform 's,^site,anonset-$(VERSION)-site,' site | gzip -n > dist/anonset-$(VERSION)-site.tar.gz
	$(PACK) --transform 's,^benchmarks/results,anonset-$(VERSION)-results,;s,^CITATION,anonset-$(VERSION)-results/CITATION,' \
		benchmarks/results CITATION.cff | gzip -n > dist/anonset-$(VERSION)-results.tar.gz
	cd dist && rm -f SHA256SUMS && sha256sum * > SHA256SUMS

sbom: wheel  ## Write a bill of materials (CycloneDX) of the wheel and all its dependencies
	$(PYTHON) -m venv build/cyclonedx
	build/cyclonedx/bin/python -m pip install --quiet cyclonedx-bom
	build/cyclonedx/bin/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml --mc-type library \
		--output-file dist/anonset-$(VERSION).cdx.json build/wheel/bin/python

releasable: $(READY)
	@$(BIN)/python tests/test_stability.py
	@test -z "$$(git status --porcelain)" || { echo "commit all changes first, including tests/vectors/promised.json: a release contains a single commit" >&2; exit 1; }
	@grep -q "^version: $(VERSION)$$" CITATION.cff || { echo "CITATION.cff does not contain version $(VERSION)" >&2; exit 1; }
	@grep -q "^## $(VERSION)" CHANGELOG.md || { echo "CHANGELOG.md has no section on version $(VERSION)" >&2; exit 1; }

long: $(READY)  ## Run the long tests, three at a time
	$(PYTEST) -n 3 -m "long and not studies"

coverage: export PYTEST_ADDOPTS = --cov --cov-append --cov-report=
coverage: $(READY)  ## Run the tests, and the kernels as plain Python to detect indexes out of bounds; report coverage
	rm -f .coverage
	$(MAKE) test
	$(PYTEST) -q -m "not long and not studies" $(OF_DEVELOPERS)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q -m "not data and not compiled" $(ON_KERNELS)
	$(BIN)/coverage report --skip-covered --fail-under 95

bench: $(READY)  ## Benchmark the kernels and the algorithms
	$(BIN)/python -m pytest benchmarks/algorithms benchmarks/kernels --benchmark-enable --benchmark-only --benchmark-json benchmarks/results/benchmarks.json

# With QUICK=1, `agree` lists cases that failed, and figures that the code has not confirmed, and fails.
reproduce: $(READY)  ## Measure the claims of the papers, and write the verdicts; QUICK=1 measures a part and compares it
	$(BIN)/python -m benchmarks.experiments run $(if $(QUICK),--quick); ran=$$?; \
	$(BIN)/python -m benchmarks.experiments render $(if $(QUICK),--quick) && \
	$(if $(QUICK),$(BIN)/python -m benchmarks.experiments agree --strict &&) exit $$ran

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) .coverage site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
