# A thin front to CMake. `make demo` and `make test` do everything on a fresh Debian or Ubuntu machine.
PREFIX ?= /usr/local
.PHONY: all demo gallery test test-full format bench install clean deps

all: deps
	@cmake --preset release > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build --preset release

deps:
	@tools/install.sh build

demo: all
	@tools/demo.sh

# Simulates and renders every scene of scenes/gallery: half an hour on two cores.
gallery: all
	@tools/gallery.py

test:
	@tools/install.sh test
	@tools/test.py

test-full:
	@tools/install.sh test
	@OOZE_FULL=1 tools/test.py

bench: all
	@build/ooze bench blocks
	@for bench in build/bench/*_bench; do $$bench; done

install: all
	@cmake --install build --prefix "$(PREFIX)"

# One version for all: others break the same lines elsewhere.
format:
	@command -v clang-format-14 > /dev/null || \
	  (echo "make format needs clang-format-14 (a package of Debian 12 and Ubuntu 24.04)"; exit 1)
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format-14 -i

clean:
	@rm -rf build build-*
