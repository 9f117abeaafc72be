/** The files that build tools name by their content, and that people do not name by codes: no images, documents or data. */
const BUILT = /[-.](?<code>[\w-]{8,64})(\.(chunk|min|bundle))?\.(js|mjs|css|wasm|woff2?)(\.map)?$/;

/** A form of hash, and how often at least its characters must change between lower case, upper case, digits and other characters. */
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
 * Whether the name of a file contains a hash of its content, so that another content has another name. A name counts only if it ends
 * in a code that nobody writes by hand: a mistaken yes would keep an old file in browsers for a year, a mistaken no costs a conditional
 * request. Words, dates, versions and counters therefore do not count, and neither do the hashes that look like them.
 */
export function isHashedName(path: string): boolean {
  const stem = BUILT.exec(path.slice(path.lastIndexOf("/") + 1))?.groups?.code;
  if (stem === undefined) return false;
  // The code is what follows the last hyphen, or eight characters with a hyphen among them.
  const codes = [stem.slice(stem.lastIndexOf("-") + 1), /(?:^|-)(.{8})$/.exec(stem)?.[1] ?? ""];
  return FORMS.some(({ form, changes }) =>
    codes.some((code) => form.test(code) && changesIn(code) >= changes),
  );
}
