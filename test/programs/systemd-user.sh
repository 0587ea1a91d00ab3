#!/usr/bin/env bash
# Boots the systemd of one ordinary user, in namespaces of its own: no login, no D-Bus, no systemd of the machine.
# usage: unshare --mount --pid --fork --cgroup --kill-child systemd-user.sh SYSTEMD UID HOME PROJECT MOUNTPOINT
# It has to be in a control group of its own.
# The project appears at MOUNTPOINT; /home, /opt, /run and /tmp are empty but for that. Says "booted", then stays.
set -euo pipefail
systemd=$1 user=$2 home=$3 project=$4 mountpoint=$5

mount --make-rprivate /
mount -t proc proc /proc
umount -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/project && mount --bind "$project" /run/project
for directory in /home /opt; do mount -t tmpfs -o mode=755 tmpfs "$directory"; done
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p "$mountpoint" && mount --bind /run/project "$mountpoint"

# What the systemd of the machine would have made: it says that there is one, and is where sandboxes are put together.
mkdir -p /run/systemd/system /run/systemd/unit-root
mkdir -p -m 700 "/run/user/$user" "$home"
chown "$user:$user" "/run/user/$user" "$home" /sys/fs/cgroup /sys/fs/cgroup/cgroup.*

# What other programs of this user have set must not matter to the service.
cd "$home"
env -i HOME="$home" XDG_RUNTIME_DIR="/run/user/$user" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=tr_TR.UTF-8 \
  NODE_OPTIONS='--require /nonexistent.js' \
  setpriv --reuid "$user" --regid "$user" --clear-groups "$systemd" --user --log-target=null &
until env XDG_RUNTIME_DIR="/run/user/$user" setpriv --reuid "$user" --regid "$user" --clear-groups \
  systemctl --user is-system-running 2>/dev/null | grep -q running; do sleep .05; done
echo booted
wait
