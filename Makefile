# Everything starts here. A fresh machine needs Python 3.11 or newer and make; the rest is fetched on first use.
#
#   make run     serve the site (BACKPLAY_HOST, BACKPLAY_PORT; 127.0.0.1:8000 by default)
#   make test    all checks: lint, types and tests of both languages, the build, the browser tests

VENV := .venv
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v "$$name"; break; }; done)
# The venv comes first, so that a node installed there is found before one that is too old.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
BUILT := static/built/.vite/manifest.json
STAMPS := $(VENV)/stamps
JUDGE := .venv-torch
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Through env, so that the PATH above decides which npm and node it is.
NPM := env npm --prefix static
LOCKING := --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header --no-annotate

.PHONY: run test build lint types front unit browser format lock settings bench screenshots judge record clean
.DELETE_ON_ERROR:

run: $(STAMPS)/run $(BUILT)
	$(BIN)/python -m app

# In this order: what fails fast first, pytest's summary last.
test: lint types front browser unit

lint: $(STAMPS)/develop
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMPS)/develop
	$(BIN)/mypy

unit: $(STAMPS)/develop $(BUILT)
	$(BIN)/pytest -n 2 --dist loadgroup --no-loadscope-reorder

front: $(STAMPS)/front
	$(NPM) run check
	$(NPM) test

browser: $(STAMPS)/develop $(BUILT)
	BACKPLAY_CHROMIUM="$$(sh tools/chromium.sh)" $(NPM) run test:browser

build: $(BUILT)

format: $(STAMPS)/develop $(STAMPS)/front
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(NPM) run format

bench: $(STAMPS)/develop $(BUILT)
	BACKPLAY_CHROMIUM="$$(sh tools/chromium.sh)" $(BIN)/python -m tools.bench
	BACKPLAY_CHROMIUM="$$(sh tools/chromium.sh)" $(NPM) run bench

# The README's pictures, from the real page in a real browser.
screenshots: $(STAMPS)/develop $(BUILT)
	BACKPLAY_CHROMIUM="$$(sh tools/chromium.sh)" $(BIN)/python -m tools.screenshots

settings: $(STAMPS)/run
	@$(BIN)/python -m app.settings

# Real PyTorch, the judge, in an environment of its own: the product must never be able to import it.
judge: $(JUDGE)/stamp

# Ask it again for everything that tests without it compare with: the tables of programs, then what has a recorder of
# its own (tests/oracle/record_X.py writes tests/golden/X.json).
record: $(if $(BACKPLAY_TORCH_PYTHON),,judge)
	$(or $(BACKPLAY_TORCH_PYTHON),$(JUDGE)/bin/python) -m tests.oracle.record
	for recorder in tests/oracle/record_*.py; do name=$$(basename "$$recorder" .py); \
		$(or $(BACKPLAY_TORCH_PYTHON),$(JUDGE)/bin/python) -m "tests.oracle.$$name" "tests/golden/$${name#record_}.json" \
		|| exit 1; done
	$(or $(BACKPLAY_TORCH_PYTHON),$(JUDGE)/bin/python) -m tests.oracle.public_names tests/golden/public_names.json
	$(or $(BACKPLAY_TORCH_PYTHON),$(JUDGE)/bin/python) -m tests.oracle.known_names engine/torch/known_names.txt
	$(or $(BACKPLAY_TORCH_PYTHON),$(JUDGE)/bin/python) -m tests.oracle.known_signatures engine/ops/core/signatures.json
	$(or $(BACKPLAY_TORCH_PYTHON),$(JUDGE)/bin/python) -m tests.oracle.known_modules engine/torch/known_modules.json

# Pins, with hashes, for every supported Python and platform at once.
lock: $(STAMPS)/run
	$(PIP) uv
	$(BIN)/uv pip compile $(LOCKING) pyproject.toml -o requirements/run.txt
	$(BIN)/uv pip compile $(LOCKING) pyproject.toml --group develop -c requirements/run.txt -o requirements/develop.txt
	$(BIN)/uv pip compile $(LOCKING) --group node -o requirements/node.txt

clean:
	rm -rf $(VENV) static/node_modules static/built

# ── set-up, done once and again when what it depends on changes ──────────────────────────────────────────────────────

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Backplay needs Python 3.11 or newer; none was found on PATH." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "This Python cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(STAMPS)/run: requirements/run.txt | $(BIN)/python
	$(PIP) --require-hashes -r requirements/run.txt
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/develop: requirements/develop.txt | $(STAMPS)/run
	$(PIP) --require-hashes -r requirements/develop.txt
	@mkdir -p $(STAMPS) && touch $@

$(JUDGE)/stamp: requirements/judge.txt | $(BIN)/python
	$(BIN)/python -m venv --clear $(JUDGE)
	$(JUDGE)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/judge.txt
	@touch $@

$(STAMPS)/node: requirements/node.txt | $(BIN)/python
	sh tools/node_ok.sh || $(PIP) --require-hashes -r requirements/node.txt
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/front: static/package-lock.json | $(STAMPS)/node
	$(NPM) ci --no-audit --no-fund
	@mkdir -p $(STAMPS) && touch $@

$(BUILT): $(STAMPS)/front $(shell find static -name node_modules -prune -o -name built -prune -o -name screenshots -prune -o -type f -print 2>/dev/null)
	$(NPM) run build
