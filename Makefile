# Every command that people and CI use. `make` alone lists them.
#
# PYTHON  the Python that the environment is made of (python3)
# ENV     where the environment lives (.venv)
# JOBS    how many test processes run side by side (2)

PYTHON ?= python3
ENV ?= .venv
JOBS ?= 2

# What a user's shell has set for other projects stays out of ours.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
export PIP_DISABLE_PIP_VERSION_CHECK = 1

BIN := $(ENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
# Named by version, so that another PYTHON makes the environment anew.
READY := $(ENV)/.ready-$(VERSION)
DEV_READY := $(ENV)/.dev-ready-$(VERSION)

CORE := $(sort $(wildcard csrc/*.h csrc/*/*.h csrc/*/*.c))
C_SOURCES := $(filter %.c,$(CORE))
C_WARNINGS := -std=c17 -Wall -Wextra -Wconversion -pedantic

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help drive test lint types tidy sanitize cross docs package clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

drive: $(READY)  ## show the route agent's drive, or write it where there is no display
	@$(BIN)/kinewright drive

test: $(DEV_READY)  ## run the tests
	@$(BIN)/pytest -q -n $(JOBS)

lint: $(DEV_READY)  ## style of Python and warnings of C
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@for file in $(C_SOURCES); do \
	    $${CC:-cc} -fsyntax-only $(C_WARNINGS) -Werror -Icsrc $$file || exit 1; \
	done
	@echo "lint: clean"

types: $(DEV_READY)  ## mypy --strict
	@mkdir -p build/types && ln -sfn ../../agents build/types/kinewright_agents
	@$(BIN)/mypy --no-error-summary
	@echo "types: clean"

tidy:  ## clang-tidy on the core
	@command -v clang-tidy >/dev/null || \
	    { echo "kinewright: missing clang-tidy; on Debian or Ubuntu: apt install clang-tidy" >&2; exit 1; }
	@mkdir -p build && clang-tidy --quiet $(C_SOURCES) -- -std=c17 -Icsrc >build/tidy.log 2>&1 || \
	    { grep -v 'generated\.$$' build/tidy.log; exit 1; }
	@echo "tidy: clean"

# CFLAGS replaces Python's own, so asserts are alive here. LD_PRELOAD: Python itself is
# not instrumented; PYTHONMALLOC: cffi's memory would hide in Python's arenas.
SANITIZED := build/sanitize/lib
# A length that was flipped in a file may ask for more memory than there is: an error, no abort.
# Tests of pure Python, which the sanitizers' allocator slows a hundredfold, and of builds of
# their own, which bring their sanitizers along.
NOT_SANITIZED := $(patsubst %,--ignore-glob='*/%*',test_viewer test_import test_scene_errors \
    test_kw_replay test_cross test_routes_cross test_rolling_cross test_avoidance_bits \
    test_belief_builds test_bench test_readers test_cli test_replay)
SANITIZE := -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all

sanitize: $(DEV_READY)  ## the tests of the core under address and undefined behaviour sanitizers
	@CC=gcc CFLAGS="$(SANITIZE)" LDFLAGS="$(SANITIZE)" $(BIN)/python setup.py --quiet \
	    build --force --build-base build/sanitize --build-lib $(SANITIZED)
	@rm -f build/sanitize/report.*
	@PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path=$(CURDIR)/build/sanitize/report \
	UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:log_path=$(CURDIR)/build/sanitize/report \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	$(BIN)/pytest -q -n $(JOBS) -p no:cacheprovider $(NOT_SANITIZED) tests/csrc tests/env \
	    tests/planner $(wildcard tests/agents/test_rolling_*.py) || \
	    { head -n 40 build/sanitize/report.* 2>/dev/null; exit 1; }

# Debian's compiler and emulator of each processor that `make cross` needs.
CROSS_TOOLS := aarch64-linux-gnu-gcc s390x-linux-gnu-gcc qemu-aarch64-static qemu-s390x-static

CROSS_TESTS := $(wildcard tests/csrc/test_*cross.py) tests/csrc/test_avoidance_bits.py \
    tests/csrc/test_belief_builds.py

cross: $(DEV_READY)  ## drives, maps, routes and decisions on emulated 64-bit Arm and big-endian s390x
	@for tool in $(CROSS_TOOLS); do command -v $$tool >/dev/null || { \
	    echo "kinewright: missing $$tool; on Debian or Ubuntu: apt install" \
	    "gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu" \
	    "libc6-dev-s390x-cross qemu-user-static" >&2; exit 1; }; done
	@$(BIN)/pytest -q -rs -n $(JOBS) -m "slow or not slow" -k "cross or processor" $(CROSS_TESTS)

docs: $(READY)  ## write docs/figures.md and the pictures from the code
	@$(BIN)/python docs/make_figures.py
	@$(BIN)/python docs/make_scene_pictures.py
	@$(BIN)/python docs/make_senses_pictures.py
	@$(BIN)/python docs/make_drive_pictures.py >/dev/null
	@$(BIN)/python docs/make_rolling_pictures.py
	@$(BIN)/python docs/make_replanner_pictures.py

package: $(DEV_READY)  ## source archive and wheel in dist/
	@$(BIN)/python -m build --outdir dist . | tail -n 1

clean:  ## remove the environment and everything built
	@rm -rf $(ENV) build dist output *.egg-info kinewright_env/*.so

$(READY): pyproject.toml setup.py $(CORE)
	@command -v $(PYTHON) >/dev/null || { echo "kinewright: no Python '$(PYTHON)';" \
	    "on Debian or Ubuntu: apt install python3 python3-venv python3-dev gcc" >&2; exit 1; }
	@$(PYTHON) .ci/check_machine.py
	@echo "kinewright: preparing $(ENV) (Python $(VERSION)), a minute the first time"
	@test -e $@ || rm -rf $(ENV)
	@test -e $(BIN)/pip || $(PYTHON) -m venv $(ENV)
	@$(BIN)/python -m pip install -qq --editable ".[render,video,maps]"
	@touch $@

# The tools alone: the package itself is there already, and no second build is needed.
$(DEV_READY): pyproject.toml $(READY)
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))\
	["project"]["optional-dependencies"]["dev"], sep="\n")' > $(ENV)/dev.txt
	@$(BIN)/python -m pip install -qq --requirement $(ENV)/dev.txt
	@touch $@
