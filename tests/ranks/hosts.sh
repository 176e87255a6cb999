#!/bin/bash
# Runs a command over hosts that are network namespaces of this computer: each has a name, an
# address and a network device of its own, and reaches the others through a bridge. Needs root.
#   hosts.sh up N           makes N of them
#   hosts.sh down N         removes them
#   hosts.sh HOST COMMAND   as ssh, for mpirun: HOST is the address 10.77.0.K
set -e
net=10.77.0 name=ooze-host bridge=ooze-bridge
case $1 in
up)
    ip link add $bridge type bridge
    ip addr add $net.254/24 dev $bridge
    ip link set $bridge up
    for k in $(seq "$2"); do
        ip netns add $name$k
        ip link add ooze-v$k type veth peer name eth0 netns $name$k
        ip link set ooze-v$k master $bridge up
        ip -n $name$k addr add $net.$k/24 dev eth0
        ip -n $name$k link set eth0 up
        ip -n $name$k link set lo up
    done
    ;;
down)
    for k in $(seq "$2"); do
        ip netns del $name$k || true
    done
    ip link del $bridge || true
    ;;
*)
    k=${1##*.}
    shift
    exec ip netns exec $name$k unshare --uts sh -c "hostname $name$k; $*"
    ;;
esac
