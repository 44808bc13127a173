# A thin layer over CMake: every target installs what it needs first (tools/deps), then builds in build/.
#   make        build            make run     build, then show the distance between two bodies
#   make test   build, all tests make bench   measure          make asan / coverage / fuzz / doc / install
#   make lint   format, suspicious code, scripts, layers (DEEP=1: with the static analyser)
#   make lab    the papers' experiments                         make wasm   the library as WebAssembly in build/wasm
#   make viewer the page that shows it all, build/viewer/viewer.html
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
MAKEFLAGS += --no-print-directory
CTEST = ctest --output-on-failure -j $(JOBS)

.PHONY: all run test lint wasm viewer lab lab-figures bench bench-instructions asan coverage valgrind fuzz doc install clean deps

all: build/.configured
	@cmake --build --preset dev -j $(JOBS)

build/.configured: build/.deps CMakeLists.txt CMakePresets.json
	@cmake --preset dev > build/configure.log || { cat build/configure.log; exit 1; }
	@touch $@

build/.deps: tools/deps
	@tools/deps
	@mkdir -p build && touch $@

deps:
	@tools/deps

run: build/.configured
	@cmake --build --preset dev -j $(JOBS) --target apart_cli
	@tools/demo

test: all
	@cd build && $(CTEST)

lint: build/.configured
	@tools/lint $(if $(DEEP),--deep)

# Into build/wasm: apart.wasm and its JavaScript module.
wasm:
	@tools/deps viewer
	@mkdir -p build && $(MAKE) -j $(JOBS) -C bindings/wasm BUILD=$(CURDIR)/build/wasm
	@echo "build/wasm/apart.js"

viewer:
	@tools/deps viewer
	@JOBS=$(JOBS) tools/viewer

# QUICK=1: under a minute; ONLY=fig4: one experiment; the report is build/lab-run/report.html.
lab: build/.configured
	@tools/deps lab
	@cmake --build --preset dev -j $(JOBS) --target apart_cli
	@build/apart lab $(or $(ONLY),all) $(if $(QUICK),--quick) -o build/lab-run

# The committed figures, from a full run.
lab-figures: build/.configured
	@tools/deps lab
	@cmake --build --preset dev -j $(JOBS) --target apart_cli
	@build/apart lab all -o build/lab-run
	@mkdir -p docs/figures/lab && cp build/lab-run/*.svg docs/figures/lab/

# QUICK=1: under a minute; ONLY=W1,W4: these workloads. W8, many bodies, W9, compounds, W10, a robot, and W11, building hulls, are programs of their own.
comma := ,
empty :=
ONLY_LIST = $(subst $(comma), ,$(ONLY))
ONLY_PAIRS = $(subst $(empty) $(empty),$(comma),$(strip $(filter-out W8 W9 W10 W11,$(ONLY_LIST))))
bench: build/.deps
	@tools/deps bench
	@cmake --preset dev -DAPART_BUILD_BENCH=ON > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset dev -j $(JOBS) --target bench --target bench_world --target bench_compound --target bench_robot --target bench_hull
	@$(if $(ONLY),$(if $(ONLY_PAIRS),build/bench/bench $(if $(QUICK),--quick) --only $(ONLY_PAIRS),true),build/bench/bench $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W8,$(ONLY_LIST)),build/bench/bench_world $(if $(QUICK),--quick),true),build/bench/bench_world $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W9,$(ONLY_LIST)),build/bench/bench_compound,true),build/bench/bench_compound)
	@$(if $(ONLY),$(if $(filter W10,$(ONLY_LIST)),build/bench/bench_robot $(if $(QUICK),--quick),true),build/bench/bench_robot $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W11,$(ONLY_LIST)),build/bench/bench_hull $(if $(QUICK),--quick),true),build/bench/bench_hull $(if $(QUICK),--quick))

# UPDATE=1 rewrites the table bench/instructions.csv.
bench-instructions: build/.deps
	@tools/deps bench
	@cmake --preset dev -DAPART_BUILD_BENCH=ON > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset dev -j $(JOBS) --target bench_instructions
	@tools/bench-instructions $(if $(UPDATE),--update)

asan: build/.deps
	@mkdir -p build && cmake --preset asan > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset asan -j $(JOBS)
	@cd build/asan && $(CTEST) -LE slow

coverage: build/.deps
	@tools/deps coverage
	@cmake --preset coverage > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset coverage -j $(JOBS)
	@cd build/coverage && $(CTEST) -LE slow
	@gcovr -r . build/coverage/src --filter src/ --gcov-ignore-parse-errors --print-summary --fail-under-line 95

valgrind: all
	@tools/valgrind

fuzz:
	@tools/deps fuzz
	@cmake --preset fuzz > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset fuzz -j $(JOBS)
	@tools/fuzz $(FUZZ_SECONDS)

doc:
	@tools/deps doc
	@mkdir -p build && doxygen docs/Doxyfile
	@echo "build/doc/html/index.html"

install: build/.deps
	@$(MAKE) viewer || echo "installing without the viewer: 'apart view' will say so"
	@mkdir -p build && cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DAPART_VIEWER=$(CURDIR)/build/viewer/viewer.html > build/configure.log || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS)
	@DESTDIR=$(DESTDIR) cmake --install build/release
	@if [ -z "$(DESTDIR)" ]; then ldconfig 2>/dev/null || true; fi

clean:
	rm -rf build
