# Needs make, git and python3 (3.11 or newer). Everything else is installed into .venv, once.
#   make run PORT=9000               another port
#   make test PYTHON=python3.13      another interpreter for the first set-up
#   make fast TESTS=tests/engine     a part of the tests

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run test fast check format bench bench-arguments clean

PORT ?= 8765
TESTS ?=
DATA ?=
BIN := .venv/bin
PYTEST := $(BIN)/pytest -q -n 2 --dist worksteal

help:  ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.venv/.installed: pyproject.toml scripts/set_up.sh
	@sh scripts/set_up.sh

run: .venv/.installed  ## serve the travel agent on http://127.0.0.1:8765 (PORT=…), no key needed
	@echo 'Pointsman listens on http://127.0.0.1:$(PORT); Ctrl+C ends it. In another terminal, ask:'
	@echo
	@echo '  curl http://127.0.0.1:$(PORT)/v1/chat/completions \'
	@echo '    -H "Content-Type: application/json" \'
	@echo '    -d '\''{"model": "travel", "messages": [{"role": "user", "content": "我在成都，明天天气如何？"}]}'\'
	@echo
	@exec $(BIN)/pointsman serve examples/travel --port $(PORT)

test: .venv/.installed  ## run all tests (TESTS=path for a part)
	@$(PYTEST) $(TESTS)

fast: .venv/.installed  ## run the tests that are not marked slow
	@$(PYTEST) -m 'not slow' $(TESTS)

check: .venv/.installed  ## format, lint, types, floors, sizes, then all tests: what CI runs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/size_gate.py src
	$(PYTEST)

format: .venv/.installed  ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/.installed  ## measure what the decision records quote
	$(BIN)/python benchmarks/structs.py

bench-arguments: .venv/.installed  ## measure missing, wrong and right arguments (DATA=folder that holds acebench)
	@test -d "$(DATA)/acebench" || { echo 'DATA=<folder> must hold acebench/zh and acebench/en'; exit 2; }
	$(BIN)/python -m benchmarks.arguments $(DATA)

clean:  ## remove what make has made: .venv, caches, builds (no agent's data)
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests scripts benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
