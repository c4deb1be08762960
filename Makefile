# Two commands: `make serve` starts the service, `make test` tests it. `make` lists the rest.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# A start from compiled bytecode takes seconds, one without several times as long.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help install install-test install-neural serve index ask test test-slow test-all lint format bench settings-table constraints clean

VENV := .venv
PY := $(VENV)/bin/python
UV := $(shell uv --version >/dev/null 2>&1 && echo uv)
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# What the built starter index depends on: its documents and the code that analyses and stores them.
INDEX_INPUTS := $(shell find data/knowledge data/encoder data/ranking vectorstores utils/knowledge.py utils/figures.py utils/figure_patterns.py -type f \
	-not -name '*.pyc' 2>/dev/null)
DATA_DIR ?= $(or $(shell sed -n 's/^DATA_DIR=//p' .env 2>/dev/null),var)
INDEXED := $(DATA_DIR)/index/.starter

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# $(call pip_install,what): uv when it is there (seconds), else pip (about a minute) with a counter. Nothing is compiled
# ahead: a first start compiles what it imports, a tenth of what is installed.
ifeq ($(UV),uv)
pip_install = uv pip install --python $(PY) -c constraints.txt "$(1)" 2>&1 | { grep -vE '^ [+~-] ' || true; }
else
pip_install = $(PY) -m pip install --disable-pip-version-check --no-compile -c constraints.txt "$(1)" | awk \
	'/^Collecting/ {printf "\r  resolving and downloading: %d packages", ++n; fflush()} \
	/^Installing collected/ {printf "\n  installing …\n"; fflush()} END {print ""}'
endif

$(PY):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (make PYTHON=/path/to/python3.11)." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(PY)
	@echo "Installing the pinned dependencies into $(VENV) …"
	@$(call pip_install,.)
	@rm -rf build bizi_rag.egg-info
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@echo "Installing the test dependencies …"
	@$(call pip_install,.[test])
	@rm -rf build bizi_rag.egg-info
	@touch $@

install: $(VENV)/.installed ## create .venv with the pinned dependencies
install-test: $(VENV)/.installed-test ## … and what the tests and checks need
install-neural: $(VENV)/.installed ## … and local neural models (docs/neural.md; TORCH="torch==2.13.0+cpu": PyTorch's CPU build)
	@$(if $(TORCH),$(call pip_install,$(TORCH)))
	@$(call pip_install,.[neural])
	@rm -rf build bizi_rag.egg-info

$(INDEXED): $(INDEX_INPUTS) $(VENV)/.installed
	@$(PY) -m vectorstores ingest --data-dir $(DATA_DIR)
	@touch $@

index: $(INDEXED) ## build the index of the starter knowledge base, when it is missing or stale

serve: $(INDEXED) ## start the service on 127.0.0.1:8001
	@DATA_DIR=$(DATA_DIR) $(PY) main.py

Q ?= 부가가치세는 언제까지 신고해야 하나요?
ask: export BIZI_QUESTION = $(value Q)
ask: $(VENV)/.installed ## ask the running service: make ask Q="주휴수당은 어떻게 계산하나요?"
	@$(PY) -m routes.ask "$$BIZI_QUESTION"

# Tests against servers that do not run are skipped with the reason; REQUIRE_SERVICES=1 makes them fail instead.
# Two processes, file by file: many tests wait for servers, and the indexes they share are made once a process.
test: $(VENV)/.installed-test ## every test but the slow ones
	@$(PY) -m pytest -m "not slow" -n 2 --dist loadfile

# pytest ends with 5 when it found no test, which is no failure here.
test-slow: $(VENV)/.installed-test ## the slow ones
	@$(PY) -m pytest -m slow || [ $$? -eq 5 ]

test-all: test test-slow ## every test there is

lint: $(VENV)/.installed-test ## ruff, mypy --strict, generated files
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy .
	@$(PY) -m utils.config.settings_table --check

format: $(VENV)/.installed-test ## sort imports and format
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

bench: $(INDEXED) ## the benchmark table: make bench BENCH_OPTIONS="--statutes A --dataset F" (see --help)
	@DATA_DIR=$(DATA_DIR) $(PY) -m evaluation bench $(BENCH_OPTIONS)

settings-table: $(VENV)/.installed ## write docs/settings.md and .env.example anew
	@$(PY) -m utils.config.settings_table

# torch is pinned by hand, to the version of its CPU build, and without the CUDA packages of the registry's build.
constraints: ## resolve constraints.txt anew over all extras (needs uv); existing pins are kept where they fit
	@uv pip compile pyproject.toml --all-extras --python-version 3.11 --no-header --no-annotate -o constraints.txt >/dev/null
	@sed -i -E -e '/^(#|nvidia-|cuda-|triton==)/d' -e 's/^torch==.*/torch==2.13.0/' \
		-e '1i # Every package of every extra, pinned. Regenerate: make constraints' constraints.txt

clean: ## remove everything that can be built again: .venv, the index, caches
	rm -rf $(VENV) $(DATA_DIR) .mypy_cache .ruff_cache .pytest_cache .hypothesis
