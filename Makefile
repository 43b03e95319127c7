# What one does with this project. Whatever takes more than a line is a script in scripts/.
# The files named .venv/.something mark a step of the set-up as done, so that it runs again only when its lock changes.

python = .venv/bin/python
site = .venv/.site node_modules/.package-lock.json
tests = $(site) .venv/.test .venv/.pytorch .venv/.browser

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Trust the certificates that the machine trusts, as pip does.
export UV_SYSTEM_CERTS := 1
export NODE_USE_SYSTEM_CA := 1
# Without these, MkDocs shows a notice about itself and TensorFlow a page about the processor at every start.
export NO_MKDOCS_2_WARNING := 1
export TF_CPP_MIN_LOG_LEVEL := 3

.PHONY: help serve build check test lowest newest measure record notebooks translated lock

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' Makefile

serve: $(site) ## show the site on 127.0.0.1:8000 and follow changes (another port: make serve PORT=8001)
	$(python) scripts/serve.py

build: $(site) ## build the site strictly, into site/
	$(python) -m mkdocs build --strict

check: $(site) ## lint, formatting, languages in step
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m gradvalve_site.checks

test: $(tests) ## everything that has to pass: check, build, all tests
	$(MAKE) check build
	$(python) -m pytest --numprocesses auto --dist loadfile

lowest: .venv/.created ## test the operations with the oldest TensorFlow and JAX that the package allows (Linux on x86-64)
	scripts/test-lowest

newest: .venv/.created ## test the operations with the newest versions of all frameworks
	scripts/test-newest

measure: $(tests) build ## print what operations and live examples cost, and write docs/data/cost.json anew
	$(python) -m tests.measure

record: $(tests) ## run all snippets and write down anew what they print
	$(python) -m gradvalve_site.snippets

notebooks: build .venv/.notebooks ## open the notebooks in JupyterLab (in another language: make notebooks LANGUAGE=ar)
	scripts/open-notebooks $(LANGUAGE)

translated: $(site) ## show what changed in English, and mark a translation as done: PAGE=tutorial/scale.md LANGUAGE=de
	$(python) -m gradvalve_site.translated $(PAGE) $(LANGUAGE)

lock: .venv/.site ## write requirements/ and package-lock.json anew from pyproject.toml and package.json
	scripts/lock

.venv/.created: requirements/uv.txt
	scripts/create-venv
	@touch $@

.venv/.site: .venv/.created requirements/site.txt pyproject.toml
	scripts/install site
	@touch $@

node_modules/.package-lock.json: .venv/.site package-lock.json
	scripts/install-front-end --omit=dev
	@touch $@

.venv/.test: .venv/.site requirements/test.txt
	scripts/install test
	@touch $@

.venv/.notebooks: .venv/.site requirements/notebooks.txt
	scripts/install notebooks
	@touch $@

.venv/.pytorch: .venv/.created scripts/install-pytorch
	scripts/install-pytorch
	@touch $@

.venv/.browser: .venv/.test node_modules/.package-lock.json
	scripts/install-front-end
	$(python) scripts/chromium.py
	@touch $@
