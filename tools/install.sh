#!/usr/bin/env bash
# Installs missing packages on Debian 12 or Ubuntu 24.04 (as root or through sudo, without
# questions); on other systems, or without the rights, lists what is missing.
#   tools/install.sh build   packages for building and running
#   tools/install.sh python  these, and packages for the Python package and its wheel
#   tools/install.sh test    these, and packages for the tests
#   tools/install.sh deb     those for building, and those for building Debian packages
#   tools/install.sh wasm    those for the build for WebAssembly, which needs no others
set -euo pipefail

build=(gcc make cmake ninja-build pkg-config python3 libyaml-dev libhdf5-dev libcmocka-dev
       libmeshoptimizer-dev libode-dev libembree-dev libpng-dev libcairo2-dev libwebsockets-dev
       libopenmpi-dev openmpi-bin
       fonts-dejavu-core ffmpeg)
python=(python3-numpy python3-pip python3-setuptools python3-wheel python3-venv)
test=(g++ clang clang-format-14 ccache git python3-h5py python3-numpy python3-vtk9
      python3-jsonschema python3-yaml poppler-utils mount)
wasm=(emscripten cmake ninja-build python3)
deb=(debhelper dh-python dpkg-dev fakeroot git lintian mmdebstrap)

# Commands that the page of `ooze view`, its tests and those of shells and manual pages use, where a
# package has them; the build and the tests say what they leave out without them.
optional=(npm)
[ "${1:-build}" = test ] && optional+=(chromium zsh fish groff)

wanted=("${build[@]}")
[ "${1:-build}" = build ] || wanted+=("${python[@]}")
[ "${1:-build}" = wasm ] && wanted=("${wasm[@]}")
[ "${1:-build}" = test ] && wanted+=("${test[@]}")
[ "${1:-build}" = deb ] && wanted+=("${deb[@]}")

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# The sanitizer and fuzzer runtimes are packaged by clang version.
clang_runtime() {
    local version
    version=$(apt-cache depends clang 2>/dev/null |
        sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -1)
    [ -n "$version" ] && echo "libclang-rt-$version-dev"
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    if [ "${1:-build}" = test ] && runtime=$(clang_runtime); then
        wanted+=("$runtime")
    fi
    missing=()
    for package in "${wanted[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    lacking=()
    for command in "${optional[@]}"; do
        command -v "$command" >/dev/null || lacking+=("$command")
    done
    [ ${#missing[@]} -eq 0 ] && [ ${#lacking[@]} -eq 0 ] && exit 0
    if [ "$(id -u)" -eq 0 ]; then
        sudo=()
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo=(sudo)
    elif [ ${#missing[@]} -eq 0 ]; then
        exit 0
    else
        echo "missing packages: ${missing[*]}" >&2
        echo "install them with: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    # one try a day: a machine that cannot have them does not ask for them at every build
    stamp=${TMPDIR:-/tmp}/ooze-optional-packages-$(id -u)-${1:-build}
    if [ -n "$(find "$stamp" -mtime -1 2>/dev/null)" ]; then
        lacking=()
        [ ${#missing[@]} -eq 0 ] && exit 0
    fi
    echo "installing: ${missing[*]} ${lacking[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${sudo[@]}" apt-get update -qq
    if [ "${1:-build}" = test ] && runtime=$(clang_runtime); then
        is_installed "$runtime" || missing+=("$runtime")
    fi
    [ ${#missing[@]} -eq 0 ] ||
        "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    for package in "${lacking[@]}"; do
        touch "$stamp"
        "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
            echo "$package could not be installed; what needs it is left out"
    done
    exit 0
fi

# Not Debian: look for the commands and libraries.
if [ "${1:-build}" = wasm ]; then
    command -v emcc >/dev/null && command -v cmake >/dev/null &&
        command -v ninja >/dev/null && exit 0
    echo "this machine has no apt-get; please install Emscripten, CMake and Ninja" >&2
    exit 1
fi
missing=()
for command in cc cmake ninja pkg-config python3; do
    command -v "$command" >/dev/null || missing+=("command $command")
done
if command -v pkg-config >/dev/null; then
    for module in yaml-0.1 cairo-pdf cmocka; do
        pkg-config --exists "$module" || missing+=("library $module with headers")
    done
fi
command -v h5cc >/dev/null || command -v h5pcc >/dev/null || missing+=("HDF5 with C headers (h5cc)")
if [ "${1:-build}" = test ]; then
    for command in clang clang-format-14 git; do
        command -v "$command" >/dev/null || missing+=("command $command")
    done
    for module in h5py numpy vtk jsonschema yaml; do
        python3 -c "import $module" 2>/dev/null || missing+=("Python module $module")
    done
fi
if [ ${#missing[@]} -gt 0 ]; then
    echo "this machine has no apt-get; please install:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    exit 1
fi
