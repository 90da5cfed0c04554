# All tasks of the repository. Outputs go to build/.

# A pipe fails if any of its commands fails.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

PYTHON ?= python3
VENV   := build/venv
PY     := $(VENV)/bin/python
# Files that go into the wheel.
SOURCES := $(shell find core trnbackend pybind python -name '*.go' -o -name '*.s' -o -name '*.[ch]' \
             -o -name '*.py' -o -name '*.pyi') \
           go.mod go.sum pyproject.toml gobuild.py hatch_build.py
STATICCHECK := go tool -modfile=tools/go.mod staticcheck
# Writes the assembly of the kernel packages below the folder given as its argument.
KERNELGEN := go run -C tools ./kernelgen
GO_TEST_FLAGS ?=
GOFMT := files=$$(gofmt -l core trnbackend pybind tests_go benchmarks examples tools); \
         if [ -n "$$files" ]; then echo "gofmt would change: $$files"; exit 1; fi
# The PJRT plugin of XLA for the CPU that the test group of pyproject.toml installs, if there is one for this platform.
XLA = $(firstword $(wildcard $(abspath $(VENV))/lib/python3*/site-packages/lammps_jax_pjrt_cpu/*.so))
# Prints failures of go test -json and writes the slowest tests to the file given next.
GO_REPORT := $(PYTHON) tests_py/support/go_report.py
# Go packages with tests that compare numbers of threads: under the race detector these run, with small cases
# (CONTRIBUTING.md). The BLAS, the scheduler and the queue of deferred updates run there as a whole.
THREADED = $(filter-out ./core/blas/ ./core/sched/% ./core/schur/internal/%,$(addprefix ./,$(sort $(dir \
           $(shell grep -rl --include='*_test.go' '^func Test.*Threads' core)))))
# One or two cheap files of each subject; selftest calls every public function.
SMOKE := $(addprefix tests_py/,border/test_selftest.py border/test_namespaces.py blas/test_blas_level1.py \
           linalg/test_hessenberg.py df/test_df_transform.py mp2/test_mp2.py docs/test_api_page.py)
# Groups of benchmarks/cases.py for make bench and make bench-check: parts of their names, separated by commas. Empty
# means all groups except the long ones, which have to be named in full.
BENCH ?=
# What make bench and make bench-check need and do.
BENCH_PARTS = $(VENV)/installed $(VENV)/bench build/bench/cblas.so build/bench/dgemm.so
TIME_CASES = CGO_ENABLED=0 go build -o build/bench/gotimes ./benchmarks/gotimes && \
             $(PY) benchmarks/run.py --filter "$(BENCH)"
# Options of make bench-pyscf, such as "--only benzene --threads 1"; benchmarks/pyscf_runs.py --help names them.
RUNS ?=
# Suites and sets of versions that make peer-tests runs, such as PEERS="scipy numpy" SETS=newest; empty means all.
PEERS ?=
SETS ?=
# A clone of PySCF with its tests, for machines that cannot reach the one on the web.
PYSCF_REPOSITORY ?=
# The tests, and the examples in the documentation of the installed package and of the README.
PYTEST_PATHS := tests_py README.md --pyargs trnsci

.PHONY: help demo quick test cover test-all test-versions lint generate check-generated test-go test-py wheel sdist \
        check-wheel docs dev bench bench-check \
        bench-report bench-pyscf bench-peers peer-tests clean

help:  ## list all targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' Makefile | expand -t 18

demo: build/user/installed  ## build and install the wheel, then compare density-fitted RHF and MP2 of benzene with PySCF
	build/user/bin/python examples/benzene_df_mp2.py

quick: $(VENV)/tools  ## about three minutes: formatters, Go tests of what has changed, some Python tests of every subject
	@$(GOFMT)
	$(VENV)/bin/ruff check .
	go test -short ./core/... ./trnbackend/... ./pybind/... ./tests_go/...
	$(PY) gobuild.py
	PYTHONPATH=python $(PY) -m pytest -q -m "not slow" $(SMOKE)

test:  ## everything that CI runs; two jobs at a time, with durations in build/reports
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint test-go test-py check-wheel

test-go: $(VENV)/tools  ## the part of test in Go
	TRNSCI_TEST_PJRT=$(XLA) go test -json $(GO_TEST_FLAGS) ./core/... ./trnbackend/... ./pybind/... ./tests_go/... | \
		$(GO_REPORT) build/reports/go.txt
	TRNSCI_TEST_PJRT=$(XLA) \
		go test -json -race ./core/sched/... ./trnbackend/device/... ./trnbackend/pjrt/... ./pybind/... | \
		$(GO_REPORT) --every-package build/reports/go-race.txt
	go test -json -race -short -tags noasm \
		./core/kernel/... ./core/mp2/internal/... ./core/blas/... ./core/schur/internal/... | \
		$(GO_REPORT) --every-package build/reports/go-race-blas.txt
	go test -json -race -short -tags noasm -run Threads $(THREADED) | \
		$(GO_REPORT) --every-package build/reports/go-race-threads.txt

# OpenBLAS, which computes the expected values, has one thread: those of two processes would wait for one another.
test-py: $(VENV)/installed build/testhooks/trnsci/_trnsci.abi3.so  ## the part of test in Python, without the slow ones
	@mkdir -p build/reports
	OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal -m "not slow and not serial" --durations=20 \
		$(PYTEST_PATHS) | tee build/reports/python.txt
	$(PY) -m pytest -m "serial and not slow" --durations=20 tests_py/border tests_py/mp2 tests_py/pyscf | \
		tee build/reports/python-serial.txt

cover: $(VENV)/tools  ## statements of core that the short Go tests reach, in build/reports
	@mkdir -p build/reports
	go test -short -coverprofile=build/reports/core.cover ./core/...
	go tool cover -func=build/reports/core.cover > build/reports/coverage.txt
	@tail -1 build/reports/coverage.txt

generate:  ## write the assembly, the records of calls and the names that Python gets from Go anew
	$(KERNELGEN) $(CURDIR)
	go run ./pybind/record/gen
	@mkdir -p build
	go run ./trnbackend/pythonnames > build/names.py && mv build/names.py python/trnsci/_core/_names.py

check-generated: build/checked
	@rm -rf build/_generated && $(KERNELGEN) $(CURDIR)/build/_generated
	@for f in $$(cd build/_generated && find core -type f) $$(find core -name 'gen_*'); do cmp -s build/_generated/$$f $$f || \
		{ echo "$$f is not what tools/kernelgen makes: run make generate"; exit 1; }; done

lint: $(VENV)/tools check-generated  ## formatters and checkers of Go and Python
	@$(GOFMT)
	go vet ./...
	go vet -tags noasm ./core/... ./trnbackend/...
	GOARCH=arm64 go vet ./core/... ./trnbackend/...
	$(STATICCHECK) ./...
	cd tools && go vet ./... && go tool staticcheck ./...
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

test-all: $(VENV)/installed build/testhooks/trnsci/_trnsci.abi3.so  ## the wheel on every Python found, slow tests too
	$(PYTHON) tests_py/support/run_on_all_pythons.py build/wheels/*.whl

test-versions: $(VENV)/installed build/testhooks/trnsci/_trnsci.abi3.so  ## the oldest and the newest NumPy, SciPy and PySCF
	$(PYTHON) tests_py/support/run_on_versions.py build/wheels/*.whl

wheel: build/wheels/stamp  ## one wheel for every Python from 3.10 on, to carry to other machines
	@ls build/wheels/*.whl

sdist: $(VENV)/tools  ## a source archive and its wheel
	rm -rf build/dist
	$(PY) -m build --no-isolation --outdir build/dist .

check-wheel: build/wheels/stamp $(VENV)/tools  ## manylinux, stable ABI and exported symbols
	$(PY) tests_py/support/check_wheel.py build/wheels/*.whl

docs: $(VENV)/installed  ## regenerate docs/api.md
	$(PY) tests_py/support/api_page.py

dev: $(VENV)/tools  ## editable install; rerun it after a change of Go code
	$(VENV)/bin/pip install -q --no-build-isolation --no-deps -e .
	rm -f $(VENV)/installed

bench: $(BENCH_PARTS)  ## time against peers, all or BENCH=dgemm,eigh or BENCH=smoke
	$(TIME_CASES)

bench-check: $(BENCH_PARTS)  ## compare times with the last stored ones of this machine class, all or BENCH=dgemm,eigh
	$(TIME_CASES) --check

bench-report: $(VENV)/bench  ## all rows of benchmarks/results as tables, in build/bench/report.md
	@mkdir -p build/bench
	$(PY) benchmarks/report.py > build/bench/report.md

bench-pyscf: $(VENV)/installed $(VENV)/bench  ## time whole runs of PySCF with and without trnsci, or RUNS="--smoke"
	$(PY) benchmarks/pyscf_runs.py $(RUNS)

bench-peers: build/bench-peers/mkl/built build/bench-peers/faer/release/faer-times  ## more peers for make bench (1 GB, some minutes)

peer-tests: build/wheels/stamp  ## test suites of SciPy, NumPy and PySCF with our functions in their place (docs/peers.md)
	$(PYTHON) tests_peers/run.py --wheel build/wheels/*.whl $(if $(PEERS),--peers $(PEERS)) $(if $(SETS),--sets $(SETS)) \
		$(if $(PYSCF_REPOSITORY),--pyscf-repository $(PYSCF_REPOSITORY))

clean:  ## remove everything in build
	rm -rf build python/trnsci/_trnsci.abi3.so

# Says in one line what the machine lacks, before anything is built.
build/checked:
	@command -v $(PYTHON) >/dev/null || { echo "trnsci: Python is missing: install Python 3.10 or newer, or set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "trnsci: $(PYTHON) is older than Python 3.10: set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "trnsci: Python's venv module is missing: install it (for example the package python3-venv)"; exit 1; }
	@$(PYTHON) gobuild.py --check
	@mkdir -p build && touch $@

$(VENV)/tools: build/checked pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check 'pip>=25.1'
	$(PY) -m pip install -q --disable-pip-version-check --group build --group lint --group test
	touch $@

$(VENV)/bench: $(VENV)/tools
	$(PY) -m pip install -q --disable-pip-version-check --group bench
	touch $@

# The loop that calls a peer's functions from C, and the library that replaces PySCF's matrix product.
build/bench/%.so: benchmarks/peers/%.c
	@mkdir -p $(@D)
	cc -O2 -Wall -Wextra -shared -fPIC -o $@ $<

# Optional peers, each in its own folder.
build/bench-peers/mkl/built:
	$(PYTHON) -m venv build/bench-peers/mkl
	build/bench-peers/mkl/bin/pip install -q --disable-pip-version-check mkl
	touch $@

build/bench-peers/faer/release/faer-times: $(wildcard benchmarks/peers/faer/Cargo.* benchmarks/peers/faer/src/*)
	@command -v cargo >/dev/null || { echo "trnsci: Rust's cargo is missing: install it for the peer faer"; exit 1; }
	cargo build -q --release --locked --manifest-path benchmarks/peers/faer/Cargo.toml --target-dir build/bench-peers/faer

# A user's environment: pip, which installs the build requirements of pyproject.toml, and for the demo the wheel and
# PySCF.
build/user/made: build/checked
	$(PYTHON) -m venv build/user
	touch $@

build/wheels/stamp: build/user/made $(SOURCES)
	rm -rf build/wheels
	@echo "building the wheel; the first time the Go library takes about a minute on two processors"
	build/user/bin/pip wheel -q --disable-pip-version-check --no-deps --wheel-dir build/wheels .
	touch $@

# Modules are compiled on import: PySCF, SciPy and NumPy have thousands that the demo does not need.
build/user/installed: AGAIN = $(if $(wildcard build/user/lib/python3*/site-packages/trnsci),--force-reinstall --no-deps)
build/user/installed: build/wheels/stamp
	build/user/bin/pip install -q --disable-pip-version-check --no-compile $(AGAIN) "$$(ls build/wheels/*.whl)[pyscf]"
	touch $@

$(VENV)/installed: build/wheels/stamp $(VENV)/tools
	$(PY) -m pip install -q --disable-pip-version-check --force-reinstall --no-deps build/wheels/*.whl
	touch $@

# The package with an extension that can panic on purpose, for tests of the border.
build/testhooks/trnsci/_trnsci.abi3.so: $(VENV)/tools $(SOURCES)
	rm -rf build/testhooks
	mkdir -p build/testhooks
	tar -C python -cf - --exclude=__pycache__ --exclude='*.so' trnsci | tar -C build/testhooks -xf -
	$(PY) gobuild.py --tags testhooks --output $@
