#!/usr/bin/env bash
# The test of packaging/test_deb.sh, within the minimal system: its folder holds the packages.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
step() { echo "-- $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

step install
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./*.deb >/tmp/apt.log 2>&1 ||
    { tail -n 20 /tmp/apt.log; fail "the packages cannot be installed"; }
installed() { # names of our packages that are installed
    dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' | grep -E '^ii' |
        sed -nE 's/^ii +((lib|python3-)?ooze(0|-dev)?)$/\1/p'
}
installed

step ooze version
ooze version
for part in hdf5 render ode meshopt view; do
    ooze version | grep -Eq "^ +$part +yes" || fail "the command lacks its part $part"
done

step a scene
cd /tmp
ooze new drop >/tmp/new.log
schema=/usr/share/ooze/scene.schema.json
head -n 1 drop.yaml | grep -qxF "# yaml-language-server: \$schema=file://$schema" ||
    fail "drop.yaml does not name the installed schema"
[ -s $schema ] || fail "the schema is not installed"
ooze run drop.yaml -o run --set spacing=0.006 --frames 4 -q
ooze info run | grep -q particles || fail "ooze info does not know the run"
ooze render run --frames 4 --preview --size 64x48 -q
ls run/pictures/*.png >/dev/null 2>&1 || ls run/*/*.png >/dev/null || fail "there is no picture"
ooze examples gallery | grep -q honey_toast || fail "the scenes are not installed"
ooze examples gallery/honey_toast -o copy >/dev/null
[ -s copy/meshes/toast_crumb.obj ] || fail "the mesh of the example was not copied"

step man
MANWIDTH=80 man ooze | grep -q 'particle-based viscoelastic fluids' || fail "man ooze"
MANWIDTH=80 man ooze-run | grep -q 'never overwritten' || fail "man ooze-run"
mandb -q
whatis ooze | grep -q viscoelastic || fail "whatis ooze"

step completion
# as bash does it at the first tab: by the name of the command
bash -c '
    . /usr/share/bash-completion/bash_completion
    _completion_loader ooze || [ $? -eq 124 ]
    COMP_WORDS=(ooze presets hon) COMP_CWORD=2
    _ooze
    [ "${COMPREPLY[*]}" = honey ]' || fail "completion in bash"

step a program in C by pkg-config
cd /test
version=$(ooze version | sed -n '1s/ooze //p')
[ "$(pkg-config --modversion ooze)" = "$version" ] || fail "the version of pkg-config"
cc -Wall -Wextra -Werror drop.c $(pkg-config --cflags --libs ooze) -o /tmp/drop
/tmp/drop | grep -Eq '^[1-9][0-9]+ particles after 1 s' || fail "the program by pkg-config"
ldd /tmp/drop | grep -q 'libooze.so.0 => /' || fail "the program does not use the shared library"

step a program in C by CMake
mkdir /tmp/made
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(drop LANGUAGES C)' \
    'find_package(ooze 0.1 REQUIRED)' 'add_executable(drop drop.c)' \
    'target_link_libraries(drop PRIVATE ooze::ooze)' >CMakeLists.txt
{ cmake -S . -B /tmp/made && cmake --build /tmp/made; } >/tmp/cmake.log 2>&1 ||
    { cat /tmp/cmake.log; fail "the program by CMake"; }
/tmp/made/drop | grep -Eq '^[1-9][0-9]+ particles after 1 s' || fail "the program by CMake"

if [ -e use_python.py ]; then
    step python3-ooze
    python3 use_python.py || fail "the Python module"
else
    echo "-- python3-ooze: not tested, as there is no folder python/ooze"
fi

step remove
apt-get purge -y -qq $(installed) >/tmp/apt.log 2>&1 || fail "they cannot be removed"
[ -z "$(installed)" ] || fail "packages are left"
left=$(find /usr /etc /var/lib/dpkg/info -path /usr/share/doc -prune -o -iname '*ooze*' -print)
[ -z "$left" ] || fail "files are left: $left"
echo "the packages install, work and leave nothing behind"
