#!/bin/sh
# Makes the root file system of the image without a container engine, from packages of Debian, a Node and the package of the service, and runs a command in it as the image
# does: as the user of the image, read-only but for /data and /tmp. Needs root and mmdebstrap.
#   deploy/rootfs.sh build PACKAGE.tgz NODE DIRECTORY    NODE is the program `node`, version 24.10 or newer
#   deploy/rootfs.sh run DIRECTORY DATA [COMMAND...]     for example: run /tmp/rootfs /tmp/data version
set -eu
dockerfile=$(dirname "$0")/Dockerfile
# What the last stage of the Dockerfile sets.
last() { tac "$dockerfile" | sed -n "$1;T;q"; }
user=$(last 's/^USER \([0-9]*\):.*/\1/p')
environment=$(last 's/^ENV //p')
entrypoint=$(last 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p')

build() {
  package=$1 node=$2 root=$3
  mmdebstrap --quiet --variant=extract --include=base-files,ca-certificates,libc6,libstdc++6,tzdata bookworm "$root"
  rm -rf "$root"/usr/share/doc "$root"/usr/share/locale "$root"/usr/share/man "$root"/var/cache/apt "$root"/var/lib/apt "$root"/dev/*
  # The scripts of the packages have not run: this is what that of ca-certificates makes.
  mkdir -p "$root/etc/ssl/certs"
  find "$root/usr/share/ca-certificates" -name '*.crt' -exec cat {} + >"$root/etc/ssl/certs/ca-certificates.crt"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%s:%s:nonroot:/data:/sbin/nologin\n' "$user" "$user" >"$root/etc/passwd"
  mkdir -p "$root/nodejs/bin" "$root/app" "$root/usr/local/bin" "$root/proc" "$root/tmp"
  install -m 755 "$node" "$root/nodejs/bin/node"
  strip "$root/nodejs/bin/node"
  tar -xzf "$package" --strip-components=1 --no-same-owner -C "$root/app"
  sed -i '1s|.*|#!/nodejs/bin/node|' "$root/app/easel-server.js"
  ln -s /app/easel-server.js "$root/usr/local/bin/easel-server"
  install -d -m 700 -o "$user" -g "$user" "$root/data"
  printf '%s MB, %s MB packed\n' "$(du -sm "$root" | cut -f1)" "$(tar -cz -C "$root" . | wc -c | awk '{ printf "%.0f", $1 / 1000000 }')"
}

run() {
  root=$(realpath "$1") data=$(realpath "$2")
  shift 2
  chown "$user:$user" "$data"
  # shellcheck disable=SC2016 # the inner shell expands
  exec unshare --mount --pid --fork --kill-child sh -euc '
    root=$1 data=$2 user=$3 environment=$4
    shift 4
    mount --bind "$root" "$root"
    mount --bind "$data" "$root/data"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount -t proc proc "$root/proc"
    mount -o remount,bind,ro "$root"
    settings=$(env | grep "^SERVICE_" | grep -v "^SERVICE_DATA_DIR=" || true)
    exec env -i $environment $settings "$(command -v chroot)" --userspec="$user:$user" "$root" "$@"
  ' sh "$root" "$data" "$user" "$environment" "$entrypoint" "$@"
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
  build | run) "$command" "$@" ;;
  *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;;
esac
