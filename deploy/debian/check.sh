#!/bin/sh
# Checks a Debian package of Easel: lintian, and installing, starting, upgrading, removing and purging it in a Debian of its own. Needs root, lintian and
# mmdebstrap. NODE is the program `node` that stands in for Debian's package `nodejs`.
#   deploy/debian/check.sh easel-server_0.1.0_all.deb NODE
set -eu
package=$(realpath "$1") node=$2
lintian --allow-root --fail-on error,warning "$package"

work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=minbase --include=curl bookworm "$root"
mkdir -p "$work/nodejs/DEBIAN" "$work/nodejs/usr/bin"
cp "$node" "$work/nodejs/usr/bin/node"
printf 'Package: nodejs\nVersion: %s\nArchitecture: amd64\nMaintainer: nobody <nobody@localhost>\nDepends: libstdc++6\nDescription: stand-in\n' \
  "$("$node" --version | cut -c2-)" >"$work/nodejs/DEBIAN/control"
dpkg-deb --build -Znone "$work/nodejs" "$root/nodejs.deb" >/dev/null
cp "$package" "$root/easel.deb"
mount -t proc proc "$root/proc"

env -i PATH="$PATH" DEBIAN_FRONTEND=noninteractive chroot "$root" sh -euxc '
  if dpkg --install /easel.deb 2>/dev/null; then exit 1; fi
  dpkg --purge easel-server
  dpkg --install /nodejs.deb /easel.deb >/dev/null
  test "$(stat -c "%a %U" /etc/easel/easel.env /etc/easel/session-secret | sort -u)" = "600 root"
  easel-server version
  useradd --system --home-dir /var/lib/easel --create-home easel
  cd /var/lib/easel
  setpriv --reuid=easel --regid=easel --clear-groups env SERVICE_PORT=4396 SERVICE_DATA_DIR=/var/lib/easel easel-server &
  for wait in 1 2 3 4 5 6 7 8 9 10; do curl --silent --fail http://localhost:4396/healthz && break; sleep 1; done
  curl --silent --fail --output /dev/null http://localhost:4396/skill.md
  kill $!
  wait $!
  before=$(md5sum /etc/easel/session-secret)
  echo SERVICE_PORT=4397 >>/etc/easel/easel.env
  dpkg --install /easel.deb >/dev/null
  test "$(md5sum /etc/easel/session-secret)" = "$before"
  grep -q 4397 /etc/easel/easel.env
  dpkg --remove easel-server >/dev/null
  test -e /etc/easel/easel.env && test ! -e /usr/bin/easel-server
  dpkg --purge easel-server >/dev/null
  test ! -e /etc/easel && test -e /var/lib/easel/easel.db
'
