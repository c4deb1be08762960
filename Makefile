# Two commands: `make serve` starts the service, `make test` tests it. `make` lists the rest.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# A start from compiled bytecode takes seconds, one without several times as long.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help install install-test install-neural install-postgres install-milvus install-redis install-trace install-web install-documents install-mcp install-studio serve index assistant ask test test-whole test-services test-slow test-all lint format bench train settings-table document-gallery docs clients chromium screenshots page-speed first-answer constraints sbom lint-deploy clean

VENV := .venv
PY := $(VENV)/bin/python
UV := $(shell uv --version >/dev/null 2>&1 && echo uv)
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# What the built starter index depends on: its documents and the code that analyses and stores them.
INDEX_INPUTS := $(shell find data/knowledge data/encoder data/units/encoder data/ranking vectorstores utils/documents.py utils/figures utils/knowledge \
	-type f -not -name '*.pyc' 2>/dev/null)
DATA_DIR ?= $(or $(shell sed -n 's/^DATA_DIR=//p' .env 2>/dev/null),var)
INDEXED := $(DATA_DIR)/index/.starter

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# $(call pip_install,requirements): uv when it is there (seconds), else pip (about a minute) with a counter. Either checks the
# hash of every archive. Nothing is compiled ahead: a first start compiles what it imports, a tenth of what is installed.
# The build tools are requirements too, so that what comes as a source archive is not built with just any.
ifeq ($(UV),uv)
pip_install = uv pip install --python $(PY) $(1) 2>&1 | { grep -vE '^ [+~-] ' || true; }
else
pip_install = $(PY) -m pip install --disable-pip-version-check --no-compile $(1) | awk \
	'/^Collecting/ {printf "\r  resolving and downloading: %d packages", ++n; fflush()} \
	/^Installing collected/ {printf "\n  installing …\n"; fflush()} END {print ""}'
endif
HASHED := --require-hashes --no-build-isolation

$(PY):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (make PYTHON=/path/to/python3.11)." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements/build.txt requirements/base.txt | $(PY)
	@echo "Installing the pinned dependencies into $(VENV) …"
	@$(call pip_install,--require-hashes -r requirements/build.txt)
	@$(call pip_install,$(HASHED) -r requirements/base.txt)
	@touch $@

$(VENV)/.installed-test: requirements/test.txt $(VENV)/.installed
	@echo "Installing the test dependencies …"
	@$(call pip_install,$(HASHED) -r requirements/base.txt -r requirements/test.txt)
	@touch $@

install: $(VENV)/.installed ## create .venv with the pinned dependencies
install-test: $(VENV)/.installed-test ## … and what the tests and checks need
# torch comes last and without a hash: its builds for CPU and GPU differ, and lie where the machine says.
install-neural: $(VENV)/.installed ## … and local neural models (docs/neural.md; TORCH="torch==2.13.0+cpu": PyTorch's CPU build)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/neural.txt)
	@$(call pip_install,-c constraints.txt "$(or $(TORCH),torch)")
install-trace: $(VENV)/.installed ## … and what sends traces to a collector or to Langfuse
	@$(call pip_install,$(HASHED) -r requirements/base.txt -r requirements/trace.txt)
install-web: $(VENV)/.installed ## … and what searching the web needs (WEB_SEARCH=duckduckgo)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/web.txt)
install-documents: $(VENV)/.installed ## … and what writes documents as PDF (DOCX and HWPX need nothing more)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/documents.txt)
install-mcp: $(VENV)/.installed ## … and what serves MCP (docs/programs.md)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/mcp.txt)
install-postgres: $(VENV)/.installed ## … and what conversations in PostgreSQL need (SESSION_URL)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/postgres.txt)
install-milvus: $(VENV)/.installed ## … and what searching in Milvus needs (VECTOR_BACKEND, docs/milvus.md)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/milvus.txt)
install-redis: $(VENV)/.installed ## … and what conversations in Redis 8 need (SESSION_URL)
	@$(call pip_install,$(HASHED) --no-deps -r requirements/redis.txt)

$(INDEXED): $(INDEX_INPUTS) $(VENV)/.installed
	@$(PY) -m vectorstores ingest --data-dir $(DATA_DIR)
	@touch $@

index: $(INDEXED) ## build the index of the starter knowledge base, when it is missing or stale

serve: $(INDEXED) ## start the service on 127.0.0.1:8001 (WORKERS=2: several processes, docs/workers.md)
	@DATA_DIR=$(DATA_DIR) $(if $(WORKERS),WORKERS=$(WORKERS)) $(PY) main.py

assistant: $(INDEXED) ## give an assistant its documents and start the service: make assistant NAME=farm SOURCE=PATH [COLLECTION=key] [NOTICES=PATH]
	@test -n "$(NAME)" -a -n "$(SOURCE)" || { echo "make assistant NAME=<name> SOURCE=<documents>" >&2; exit 1; }
	@DATA_DIR=$(DATA_DIR) $(PY) -m vectorstores ingest "$(SOURCE)" --assistant "$(NAME)" $(if $(COLLECTION),--collection "$(COLLECTION)")
	@$(if $(NOTICES),DATA_DIR=$(DATA_DIR) $(PY) -m vectorstores notices import "$(NOTICES)" --pack "$(or $(PACK),$(NAME))")
	@DATA_DIR=$(DATA_DIR) $(PY) main.py

Q ?= 부가가치세는 언제까지 신고해야 하나요?
ask: export BIZI_QUESTION = $(value Q)
ask: $(VENV)/.installed ## ask the running service: make ask Q="주휴수당은 어떻게 계산하나요?"
	@$(PY) -m routes.ask "$$BIZI_QUESTION"

# Tests against servers that do not run are skipped with the reason; REQUIRE_SERVICES=1 makes them fail instead.
# Two processes, file by file: many tests wait for servers, and what a file shares is made once.
# What hangs in a way that no timeout of pytest ends takes its process with it, and the run names it. The test is tried once more,
# as pytest-xdist does with a file whose process is gone, and then the run ends.
PYTEST := $(PY) -m pytest -n 2 --dist loadfile --max-worker-restart=1 -o faulthandler_exit_on_timeout=true -o faulthandler_timeout

test: $(VENV)/.installed-test ## the tests of the parts, in some four minutes
	@$(PYTEST)=300 -m "not slow and not whole and not services"

test-whole: $(VENV)/.installed-test ## the tests of the whole service, and those against real servers that are quick
	@$(PYTEST)=300 -m "not slow and (whole or services)"

test-services: $(VENV)/.installed-test chromium clients install-studio ## the slow ones against real servers, and the service against its schema
	@$(PYTEST)=1000 -m "slow and services" --durations=5

chromium: ## install Debian's Chromium, which the tests of the pages drive, where it is missing (as root)
	@command -v chromium >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-l10n fonts-noto-cjk; \
	else echo "chromium is not installed; the tests of the pages are skipped"; fi

screenshots: $(VENV)/.installed-test chromium $(INDEXED) ## write the pictures of docs/page.md anew
	@DATA_DIR=$(DATA_DIR) $(PY) -m tests.e2e.page.screenshots

page-speed: $(VENV)/.installed-test chromium $(INDEXED) ## print how soon a first visit to the page paints, and how much it is sent, with the processor slowed
	@DATA_DIR=$(DATA_DIR) $(PY) -m tests.e2e.page.page_speed

first-answer: $(VENV)/.installed-test chromium ## go the way of a newcomer from the clone to the first cited answer in the page, and print how long each step takes
	@$(PY) -m tests.e2e.page.first_answer

# pytest ends with 5 when it found no test, which is no failure here.
test-slow: $(VENV)/.installed-test ## all slow ones, those of test-services among them (a quarter of an hour)
	@$(PYTEST)=1200 -m slow --durations=20 || [ $$? -eq 5 ]

test-all: test test-whole test-slow ## every test there is

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

# docs/learned.md: what is learned from what, and in which order. ROUTING: questions labelled with their domains; EXCLUDE: questions
# that nothing may be learned from; FROM: the step to go on with.
train: $(VENV)/.installed ## learn everything anew: make train STATUTES=a.tar.gz DECISIONS=b.jsonl.gz [ROUTING=F] [EXCLUDE="F G"] [FROM=step]
	@$(PY) -m evaluation train --statutes "$(STATUTES)" --decisions "$(DECISIONS)" --data-dir "$(DATA_DIR)" \
		$(if $(ROUTING),--routing-questions "$(ROUTING)") $(if $(EXCLUDE),--exclude $(EXCLUDE)) $(if $(FROM),--from $(FROM))

settings-table: $(VENV)/.installed ## write docs/settings.md and .env.example anew
	@$(PY) -m utils.config.settings_table

document-gallery: $(VENV)/.installed ## write the pictures of docs/documents-gallery.md anew (needs make install-documents)
	@$(PY) -m evaluation document-gallery

# torch is pinned by hand, to the version of its CPU build, and without the CUDA packages of the registry's build; it alone has
# no hash. constraints.txt holds the version of everything, requirements/ the hashes for all platforms of what is installed
# together; the extras without what base holds.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate
NOT_IN_BASE := awk 'NR == FNR {base[$$1]; next} \
	/^[a-z]/ {kept = !($$1 in base) && !/^(torch==|triton==|nvidia-|cuda-)/} kept' requirements/base.txt -
constraints: ## resolve constraints.txt and requirements/ anew over all extras (needs uv); existing pins are kept where they fit
	@$(LOCK) pyproject.toml --all-extras -o constraints.txt >/dev/null
	@sed -i -E -e '/^(#|nvidia-|cuda-|triton==)/d' -e 's/^torch==.*/torch==2.13.0/' \
		-e '1i # Every package of every extra, pinned. Regenerate: make constraints' constraints.txt
	@sed -nE 's/^requires = \["(.*)"\]/\1/p' pyproject.toml | $(LOCK) --generate-hashes - >requirements/build.txt
	@$(LOCK) --generate-hashes -c constraints.txt pyproject.toml >requirements/base.txt
	@for extra in test documents mcp milvus neural postgres redis trace web; do \
		$(LOCK) --generate-hashes -c constraints.txt pyproject.toml --extra $$extra | $(NOT_IN_BASE) >requirements/$$extra.txt; \
	done
	@for of in tools docs clients; do $(LOCK) --generate-hashes requirements/$$of.in -o requirements/$$of.txt >/dev/null; done
	@grep -oE '^[a-z][^ ]+==[^ ]+' requirements/base.txt | grep -vE '^(protobuf|grpcio)' >build/pins.txt  # LangGraph's server wants older ones
	@$(filter-out --universal,$(LOCK)) --generate-hashes -c build/pins.txt requirements/studio.in | $(NOT_IN_BASE) >requirements/studio.txt

# Tools that look at what is deployed; the service and its tests need none of them.
TOOLS := build/tools
$(TOOLS)/.installed: requirements/tools.txt
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/tools.txt
	@touch $@

# What builds the site has an environment of its own: it reads the code and runs none of it.
SITE := build/docs/venv
$(SITE)/.installed: requirements/docs.txt
	@$(PYTHON) -m venv $(SITE)
	@$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.txt
	@touch $@

docs: $(VENV)/.installed $(SITE)/.installed ## build the documentation site in build/docs/site
	@$(PY) -m evaluation documentation
	@NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --quiet --strict
	@echo "wrote build/docs/site/index.html"

# Clients of the HTTP API, made from its OpenAPI document: what generates and tries them has environments of its own.
CLIENTS := build/clients
CLIENT_SOURCES = $(shell find clients/$(1) -type f -not -path '*/__pycache__/*')
clients: $(CLIENTS)/python/.made $(if $(shell command -v npm),$(CLIENTS)/typescript/.made) ## make the typed clients in build/clients (that for TypeScript where npm is)

$(CLIENTS)/venv/.installed: requirements/clients.txt
	@$(PYTHON) -m venv $(CLIENTS)/venv
	@$(CLIENTS)/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/clients.txt
	@touch $@

.PHONY: always
always:
$(CLIENTS)/openapi.json: always | $(VENV)/.installed
	@$(PY) -m evaluation openapi $@  # leaves one that is the same as it is, and what is made from it with it

$(CLIENTS)/python/.made: $(CLIENTS)/openapi.json $(CLIENTS)/venv/.installed $(call CLIENT_SOURCES,python)
	@rm -rf $(@D) && cp -r clients/python $(@D)
	@PATH="$(CURDIR)/$(CLIENTS)/venv/bin:$$PATH" openapi-python-client generate --path $< --meta none --fail-on-warning \
		--config $(@D)/generator.yml --output-path $(@D)/bizi_client/generated >/dev/null
	@$(CLIENTS)/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall ./$(@D)
	@touch $@ && echo "made $(@D): pip install ./$(@D)"

$(CLIENTS)/typescript/.made: $(CLIENTS)/openapi.json $(call CLIENT_SOURCES,typescript)
	@mkdir -p $(@D) && cp -r clients/typescript/. $(@D)
	@cd $(@D) && rm -rf dist && npm ci --silent && npm run --silent generate >/dev/null && npm run --silent build
	@touch $@ && echo "made $(@D): npm install ./$(@D)"

# LangGraph's server over what .venv has, with versions of its own of what both want.
STUDIO := build/studio
$(STUDIO)/.installed: requirements/studio.txt $(VENV)/.installed
	@rm -rf $(STUDIO) && $(PYTHON) -m venv $(STUDIO)
	@$(PY) -c "import sysconfig; print(sysconfig.get_path('purelib'))" >"$$($(STUDIO)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/service.pth"
	@$(STUDIO)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/studio.txt
	@touch $@

install-studio: $(STUDIO)/.installed ## install LangGraph's server, for make studio and its test
studio: $(INDEXED) $(STUDIO)/.installed ## serve the graph to LangGraph Studio on 127.0.0.1:2024 (agents/assistants/studio.py)
	@DATA_DIR=$(DATA_DIR) LANGSMITH_TRACING=false $(STUDIO)/bin/langgraph dev --no-browser --no-reload

# Of an environment of its own, which is what the image has.
IMAGE_VENV := build/image
sbom: PY := $(IMAGE_VENV)/bin/python
sbom: $(TOOLS)/.installed ## write build/bizi-rag.cdx.json: what the image installs, with licences and hashes (CycloneDX)
	@rm -rf $(IMAGE_VENV) && $(PYTHON) -m venv $(IMAGE_VENV)
	@$(call pip_install,--require-hashes -r requirements/build.txt)
	@$(call pip_install,$(HASHED) -r requirements/base.txt -r requirements/trace.txt)
	@$(PY) -m pip uninstall --quiet --yes setuptools pip
	@$(TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o build/bizi-rag.cdx.json $(PY)
	@echo "wrote build/bizi-rag.cdx.json"

lint-deploy: $(TOOLS)/.installed ## hadolint, the schema of Compose and those of Kubernetes (needs kubectl) over the files of the deployment
	@$(TOOLS)/bin/hadolint Dockerfile
	@$(TOOLS)/bin/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker-compose.yml
	@for overlay in base scaled; do \
		kubectl kustomize deploy/kubernetes/$$overlay | $(TOOLS)/bin/kubernetes-validate --strict --quiet /dev/stdin || exit 1; \
	done

clean: ## remove everything that can be built again: .venv, the index, caches
	rm -rf $(VENV) $(DATA_DIR) build .mypy_cache .ruff_cache .pytest_cache .hypothesis
