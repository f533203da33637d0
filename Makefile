# Targets: experiment (the first thing to run), test, lint, experiments, bench, install, wheel, clean.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: experiment experiments install test lint wheel bench clean

experiment: $(VENV)/.users
	$(BIN)/legalir experiment run experiments/quickstart.yaml

# Every experiment whose collection is in $$LEGALIR_DATA, compared with its expected scores.
experiments: $(VENV)/.users
	$(BIN)/python experiments/check.py

install: $(VENV)/.users

test: lint
	$(BIN)/python -m pytest --cov --cov-report=term
	$(MAKE) --no-print-directory wheel

lint: $(VENV)/.developers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The wheel, in an environment that holds nothing else, answers a question about the bundled collection.
wheel: $(VENV)/.developers
	rm -rf dist build/empty
	$(BIN)/python -m build --wheel --outdir dist > build.log 2>&1 || { cat build.log; exit 1; }
	rm -f build.log
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt dist/*.whl
	cd build/empty && LEGALIR_HOME=cache bin/legalir search legalir/firecode "화재보험에 가입하지 않으면 과태료가 얼마인가요?" -k 3 > answer.txt
	cat build/empty/answer.txt
	grep -q vact-24 build/empty/answer.txt

bench: $(VENV)/.bench
	$(BIN)/python experiments/bench/run.py
	$(BIN)/python experiments/bench/methods.py

$(VENV)/.users: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[report]'
	touch $@

$(VENV)/.developers: $(VENV)/.users
	$(PIP) --editable '.[report,dev]'
	touch $@

$(VENV)/.bench: $(VENV)/.users
	$(PIP) --editable '.[report,bench]'
	touch $@

clean:
	rm -rf build dist results *.egg-info .coverage .mypy_cache .ruff_cache
