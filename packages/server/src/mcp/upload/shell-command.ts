/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns a command for a POSIX shell (sh, bash, zsh, Git Bash) that zips a folder and uploads it to an address with a ticket. The folder can be
 * relative to the one in which the command runs. Left out are dot files except `.well-known`, `node_modules` and symbolic links, none of which
 * leaves the computer. Zips with what there is: zip, the tar of Windows or bsdtar, or Python.
 */
export function shellCommand(folder: string, url: string, ticket: string): string {
  // A folder such as `-x` would be an option of cd, and `-` the folder before.
  const at = quote(folder.startsWith("-") ? `./${folder}` : folder);
  return `( set -e; CDPATH= cd ${at}; t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; z=$t/site.zip
find . -name '.?*' ! -name .well-known -prune -o -name node_modules -prune -o -type f -print > "$t/list"
b=$(command -v bsdtar || echo "$SYSTEMROOT/System32/tar.exe")
if command -v zip > /dev/null; then zip -q "$z" -@ < "$t/list"
elif [ -x "$b" ]; then "$b" -acf "$z" -s ',^\\./,,' -T "$t/list"
else PYTHONUTF8=1 python3 -c 'import sys,zipfile
z=zipfile.ZipFile(sys.argv[1],"w",8)
for n in sys.stdin: z.write(n[:-1])
z.close()' "$z" < "$t/list"; fi
curl -sS --fail-with-body -T "$z" -H 'Content-Type: application/zip' -H ${quote(`Authorization: Bearer ${ticket}`)} ${quote(url)} )`;
}
