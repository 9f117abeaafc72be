#!/bin/sh
# Checks a Debian package of Easel: lintian, and installing, starting, backing up, upgrading, removing and purging it in a Debian of its own, whose systemd runs in
# namespaces. Needs root, lintian, mmdebstrap and a kernel with cgroup2. NODE is the program `node` that stands in for Debian's package `nodejs`.
#   deploy/debian/check.sh easel-server_0.1.0_all.deb NODE
set -eu
package=$(realpath "$1") node=$2
lintian --allow-root --fail-on error,warning "$package"

work=$(mktemp -d)
root=$work/root
cgroup=
end() {
  [ -z "$cgroup" ] || kill -KILL "$init" 2>/dev/null || true
  sleep 1
  [ -z "$cgroup" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,libnss-systemd,libstdc++6,curl bookworm "$root"
echo 127.0.0.1 localhost >"$root/etc/hosts"
mkdir -p "$work/nodejs/DEBIAN" "$work/nodejs/usr/bin"
cp "$node" "$work/nodejs/usr/bin/node"
printf 'Package: nodejs\nVersion: %s\nArchitecture: %s\nMaintainer: nobody <nobody@localhost>\nDepends: libstdc++6\nDescription: stand-in\n' \
  "$("$node" --version | cut -c2-)" "$(dpkg --print-architecture)" >"$work/nodejs/DEBIAN/control"
dpkg-deb --build -Znone "$work/nodejs" "$root/root/nodejs.deb" >/dev/null
cp "$package" "$root/root/easel.deb"

# systemd as the first process of its own namespaces. Its mounts are shared, so that credentials reach the services.
hierarchy=$(findmnt --noheadings --output TARGET --types cgroup2 | head -n 1)
cgroup=$hierarchy/easel-check-$$
mkdir "$cgroup"
# shellcheck disable=SC2016 # the inner shells expand
sh -c 'echo $$ >"$1/cgroup.procs"; exec unshare --mount --pid --cgroup --uts --ipc --net --fork --kill-child sh -euc "$2" sh "$3"' sh "$cgroup" '
  root=$1
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  for directory in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$directory"; done
  chmod 1777 "$root/tmp"
  for device in null zero full random urandom tty; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
  mkdir "$root/dev/pts" "$root/dev/shm" "$root/.old"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  ip link set lo up
  cd "$root"
  pivot_root . .old
  umount -l /.old
  mount --make-rshared /
  exec env -i container=check PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/lib/systemd/systemd --system --log-target=null
' "$root" &
init=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  first=$(pgrep --parent "$init" --exact systemd) && break
  sleep 1
done
inside() { nsenter --target "$first" --mount --pid --cgroup --uts --ipc --net --root --wd env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
for _ in 1 2 3 4 5 6 7 8 9 10; do
  inside systemctl is-system-running --quiet && break
  sleep 1
done

inside sh -euxc '
  cd /root
  if dpkg --install easel.deb 2>/dev/null; then exit 1; fi
  dpkg --purge easel-server
  dpkg --install nodejs.deb easel.deb >/dev/null
  test "$(stat -c "%a %U" /etc/easel/easel.env /etc/easel/session-secret | sort -u)" = "600 root"
  easel-server version
  ready() { curl --silent --fail --output /dev/null --retry 20 --retry-connrefused http://localhost:3000/readyz; }

  systemctl enable --quiet --now easel.socket easel.service
  ready
  test "$(systemctl is-enabled easel-backup.timer)" = disabled
  easel-command check
  systemctl enable --quiet --now easel-backup.timer
  systemctl start easel-backup.service
  easel-command verify /var/lib/easel-backups
  if easel-command restore /var/lib/easel-backups; then exit 1; fi
  systemctl stop easel.socket easel.service
  easel-command restore /var/lib/easel-backups
  systemctl start easel.socket easel.service
  ready

  before=$(md5sum /etc/easel/session-secret)
  echo SERVICE_LOG_LEVEL=debug >>/etc/easel/easel.env
  dpkg --install easel.deb >/dev/null
  ready
  test "$(md5sum /etc/easel/session-secret)" = "$before"
  grep -q debug /etc/easel/easel.env
  dpkg --remove easel-server >/dev/null
  test -e /etc/easel/easel.env && test ! -e /usr/bin/easel-server
  test "$(systemctl is-active easel.service)" != active
  dpkg --purge easel-server >/dev/null
  test ! -e /etc/easel && test -e /var/lib/private/easel/easel.db && test -d /var/lib/private/easel-backups/blobs
'
