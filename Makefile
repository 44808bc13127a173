# A thin layer over CMake: every target installs what it needs first (tools/deps GROUP, which says what and how much), then builds.
#   make          the library and the program in build/          make run      build the program quickly, and show what it does
#   make test     all tests                                      make install  libraries and program to PREFIX; make uninstall
#   make lint     format, suspicious code, scripts, layers (DEEP=1: with the static analyser)
#   make bench    measure                                        make asan / coverage / valgrind / fuzz / doc / portability
#   make lab      the papers' experiments                        make wasm     the library as WebAssembly in build/wasm
#   make bench-python / compare-mujoco   the Python package beside C; hull pairs beside MuJoCo
#   make python   the Python package as a wheel and an sdist in build/python-wheel
#   make viewer   the page that shows it all, build/viewer/viewer.html
#   make campaign   false claims that the check must not prove; aligned bodies; meshes and covers
#   make campaign-robots   certified motions of real robots against dense sampling, hours
#   make check-all  tests, sanitizers, coverage, fuzzing, portability ..., with a summary in docs/quality.md; resumable
#   make cluster-test   studies in shards, on Slurm and Dask on this machine
#   make deb / npm / sbom   Debian packages (TRY=1: on a fresh Debian), the npm archive, the bill of materials
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
MAKEFLAGS += --no-print-directory
CTEST = ctest --output-on-failure -j $(JOBS)

.PHONY: all run test lint wasm viewer python lab lab-figures bench bench-instructions bench-python compare-mujoco asan coverage valgrind fuzz doc portability install uninstall clean deps \
	campaign campaign-robots cluster-test tsan mutate abi reproducible check-all deb npm sbom oss-fuzz fuzz-long

# $(call configure,PRESET,FLAGS): what CMake says is shown if it fails; what it leaves out is shown always.
configure = @mkdir -p build && { cmake --preset $(1) $(2) > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }; }; \
	grep '^apart: ' build/configure.log || true

# The tests stay in the build once they are in it.
without_tests = $(if $(wildcard build/.tests),,-DAPART_BUILD_TESTS=OFF -DAPART_BUILD_EXAMPLES=OFF)

all:
	@tools/deps build
	$(call configure,dev,$(without_tests))
	@cmake --build --preset dev -j $(JOBS)

deps:
	@tools/deps test

# One level of the query code, no tests: in build/run, so that it is there in a minute.
run:
	@tools/deps build
	$(call configure,run)
	@cmake --build --preset run -j $(JOBS) --target apart_cli
	@tools/demo build/run/apart build/run/demo.svg

# All that is in the dev preset, tests included: a missing library is an error here.
build/.tests: CMakeLists.txt CMakePresets.json tools/deps
	@tools/deps test
	$(call configure,dev,-DAPART_BUILD_CLI=ON -DAPART_BUILD_TESTS=ON -DAPART_BUILD_EXAMPLES=ON)
	@touch $@

test: build/.tests
	@cmake --build --preset dev -j $(JOBS)
	@cd build && $(CTEST)

lint: build/.tests
	@tools/lint $(if $(DEEP),--deep)

# Into build/wasm: apart.wasm and its JavaScript module.
wasm:
	@tools/deps viewer
	@mkdir -p build && $(MAKE) -j $(JOBS) -C bindings/wasm BUILD=$(CURDIR)/build/wasm
	@echo "build/wasm/apart.js"

# The wheel is built from the sdist, offline and with Debian's Python: what is distributed builds from itself. It is then installed
# into an environment of its own and tried.
PYTHON ?= /usr/bin/python3
python:
	@tools/deps python
	@rm -rf build/python-wheel && mkdir -p build/python-wheel
	@$(PYTHON) -m build --no-isolation --outdir build/python-wheel bindings/python > build/python-wheel.log 2>&1 || { tail -n 40 build/python-wheel.log; exit 1; }
	@rm -rf bindings/python/*.egg-info
	@$(PYTHON) -m venv --system-site-packages build/python-wheel/try
	@build/python-wheel/try/bin/pip install -q --no-index --find-links build/python-wheel apart
	@cd build/python-wheel && try/bin/python -c "import apart; assert apart.distance(apart.sphere(1), apart.sphere(1), pose_b=[3, 0, 0]).verify().proved"
	@ls build/python-wheel/*.whl build/python-wheel/*.tar.gz

viewer:
	@tools/deps viewer
	@JOBS=$(JOBS) tools/viewer

# QUICK=1: under a minute; ONLY=fig4: one experiment; the report is build/lab-run/report.html.
lab:
	@tools/deps lab
	$(call configure,dev,-DAPART_BUILD_CLI=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target apart_cli
	@build/apart lab $(or $(ONLY),all) $(if $(QUICK),--quick) -o build/lab-run

# The committed figures, from a full run.
lab-figures:
	@tools/deps lab
	$(call configure,dev,-DAPART_BUILD_CLI=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target apart_cli
	@build/apart lab all -o build/lab-run
	@mkdir -p docs/figures/lab docs/results && cp build/lab-run/*.svg docs/figures/lab/
	@cp build/lab-run/results.md docs/results.md && cp $$(ls build/lab-run/*.csv | grep -v -e penetration -e jump) docs/results/
	@mkdir -p docs/figures/teaching && build/apart figure list | sed -n 's/^\([a-z][^ ]*\) .*/\1/p' | while read -r name; do build/apart figure $$name -o docs/figures/teaching/$$name.svg; done

# QUICK=1: under a minute; ONLY=W1,W4: these workloads. W8, many bodies, W9, compounds, W10, a robot, W11, building hulls, W12, meshes, and W13, plans (an hour without QUICK; not among "all"), W14, motion, W15, a simulation, and
# TARGETS, the table of ratios that should hold, are programs of their own.
comma := ,
empty :=
ONLY_LIST = $(subst $(comma), ,$(ONLY))
ONLY_PAIRS = $(subst $(empty) $(empty),$(comma),$(strip $(filter-out W8 W9 W10 W11 W12 W13 W14 W15 TARGETS,$(ONLY_LIST))))
bench:
	@tools/deps bench lab
	$(call configure,dev,-DAPART_BUILD_CLI=ON -DAPART_BUILD_BENCH=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target bench --target bench_world --target bench_compound --target bench_robot --target bench_hull --target bench_mesh --target bench_planners \
		--target bench_motion --target bench_simulation --target bench_targets
	@$(if $(ONLY),$(if $(ONLY_PAIRS),build/bench/bench $(if $(QUICK),--quick) --only $(ONLY_PAIRS),true),build/bench/bench $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W8,$(ONLY_LIST)),build/bench/bench_world $(if $(QUICK),--quick),true),build/bench/bench_world $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W9,$(ONLY_LIST)),build/bench/bench_compound,true),build/bench/bench_compound)
	@$(if $(ONLY),$(if $(filter W10,$(ONLY_LIST)),build/bench/bench_robot $(if $(QUICK),--quick),true),build/bench/bench_robot $(if $(QUICK),--quick))
	@$(if $(or $(filter W10,$(ONLY_LIST)),$(if $(ONLY),,all)),if [ -x build/bench/bench_edges ]; then build/bench/bench_edges $(if $(QUICK),--quick); fi,true)
	@$(if $(filter W13,$(ONLY_LIST)),build/bench/bench_plan $(if $(QUICK),--quick,$(PROBLEMS)),true)
	@$(if $(ONLY),$(if $(filter W11,$(ONLY_LIST)),build/bench/bench_hull $(if $(QUICK),--quick),true),build/bench/bench_hull $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W12,$(ONLY_LIST)),tools/bench-mesh $(if $(QUICK),--quick),true),tools/bench-mesh $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W14,$(ONLY_LIST)),build/bench/bench_motion $(if $(QUICK),--quick),true),build/bench/bench_motion $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter W15,$(ONLY_LIST)),build/bench/bench_simulation $(if $(QUICK),--quick),true),build/bench/bench_simulation $(if $(QUICK),--quick))
	@$(if $(ONLY),$(if $(filter TARGETS,$(ONLY_LIST)),build/bench/bench_targets $(if $(QUICK),--quick),true),build/bench/bench_targets $(if $(QUICK),--quick))

# The Python package beside C: batches from plain arrays, single calls, two threads.
bench-python:
	@tools/deps bench python
	$(call configure,dev,-DAPART_BUILD_BENCH=ON -DAPART_BUILD_PYTHON=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target bench_python --target apart_python
	@PYTHONPATH=build/python $(PYTHON) bench/python.py build/bench/bench_python.so

# 3000 random hull pairs and the hard kinds beside MuJoCo, whose npm package goes into build/mujoco. PAIRS=300: a short run.
compare-mujoco:
	@tools/deps python viewer
	$(call configure,dev,-DAPART_BUILD_PYTHON=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target apart_python
	@mkdir -p build/mujoco && cp bench/mujoco/package.json bench/mujoco/pairs.mjs build/mujoco/
	@cd build/mujoco && npm install --ignore-scripts --no-audit --no-fund --loglevel=error > /dev/null
	@PYTHONPATH=build/python $(PYTHON) bench/mujoco/compare.py build/mujoco $(PAIRS)

# UPDATE=1 rewrites the table bench/instructions.csv.
bench-instructions:
	@tools/deps bench
	$(call configure,dev,-DAPART_BUILD_BENCH=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target bench_instructions
	@tools/bench-instructions $(if $(UPDATE),--update)

asan:
	@tools/deps test
	$(call configure,asan)
	@cmake --build --preset asan -j $(JOBS)
	@cd build/asan && $(CTEST) -LE slow

coverage:
	@tools/deps coverage
	$(call configure,coverage)
	@cmake --build --preset coverage -j $(JOBS)
	@cd build/coverage && $(CTEST) -LE slow
	@gcovr -r . build/coverage/src --filter src/ --gcov-ignore-parse-errors --print-summary --fail-under-line 95

valgrind: build/.tests
	@cmake --build --preset dev -j $(JOBS)
	@tools/valgrind

fuzz:
	@tools/deps fuzz python
	$(call configure,fuzz)
	@cmake --build --preset fuzz -j $(JOBS)
	@status=0; tools/fuzz $(FUZZ_SECONDS) || status=1; tools/fuzz-python $(FUZZ_SECONDS) > build/fuzz/python.txt || status=1; \
		tee -a build/fuzz/report.txt < build/fuzz/python.txt; exit $$status

# Hours; the report is build/fuzz/report.txt.
fuzz-long:
	@$(MAKE) fuzz FUZZ_SECONDS=$(or $(FUZZ_LONG_SECONDS),1800)

# What oss-fuzz/ describes, built with Debian's clang.
oss-fuzz:
	@tools/deps fuzz python
	@tools/oss-fuzz

# Threads of worlds and batches under ThreadSanitizer.
tsan: build/.tests
	@cmake --build --preset dev -j $(JOBS)
	@cd build && ctest --output-on-failure -R _races

# Claims just outside the truth, which apart_verify must not prove, and depths of aligned bodies: ten times the work of the tests.
# Meshes: models at thousands of poses against brute force; covers of every mesh of the shared data and of dart-doc.
campaign: build/.tests
	@cmake --build --preset dev -j $(JOBS) --target test_verify_mutants --target test_depth_aligned --target test_mesh_models \
		--target test_cover_files
	@build/tests/test_verify_mutants 10
	@build/tests/test_depth_aligned 10
	@build/tests/test_mesh_models 100
	@find ../shared/data /usr/share/doc/dart -type f 2> /dev/null | grep -iE '\.(stl|dae|obj|ply|off|gltf|glb)$$' | sort | \
		tr '\n' '\0' | xargs -0 -r build/tests/test_cover_files

# Certified minima against 10 000 samples of each of 1000 motions: lines and splines by hulls, lines by triangles. The robots are
# looked for beside the source tree.
campaign-robots: build/.tests
	@cmake --build --preset dev -j $(JOBS) --target test_robot_real
	@for robot in Panda UR5 Fetch TALOS; do build/tests/test_robot_real $(or $(MOTIONS),1000) 10000 $$robot || exit 1; done

# One-line mutations that a test must notice (tests/mutations.txt).
mutate: build/.tests
	@tools/mutate

abi:
	@tools/deps build release
	@tools/abi

reproducible:
	@tools/deps build
	@tools/reproducible

check-all:
	@tools/check-all

# Debian packages of what is committed, in build/deb; TRY=1 also installs them on a fresh Debian in a folder.
deb:
	@tools/deps release
	@tools/deb

npm: wasm
	@tools/npm

sbom:
	@tools/sbom

doc:
	@tools/deps doc
	@mkdir -p build && doxygen docs/Doxyfile
	@echo "build/doc/html/index.html"

# Shards of a study on a real Slurm and a real Dask on this machine (as root).
cluster-test:
	@tools/deps cluster
	$(call configure,dev,-DAPART_BUILD_CLI=ON $(without_tests))
	@cmake --build --preset dev -j $(JOBS) --target apart_cli
	@tools/cluster-test build/apart

# Other compilers, processors and systems; writes the table of docs/portability.md.
portability:
	@tools/deps portability
	@JOBS=$(JOBS) tools/portability

# With the viewer's page if "make viewer" has built it.
install:
	@tools/deps build
	$(call configure,release,-DCMAKE_INSTALL_PREFIX=$(patsubst ~/%,$(HOME)/%,$(PREFIX)) -DAPART_VIEWER=$(CURDIR)/build/viewer/viewer.html)
	@cmake --build --preset release -j $(JOBS)
	@DESTDIR=$(DESTDIR) cmake --install build/release > build/install.log || { cat build/install.log; exit 1; }
	@if [ -z "$(DESTDIR)" ]; then ldconfig 2>/dev/null || true; fi
	@echo "installed: $(patsubst ~/%,$(HOME)/%,$(PREFIX))/bin/apart, libraries and headers (make uninstall takes them away)"
	@[ -f build/viewer/viewer.html ] || echo "without the page of 'apart view': make viewer, then make install again"

uninstall:
	@DESTDIR=$(DESTDIR) cmake --build --preset release --target uninstall

clean:
	rm -rf build
