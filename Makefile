PYTHON ?= python3.11
BIN := .venv/bin
JOBS ?= 2

.PHONY: env quick test demo lit lint docs ulp exhaustive

env: .venv/.stamp

.venv/.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

lit: env
	$(BIN)/lit -q -j $(JOBS) tests/lit examples/own_pass

docs: env
	$(BIN)/sphinx-build -W -q -b html docs docs/_build

quick: lit lint
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow"

# pytest closes the run: its last line is the one that is counted
test: lit lint docs
	$(BIN)/python -m pytest -q -n $(JOBS)

demo: env
	$(BIN)/python examples/demo.py

ulp: env
	$(BIN)/python tests/measure_math.py

exhaustive: env
	$(BIN)/python tests/exhaustive_math.py
