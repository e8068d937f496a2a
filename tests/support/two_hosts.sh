#!/bin/sh
# two_hosts.sh FOLDER: two hosts on this machine, halo-a and halo-b, with a network interface, a name, a
# /dev/shm and an ssh server each, on one bridge. TwoHosts (two_hosts.h) starts it as the first process of
# namespaces of its own. So nothing of it is seen outside, and all of it ends when it ends.
# halo-b's monotonic clock is 2 s ahead, where the kernel has time namespaces (FOLDER/shifted is there then).
set -eu
cd "$1"
ssh=$(command -v ssh)
sshd=$(command -v sshd || echo /usr/sbin/sshd)
ahead=""
if unshare --time --monotonic 2 --fork true 2>/dev/null; then
  ahead="--time --monotonic 2"
  : >shifted
fi

mount -t tmpfs tmpfs /run  # what `ip netns` and sshd keep there
mkdir /run/sshd bin
printf '%s\n' '127.0.0.1 localhost' '198.18.77.2 halo-a' '198.18.77.3 halo-b' >hosts
mount --bind hosts /etc/hosts
ssh-keygen -q -t ed25519 -N '' -f key
ssh-keygen -q -t ed25519 -N '' -f other_key
printf '%s\n' "IdentityFile $PWD/key" "UserKnownHostsFile $PWD/known_hosts" 'GlobalKnownHostsFile /dev/null' \
  'StrictHostKeyChecking yes' 'BatchMode yes' 'ConnectTimeout 5' 'LogLevel ERROR' >ssh_config
printf '%s\n' '#!/bin/sh' "exec $ssh -F $PWD/ssh_config \"\$@\"" >bin/ssh
chmod +x bin/ssh

ip link set lo up
ip link add cables type bridge
ip addr add 198.18.77.1/24 dev cables
ip link set cables up

# What a person's shell begins with may wait for a lock that a killed one left; the hosts' shells begin with nothing.
printf '%s\n' 'for file in "$(getent passwd "$(id -u)" | cut -d: -f6)/.bashrc" /etc/bash.bashrc; do' \
  '  [ ! -e "$file" ] || mount --bind /dev/null "$file"' 'done' >plain_shell

# host NAME ADDRESS AHEAD…
host() {
  name=$1 address=$2
  shift 2
  ssh-keygen -q -t ed25519 -N '' -f "$name.key"
  echo "$name $(cat "$name.key.pub")" >>known_hosts
  mkdir "$name.tmp"
  printf '%s\n' "HostKey $PWD/$name.key" "AuthorizedKeysFile $PWD/key.pub" 'PermitRootLogin yes' 'StrictModes no' \
    'UsePAM no' 'PasswordAuthentication no' "SetEnv TMPDIR=$PWD/$name.tmp" "PidFile $PWD/$name.pid" >"$name.conf"
  ip netns add "$name"
  ip link add "v$name" type veth peer name eth0 netns "$name"
  ip link set "v$name" master cables up
  ip netns exec "$name" ip addr add "$address/24" dev eth0
  ip netns exec "$name" ip link set lo up
  ip netns exec "$name" ip link set eth0 up
  ip netns exec "$name" unshare --uts --ipc --mount --fork "$@" sh -c \
    "hostname $name && mount -t tmpfs tmpfs /dev/shm && . $PWD/plain_shell && exec $sshd -D -f $PWD/$name.conf" &
}
host halo-a 198.18.77.2
# shellcheck disable=SC2086
host halo-b 198.18.77.3 $ahead
for name in halo-a halo-b; do
  tries=0
  until bin/ssh "$name" true 2>said; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { cat said; exit 1; }
  done
done
echo ready
wait
