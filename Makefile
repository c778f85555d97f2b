# Everything a developer runs; `make` alone lists it. System packages and .venv come by themselves.
.DEFAULT_GOAL := help
.PHONY: help setup system demo test unit deploy integration test-matrix check lint bench chaos hostile eval lock sbom clean
PYTHON ?= python3
BIN := .venv/bin
BROKER_TESTS := tests/chaos tests/integration/messaging tests/integration/ocr_worker tests/integration/discovery \
  tests/integration/collector/test_worker.py --ignore tests/chaos/test_recognition.py
ROLES := publisher ocr collector recognition serve recognizers flower

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: system .venv/ready ## install what is missing: system packages and .venv (quick when nothing is)

system:
	@bash deploy/install.sh

# pip brings uv, because pip knows this machine's own index; if uv cannot reach one, pip installs the rest too.
.venv/ready: requirements/dev.txt requirements/uv.txt pyproject.toml | system
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements/uv.txt
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --require-hashes -r requirements/dev.txt \
	  || $(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	touch $@

demo: setup ## run the sample receipts through the real services and show what became of each
	$(BIN)/python -m ledger_tasks.devstack.demo tests/data/receipts

test: unit deploy integration ## all tests, on real services

unit: setup ## tests without sockets
	$(BIN)/pytest -q tests/unit

deploy: setup ## manifests, images, broker files, permissions and credentials; offline, on real servers
	$(BIN)/pytest -q -n 2 --dist worksteal tests/deploy

integration: setup ## tests on real services, two at a time; the pages alone, for their browser owns its process
	$(BIN)/pytest -q -n 2 --dist worksteal tests/integration tests/chaos
	$(BIN)/pytest -q tests/web

test-matrix: setup ## what takes long: all that meets the broker once more on RabbitMQ 4.0, image steps in bare Debians, ...
	bash deploy/install.sh matrix
	CI=true $(BIN)/python -m tests.support.debian trixie rabbitmq-server
	CI=true $(BIN)/pytest -q -n 2 --dist worksteal -m matrix tests
	CI=true LEDGER_TEST_RABBITMQ=4.0 $(BIN)/pytest -q -n 2 --dist worksteal $(BROKER_TESTS)

check: lint unit deploy ## what must be clean before a commit: lint, format, types, imports, unit tests, deployment

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

chaos-recognition: setup ## the exchange under kill -9, SIGSTOP and a bad service (SECONDS=60 SEED=1 SABOTAGE=final)
	$(BIN)/python -m tests.chaos.recognition --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1) --sabotage "$(SABOTAGE)"

bench soak: export LEDGER_BENCH_RECEIPTS ?= $(abspath $(wildcard ../shared/receipts/sroie-dev))

bench: setup ## ours against a reference in the same run (NAME=p1 for one)
	bash deploy/install.sh bench
	$(BIN)/python -m tests.bench $(NAME)

soak: setup ## receipts through queues and two workers: throughput, memory over time in build/soak.svg (PAGES=1000)
	SOAK_PAGES=$(or $(PAGES),1000) $(BIN)/python -m tests.bench soak

chaos: setup ## a random mix of faults, then the audit (SECONDS=120 SEED= SABOTAGE=drop|double|stick)
	$(BIN)/python -m tests.chaos

hostile: setup ## what becomes of some 550 hostile files and messages, by verdict
	$(BIN)/python -m tests.support.hostile

eval: FOLDER ?= $(wildcard ../shared/receipts/sroie-dev)
eval: setup ## how well receipts are read (FOLDER=... with img/ and key/, else slips made here; ERRATA=file of wrong labels)
	$(if $(FOLDER),,$(BIN)/python -m tests.support.slips build/slips --language mixed --count 40)
	mkdir -p eval-report
	$(BIN)/ledger eval $(or $(FOLDER),build/slips) --html eval-report/index.html $(if $(ERRATA),--errata $(ERRATA))

lock: .venv/ready ## write the hashed locks anew (UPGRADE=1 for newer versions)
	$(call compile,dev,--extra dev)
	grep -A 1000 '^uv==' requirements/dev.txt | awk 'NR > 1 && /^[a-z]/ {exit} !/#/' >requirements/uv.txt
	$(foreach role,$(ROLES),$(call compile,$(role),--extra $(role) --constraint requirements/dev.txt)$(newline))

sbom: setup ## the bill of materials of each role, in build/sbom (CycloneDX)
	mkdir -p build/sbom
	$(foreach role,$(ROLES),$(BIN)/cyclonedx-py requirements requirements/$(role).txt --pyproject pyproject.toml \
	  --output-reproducible --output-file build/sbom/$(role).json$(newline))

clean: ## end and remove this checkout's stack, caches and builds
	-$(BIN)/ledger dev down --purge
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache eval-report

define compile
	$(BIN)/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
	  $(if $(UPGRADE),--upgrade) $(2) --output-file requirements/$(1).txt pyproject.toml
endef
define newline


endef
