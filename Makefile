# A thin front to CMake. `make demo` and `make test` do everything on a fresh Debian or Ubuntu machine.
PREFIX ?= /usr/local
# The GPU part: AUTO where nvcc works, ON, or OFF. What is given to one `make` stays for the next.
OOZE_CUDA ?= $(or $(shell sed -n 's/^OOZE_CUDA:[A-Z]*=//p' build/CMakeCache.txt 2>/dev/null),AUTO)
OOZE_CUDA := $(OOZE_CUDA)
.PHONY: all configure demo gallery python blender test test-all bench install uninstall deb deb-test \
        wasm format clean deps

# CMake refuses a build folder that was configured elsewhere, before a checkout was moved or copied.
define forget_if_moved
@if [ -f $(1)/CMakeCache.txt ] && \
   ! [ "$$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' $(1)/CMakeCache.txt)" -ef . ]; then \
  echo "This checkout has been moved or copied: $(1) is configured again."; \
  rm -rf $(1)/CMakeCache.txt $(1)/CMakeFiles; fi
endef

all: configure
	@cmake --build --preset release --target ooze libooze ooze_help

# Only what it says of the optional features is shown, unless it fails.
configure: deps
	$(call forget_if_moved,build)
	@cmake --preset release -DOOZE_CUDA=$(OOZE_CUDA) > build-configure.log 2>&1 || \
	  (cat build-configure.log; exit 1)
	@sed -n 's/^-- \(Part .*\)/\1/p' build-configure.log
	@rm -f build-configure.log

deps:
	@tools/install.sh build

demo: all
	@tools/demo.sh

# Simulates and renders every scene of scenes/gallery, hours on two cores, and films the moving figures of
# scenes/barreiro2017. A trial: make gallery GALLERY="--spacing 3 --size 640x360"
gallery: all
	@tools/gallery.py $(GALLERY)

# The wheel of the Python package, with the library and the command inside: build/python.
python: all
	@tools/install.sh python
	@tools/python_wheel.py build

# The Blender add-on as a zip for `Install from Disk`; needs no build.
blender:
	@tools/blender_zip.py build/ooze_blender.zip
	@echo "build/ooze_blender.zip"

# The core of every method and interface.
test:
	@tools/install.sh test
	@OOZE_CUDA=$(OOZE_CUDA) tools/test.py core

# Everything. SUITES: those of tools/test.py to run; all where none is named.
test-all:
	@tools/install.sh test
	@OOZE_CUDA=$(OOZE_CUDA) tools/test.py $(SUITES)

bench: all
	@cmake --build --preset release --target bench_programs
	@build/ooze bench blocks
	@for bench in build/bench/*_bench; do $$bench; done

install: all
	@cmake --install build --prefix "$(PREFIX)"
	@cp build/install_manifest.txt build/installed.txt

# Removes the files that the last `make install` listed.
uninstall:
	@test -s build/installed.txt || (echo "this build has not been installed"; exit 1)
	@tools/uninstall.sh build/installed.txt

# The library in WebAssembly, and the page of `ooze view` with it inside: build-wasm/ooze.html.
wasm:
	@tools/install.sh wasm
	$(call forget_if_moved,build-wasm)
	@emcmake cmake --preset wasm > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build --preset wasm
	@echo "build-wasm/ooze.html"

# Debian packages in build-deb/.
deb:
	@tools/install.sh deb
	@packaging/build_deb.sh

# Installs and uses them in a minimal system, as root: minutes, mostly downloads.
deb-test: deb
	@packaging/test_deb.sh

# One version for all: others break the same lines elsewhere.
format:
	@command -v clang-format-14 > /dev/null || \
	  (echo "make format needs clang-format-14 (a package of Debian 12 and Ubuntu 24.04)"; exit 1)
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format-14 -i

clean:
	@rm -rf build build-*
