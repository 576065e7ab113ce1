# Torchstone: `make` alone lists what there is.
.DEFAULT_GOAL := help
.PHONY: help setup page run test test-all check static lock fresh clean
.PHONY: check-format check-lint check-types check-test-types check-layers check-sizes check-bank check-pure

BIN := .venv/bin
# Each of many processes would compile all that it imports again.
export PYTHONDONTWRITEBYTECODE =
PYTEST_ARGS ?=
# Most tests keep one core busy.
TEST_WORKERS ?= $(shell tools/workers.sh)
# Each process takes whole files, so that what a file sets up is set up once, in the order of
# tests/conftest.py.
PYTEST = $(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder

help: ## Show this list
	@sed -n 's/^\([a-z-]*\): .*## \(.*\)/  make \1#\2/p' $(MAKEFILE_LIST) | awk -F'#' '{printf "%-14s %s\n", $$1, $$2}'
	@echo
	@echo "  TORCHSTONE_PIP_ARGS   passed to pip by setup, e.g. '--find-links DIR'"
	@echo "  TORCHSTONE_TORCH      where setup takes torch alone from: an index, a folder of wheels, a wheel"
	@echo "  PYTHON, CXX           the interpreter (3.11+) and the C++ compiler to prefer"
	@echo "  PYTEST_ARGS           passed to pytest by test, e.g. tests/web or '-k softmax'; -m \"\" takes also what is full"
	@echo "  TEST_WORKERS          how many processes run the tests; by default three for two cores, 2 at least; 0 is this one alone"
	@echo "  FRESH=debian12|13     where fresh makes a clean system of its own, as root"
	@echo "  CI=true               a test skipped because a part is missing is a failure"

setup: ## Make .venv from requirements.lock; says first what it will download
	@tools/setup.sh

run: setup page ## Serve the page on this machine and open it
	@exec $(BIN)/torchstone serve

page: setup ## Build the page from frontend/ when it has changed
	@tools/page.sh

test: setup page ## The gate: the static checks, and all tests that are not marked full
	@tools/preflight.sh --tests
	@$(MAKE) --no-print-directory static
	$(PYTEST) --durations=20 $(PYTEST_ARGS)

test-all: setup page ## All tests, in parts; PART=judge/native: one part
	@tools/preflight.sh --tests
	@TEST_WORKERS=$(TEST_WORKERS) tools/test_all.sh $(PART)

# They run in parallel; the output of each stays together, and a failure does not end the others.
STATIC := types test-types layers format lint sizes
PARALLEL = $(MAKE) --no-print-directory --keep-going --output-sync=target --jobs

# The bank comes last, since a proof also measures the time of judging.
check: setup ## Run what is fast: the static checks, pure tests, the bank
	@status=0; $(PARALLEL) check-pure $(STATIC:%=check-%) || status=$$?; \
	$(MAKE) --no-print-directory check-bank && exit $$status

static: setup ## Check format, lint, types, layers and sizes
	@$(PARALLEL) $(STATIC:%=check-%)

check-format:
	$(BIN)/ruff format --check src tests tools benchmarks

check-lint:
	$(BIN)/ruff check src tests tools benchmarks

check-types:
	$(BIN)/mypy

# Tests and benchmarks, for the errors that a rename causes.
check-test-types:
	$(BIN)/mypy --config-file tests/mypy.toml

check-layers:
	$(BIN)/lint-imports

check-sizes:
	$(BIN)/python tools/sizes.py

# Problems that have not changed since they were proven are not proven again; see CONTRIBUTING.
check-bank:
	$(BIN)/torchstone bank check --fast

check-pure:
	$(PYTEST) -m pure -q $(PYTEST_ARGS)

lock: ## Resolve the dependencies for every Python and torch; write requirements.lock
	@tools/lock.sh

fresh: ## Prove that a clean clone runs and passes its tests; FRESH=debian13: on a clean Debian
	@tools/fresh.sh

clean: ## Remove .venv and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
