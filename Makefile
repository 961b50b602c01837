# Everything here works on a fresh clone with Python 3.11 or later: the environment is made in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Hundreds of tests start a process of their own: compile the sources once, also where the shell asks for no bytecode.
export PYTHONDONTWRITEBYTECODE =

# Skia's wheels want the system's OpenGL libraries, which very small installations lack; where we may, we add them.
SYSTEM_LIBRARIES = @$(BIN)/python -c 'import skia' 2>/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq --no-install-recommends libegl1 libgl1 libexpat1 >/dev/null; } || true

# The versions that the tests were last run with; where a machine has none of them, the newest that fit.
define install
$(BIN)/pip install --quiet --disable-pip-version-check -c requirements.lock -e '$(1)' || \
  $(BIN)/pip install --quiet --disable-pip-version-check -e '$(1)'
endef

.PHONY: demo test test-all docs lint lock bench peers clean

demo: $(VENV)/.installed
	$(BIN)/countersight demo

# Two tiers: `test` in eight minutes after every change, `test-all` in twenty-five before a change lands. Each prints its
# wall and CPU time. Three workers on two cores, because tests also wait for servers, browsers and killed processes.
PYTEST = $(BIN)/pytest -n 3 --dist loadfile
# Linter and types go first, because they take half a minute and fail most often.
test: lint $(VENV)/.services
	@bash -c 'time $(PYTEST) -m "not slow"'

test-all: lint $(VENV)/.services
	@bash -c 'time { $(PYTEST) && $(BIN)/pytest -p nbmake --nbmake docs -q; }'

# The documentation site, in site/; a broken link is an error.
docs: $(VENV)/.installed
	$(call install,.[docs])
	$(BIN)/mkdocs build --strict

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typing

lock: # to newer versions: make clean, empty requirements.lock, make test, make lock
	{ echo "# Versions that the tests were last run with, which make installs; make lock writes this file."; \
	  $(BIN)/pip freeze --exclude-editable | sed 's/+cpu$$//'; } > requirements.lock

bench: $(VENV)/.dev
	$(BIN)/pip install --quiet -r benchmarks/requirements.txt
	$(BIN)/python -m benchmarks

# The other tools themselves open our files and have our figures; each in an environment of its own, none in `test`.
PEERS := inspect_ai lmms_eval vlmevalkit verifiers training ms_swift llama_factory vllm
peers: $(PEERS:%=.peers/%/.installed)
	.peers/$(firstword $(PEERS))/bin/python -m peers $(PEERS) # all of them, then one table

.peers/%/.installed: peers/requirements/%.txt pyproject.toml
	$(PYTHON) -m venv .peers/$*
	.peers/$*/bin/pip install --quiet --disable-pip-version-check -e '.[exchange]' -r $<
	# Packages that ask for others of which some machine has no wheel: what they need of them stands in the first file.
	[ ! -f peers/requirements/$*.alone ] || .peers/$*/bin/pip install --quiet --no-deps -r peers/requirements/$*.alone
	# And packages that come along, are not needed, and do not load beside the CPU build of torch.
	[ ! -f peers/requirements/$*.without ] || .peers/$*/bin/pip uninstall --quiet --yes -r peers/requirements/$*.without
	touch $@

clean:
	rm -rf $(VENV) demo .peers

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Countersight needs Python 3.11 or later; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml requirements.lock | $(BIN)/python
	$(call install,.)
	$(SYSTEM_LIBRARIES)
	touch $@

$(VENV)/.dev: pyproject.toml requirements.lock | $(BIN)/python
	$(call install,.[dev])
	$(SYSTEM_LIBRARIES)
	touch $@ $(VENV)/.installed

$(VENV)/.services: tests/chromium.sh tests/postgresql.sh | $(BIN)/python
	sh tests/chromium.sh
	sh tests/postgresql.sh
	@command -v ssh-keygen >/dev/null || apt-get install -y -qq --no-install-recommends openssh-client >/dev/null || true
	touch $@
