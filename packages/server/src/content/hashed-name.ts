/**
 * Matches file names of the types to which build tools add hashes: scripts, styles, WebAssembly and fonts. Images, documents and data do
 * not match, because people also use codes in their names.
 */
const BUILT = /[-.](?<code>[\w-]{8,64})(\.(chunk|min|bundle))?\.(js|mjs|css|wasm|woff2?)(\.map)?$/;

/**
 * The format of the hashes that a build tool puts into file names. `changes` is the minimum number of times that a hash switches between
 * lower-case letters, upper-case letters, digits and other characters. `a1b2` switches 3 times.
 */
interface Form {
  form: RegExp;
  changes: number;
}

const FORMS: Form[] = [
  { form: /^[0-9a-f]{8,64}$/, changes: 3 }, //  webpack, Parcel: hexadecimal
  { form: /^[A-Z2-7]{8}$/, changes: 3 }, //     esbuild: base 32
  // Vite, Rollup: base 64 for URLs
  { form: /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*[_-].*[_-])[\w-]{8}$/, changes: 5 },
];

const CLASSES = /[a-z]+|[A-Z]+|\d+|[_-]+/g;

const changesIn = (code: string): number => (code.match(CLASSES)?.length ?? 1) - 1;

/**
 * Whether a file name contains a hash of the content, such as `index-DkT3xq9Z.js`. In doubt, returns false: a wrong `true` would keep an
 * old file in browsers for a year, while a wrong `false` costs a conditional request. So a hash that looks like a word, a date, a version
 * or a counter does not count.
 */
export function isHashedName(path: string): boolean {
  const stem = BUILT.exec(path.slice(path.lastIndexOf("/") + 1))?.groups?.code;
  if (stem === undefined) return false;
  // The hash may be the part after the last hyphen or, if the hash itself contains a hyphen, the last eight characters.
  const codes = [stem.slice(stem.lastIndexOf("-") + 1), /(?:^|-)(.{8})$/.exec(stem)?.[1] ?? ""];
  return FORMS.some(({ form, changes }) =>
    codes.some((code) => form.test(code) && changesIn(code) >= changes),
  );
}
