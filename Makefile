# `make demo` and `make test` do all the set-up on a machine with Python 3.11 and make.

PYTHON ?= python3
BIN = .venv/bin
READY = .venv/ready

.PHONY: demo test nightly lint check clean

demo: $(READY)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

nightly: $(READY)
	TOOLPLAN_FUZZ=200000 TOOLPLAN_EXAMPLES=3000 $(BIN)/python -m pytest tests/test_fuzz.py tests/test_planners.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "toolplan needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[planners,dev]'
	@touch $(READY)

clean:
	rm -rf .venv build dist *.egg-info
