#!/usr/bin/env bash
# Boots a whole systemd with a journal, in namespaces of its own, on an overlay of this machine's files.
# usage: unshare --mount --pid --fork --cgroup --ipc --uts --kill-child systemd-machine.sh SYSTEMD PROJECT MOUNTPOINT BASE
# The project appears at MOUNTPOINT; BASE is an empty directory for the overlay. No network services of this machine are
# started (sysinit.target comes before them). Every unit that would reach for the shared kernel is masked, and /proc/sys is
# read-only. SIGKILL to this process ends it with everything in it.
set -euo pipefail
systemd=$1 project=$2 mountpoint=$3 base=$4

mount --make-rprivate /
mount -t tmpfs tmpfs "$base"
mkdir "$base/upper" "$base/work" "$base/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
cd "$base/root"

mkdir -p ".$mountpoint" && mount --bind "$project" ".$mountpoint"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch "dev/$device" && mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx && ln -s /proc/self/fd dev/fd
: >etc/machine-id
: >etc/fstab
for unit in systemd-{sysctl,modules-load,random-seed,remount-fs,tmpfiles-setup,tmpfiles-setup-dev,udevd,udev-trigger}.service \
  systemd-udevd-{control,kernel}.socket sys-kernel-{debug,tracing,config}.mount sys-fs-fuse-connections.mount \
  dev-{hugepages,mqueue}.mount proc-sys-fs-binfmt_misc.automount; do
  ln -sf /dev/null "etc/systemd/system/$unit"
done
mount --bind proc/sys proc/sys && mount -o remount,ro,bind proc/sys

mkdir old && pivot_root . old && umount -l old
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin "$systemd" --system --unit=sysinit.target >/dev/null 2>&1
