#!/bin/sh
# Makes the Debian package of Easel from the package of the service:
#   DEBEMAIL=you@example.com deploy/debian/build.sh easel-server-0.1.0.tgz [FOLDER]
# DEBEMAIL and DEBFULLNAME name the maintainer of the package, who is the one that builds it. SOURCE_DATE_EPOCH is the time of its files, by default that of
# the package of the service, so that two builds are the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
package=$1
folder=${2:-.}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$package")}
export SOURCE_DATE_EPOCH
umask 022
root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT

share=$root/usr/share/easel
doc=$root/usr/share/doc/easel-server
install -d "$share" "$doc" "$root/usr/bin" "$root/usr/sbin" "$root/usr/share/man/man8" "$root/usr/lib/systemd/system" "$root/etc/easel" "$root/DEBIAN"
tar -xzf "$package" --strip-components=1 --no-same-owner -C "$share"
find "$share" -type d -exec chmod 755 {} +
find "$share" -type f -exec chmod 644 {} +
chmod 755 "$share/easel-server.js"
# The Node of Debian, whatever other Node is on the path of the person.
sed -i '1s|.*|#!/usr/bin/node|' "$share/easel-server.js"
ln -s ../share/easel/easel-server.js "$root/usr/bin/easel-server"
install -m 644 "$here"/../systemd/easel*.service "$here"/../systemd/easel*.socket "$here"/../systemd/easel*.timer "$root/usr/lib/systemd/system"
install -m 755 "$here/../systemd/easel-command" "$root/usr/sbin"
install -m 600 "$here/easel.env" "$root/etc/easel/easel.env"
# Lintian wants 0644, but settings may be secrets.
install -d "$root/usr/share/lintian/overrides"
echo 'easel-server: non-standard-file-perm 0600 != 0644 [etc/easel/easel.env]' >"$root/usr/share/lintian/overrides/easel-server"
for page in easel-server easel-command; do
  gzip -9n <"$here/$page.8" >"$root/usr/share/man/man8/$page.8.gz"
done

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$share/package.json")
node=$(sed -n 's/^    "node": ">=\(.*\)"$/\1/p' "$share/package.json")
maintainer="${DEBFULLNAME:-The Easel authors} <${DEBEMAIL:?set it to the address of the maintainer of the package}>"

{
  printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: The Easel authors\nLicense: Expat\n'
  sed '1,/^$/d; s/^$/./; s/^/ /' "$share/LICENSE"
  printf '\nComment:\n /usr/share/doc/easel-server/LICENSES.txt.gz and the file of the dashboard beside it have the licences of the libraries that the program contains.\n'
} >"$doc/copyright"
rm "$share/LICENSE"
rm -r "$share/deploy/debian" "$share/deploy/systemd"
mv "$share/deploy" "$doc/examples"
gzip -9n <"$share/LICENSES.txt" >"$doc/LICENSES.txt.gz"
gzip -9n <"$share/assets/packages/dashboard/dist/LICENSES.txt" >"$doc/LICENSES.dashboard.txt.gz"
rm "$share/LICENSES.txt" "$share/assets/packages/dashboard/dist/LICENSES.txt"
printf 'easel-server (%s) stable; urgency=medium\n\n  * See CHANGELOG.md of Easel.\n\n -- %s  %s\n' "$version" "$maintainer" \
  "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"

cat >"$root/DEBIAN/control" <<CONTROL
Package: easel-server
Version: $version
Architecture: all
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$root" | cut -f1)
Depends: nodejs (>= $node)
Section: web
Priority: optional
Description: host small static web apps with sign-in and a backend
 Easel serves the small web apps that people and their AI tools make, each
 behind the sign-in of the organisation. A page has a backend without server
 code: identity, data and files with rights, AI models within a budget, approved
 external APIs and live messages.
CONTROL
echo /etc/easel/easel.env >"$root/DEBIAN/conffiles"
install -m 755 "$here/postinst" "$here/prerm" "$here/postrm" "$root/DEBIAN"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f ! -path ./etc/easel/easel.env -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$folder/easel-server_${version}_all.deb"
