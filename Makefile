# Needs make, git and python3 (3.11 or newer). Everything else is installed into .venv, once.
#   make run PORT=9000               another port
#   make test PYTHON=python3.13      another interpreter for the first set-up
#   make fast TESTS=tests/engine     a part of the tests

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: bench-reminders soak-reminders bench-channel bench-control bench-graphs bench-journal help run test test-console fast fuzz check check-python check-console format bench bench-console bench-durable console screenshots soak bench-arguments bench-intents bench-times bench-directory clean

PORT ?= 8765
AGENTS ?= $(wildcard examples/travel examples/support examples/office)
TESTS ?=
DATA ?=
BIN := .venv/bin

# Each of the tests' processes would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/pytest -q -n 2 --dist worksteal

help:  ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.venv/.installed: pyproject.toml scripts/set_up.sh
	@sh scripts/set_up.sh

console: .venv/.installed  ## build the web console, if its sources have changed
	@$(BIN)/python scripts/build_console.py

run: export POINTSMAN_DIRECTORY ?= examples/office/directory.yaml
run: .venv/.installed console  ## serve the example agents on http://127.0.0.1:8765 (PORT=…), no key needed
	@echo 'The web console: http://127.0.0.1:$(PORT) (Ctrl+C ends it). Or ask in another terminal:'
	@echo
	@echo '  curl http://127.0.0.1:$(PORT)/v1/chat/completions \'
	@echo '    -H "Content-Type: application/json" \'
	@echo '    -d '\''{"model": "travel", "messages": [{"role": "user", "content": "我在成都，明天天气如何？"}]}'\'
	@echo
	@exec $(BIN)/pointsman serve $(AGENTS) --port $(PORT)

test: .venv/.installed  ## run all tests but those in a browser (TESTS=path for a part)
	@$(PYTEST) --ignore=tests/console $(TESTS)

test-console: .venv/.installed console  ## run the tests of the console in a browser
	@sh scripts/set_up_browser.sh
	@$(BIN)/pytest -q tests/console

fast: .venv/.installed  ## run the tests that are not marked slow
	@$(PYTEST) -m 'not slow' --ignore=tests/console $(TESTS)

fuzz: .venv/.installed  ## try thousands of new examples on the property tests (TESTS=path for a part)
	@$(PYTEST) -m hypothesis --hypothesis-profile=fuzz --ignore=tests/console $(TESTS)

check: .venv/.installed  ## format, lint, types, floors, sizes, then all tests: what CI runs
	@$(MAKE) -j2 --output-sync=target check-python check-console
	@echo 'All tests, those in a browser beside the others: some eight minutes without a word …'
	@$(MAKE) -j2 --output-sync=target test test-console

check-python: .venv/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/size_gate.py src

check-console: .venv/.installed console
	$(BIN)/python scripts/build_console.py --check

format: .venv/.installed  ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/.installed  ## measure what the decision records quote
	$(BIN)/python benchmarks/structs.py

bench-console: .venv/.installed console  ## measure the console's first load, streaming, and many tabs
	@sh scripts/set_up_browser.sh
	$(BIN)/python -m benchmarks.console

screenshots: .venv/.installed console  ## take docs/screenshots anew: every page, both themes, both widths
	@sh scripts/set_up_browser.sh
	$(BIN)/python scripts/screenshots.py

bench-control: .venv/.installed  ## measure what routing, sources, gate, reply check and journal cost
	$(BIN)/python -m benchmarks.control

bench-journal: .venv/.installed  ## measure what a journal event costs on both databases
	$(BIN)/python -m benchmarks.journal

bench-durable: .venv/.installed  ## measure take-over, starts of runs and workers on both databases
	$(BIN)/python -m benchmarks.durable

soak: .venv/.installed  ## kill processes and databases under 200 runs for minutes, and check them
	$(BIN)/python -m benchmarks.soak

bench-graphs: .venv/.installed  ## measure what a graph of 50 tasks takes over its critical path
	$(BIN)/python -m benchmarks.graphs

bench-arguments: .venv/.installed  ## measure missing, wrong and right arguments (DATA=folder that holds acebench)
	@test -d "$(DATA)/acebench" || { echo 'DATA=<folder> must hold acebench/zh and acebench/en'; exit 2; }
	$(BIN)/python -m benchmarks.arguments $(DATA)

bench-intents: .venv/.installed  ## measure the local classifier on public sets (DATA=folder that holds them)
	@test -d "$(DATA)/clinc150" || { echo 'DATA=<folder> must hold clinc150, banking77, few_shot_intent, massive_en and xsid'; exit 2; }
	$(BIN)/python -m benchmarks.intents $(DATA)

bench-times: .venv/.installed  ## measure time phrases on public sets (DATA=folder that holds time/)
	@test -d "$(DATA)/time" || { echo 'DATA=<folder> must hold time/*.jsonl'; exit 2; }
	$(BIN)/python -m benchmarks.times $(DATA)

bench-directory: .venv/.installed  ## measure whether descriptions of recipients are understood
	$(BIN)/python -m benchmarks.directory

bench-channel: .venv/.installed  ## measure 50 tabs that stream at once from one server process
	$(BIN)/python -m benchmarks.channel

bench-reminders: .venv/.installed  ## measure what reminders cost while they wait, and how fast they fire
	$(BIN)/python -m benchmarks.reminders

soak-reminders: .venv/.installed  ## live through a simulated year with processes killed, and check it
	$(BIN)/python -m benchmarks.soak_reminders

clean:  ## remove what make has made: .venv, caches, builds (no agent's data)
	rm -rf .venv build dist console/node_modules src/pointsman/entrypoints/console/dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests scripts benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
