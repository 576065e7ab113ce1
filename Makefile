# Torchstone: `make` alone lists what there is.
.DEFAULT_GOAL := help
.PHONY: help setup page run test check lock fresh clean

BIN := .venv/bin
PYTEST_ARGS ?=
# Two processes of pytest: most tests keep one core busy, those of the judge and the simulator both.
TEST_WORKERS ?= 2

help: ## Show this list
	@sed -n 's/^\([a-z]*\): .*## \(.*\)/  make \1#\2/p' $(MAKEFILE_LIST) | awk -F'#' '{printf "%-14s %s\n", $$1, $$2}'
	@echo
	@echo "  TORCHSTONE_PIP_ARGS   passed to pip by setup, e.g. '--find-links DIR'"
	@echo "  PYTHON, CXX           the interpreter (3.11+) and the C++ compiler to prefer"
	@echo "  PYTEST_ARGS           passed to pytest by test, e.g. tests/web or '-k softmax'"
	@echo "  TEST_WORKERS          how many processes run the tests, 2 by default; 0 is this one alone"
	@echo "  FRESH=debian12|13     where fresh makes a clean system of its own, as root"
	@echo "  CI=true               a test skipped because a part is missing is a failure"

setup: ## Make .venv from requirements.lock; says first what it will download
	@tools/setup.sh

run: setup page ## Serve the page on this machine and open it
	@exec $(BIN)/torchstone serve

page: setup ## Build the page from frontend/ when it has changed
	@tools/page.sh

test: setup page ## Run every test
	@tools/preflight.sh --tests
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

check: setup ## Run what is fast: style, types, layers, sizes, schema, pure tests
	$(BIN)/ruff format --check src tests tools benchmarks
	$(BIN)/ruff check src tests tools benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/sizes.py
	$(BIN)/python tools/mirror.py
	@if $(BIN)/torchstone bank check --help >/dev/null 2>&1; then \
		echo "$(BIN)/torchstone bank check --fast"; $(BIN)/torchstone bank check --fast; fi
	$(BIN)/python -m pytest -m pure -q $(PYTEST_ARGS)

lock: ## Resolve the dependencies anew and write requirements.lock
	@tools/lock.sh

fresh: ## Prove that a clean clone runs and passes its tests; FRESH=debian13: on a clean Debian
	@tools/fresh.sh

clean: ## Remove .venv and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
