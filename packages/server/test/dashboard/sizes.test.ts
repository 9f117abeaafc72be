import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { gzipSync } from "node:zlib";
import { assetPath } from "../../src/config/assets.ts";

const KIB = 1024;
/** The limits of the first load, and of what a screen adds to it, in KiB with gzip. */
const FIRST = 190;
const LATER = 60;
/** What the data of a canvas adds, whose grid no other screen has. */
const DATA = 90;
/** The JSON editor. Screens show a plain field until it is there. */
const EDITOR = "src/kit/json-editor/editor.ts";
const BUILT = assetPath("dashboard");
const SOURCES = path.join(BUILT, "../src");

/** A chunk in the manifest of the build: its file, the style sheets that it needs, and the chunks that it imports at once and later. */
interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  dynamicImports?: string[];
  isDynamicEntry?: boolean;
}

const chunks = JSON.parse(readFileSync(path.join(BUILT, ".vite/manifest.json"), "utf8")) as Record<
  string,
  Chunk
>;

/** Returns the files that some chunks load: their own, and those of all that they import at once. */
function filesOf(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const files = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const { file, css = [], imports = [] } = chunks[name] ?? assert.fail(`no chunk ${name}`);
    for (const each of [file, ...css]) files.add(each);
    waiting.push(...imports);
  }
  return files;
}

/** Returns how many KiB files have as the build has compressed them. */
const sizeOf = (files: Iterable<string>, encoding: "gzip" | "br"): number =>
  [...files].reduce((sum, file) => sum + compressed(path.join(BUILT, file), encoding), 0) / KIB;

/** Returns the size of a file as the build has compressed it, or as the service does. */
const compressed = (file: string, encoding: "gzip" | "br"): number =>
  encoding === "br" ? statSync(`${file}.br`).size : gzipSync(readFileSync(file), { level: 9 }).length;

/** What a browser loads at `/`: the frame, and the screen of canvases. */
const first = filesOf(["index.html", "src/screens/canvases/CanvasesScreen.tsx"]);

it("the first load is at most 190 KiB with gzip and 165 KiB with brotli, and the document 2 KiB", () => {
  assert.ok(first.size > 4, "the screen of canvases has files of its own");
  assert.ok(sizeOf(first, "gzip") <= FIRST, `${sizeOf(first, "gzip")} KiB with gzip`);
  assert.ok(sizeOf(first, "br") <= 165, `${sizeOf(first, "br")} KiB with brotli`);
  assert.ok(statSync(path.join(BUILT, "index.html")).size <= 2 * KIB);
});

/**
 * A screen may add 60 KiB to the first load, and what that leaves of its own limit: parts that several screens share are in the first load or not,
 * as the bundler sees fit.
 */
it("the first load and any other screen are at most 250 KiB together, with the data of a canvas 280", () => {
  const screens = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry && name !== EDITOR);
  assert.ok(screens.some((name) => name.endsWith("VersionsScreen.tsx")));
  assert.ok(screens.some((name) => name.endsWith("/screens/data/collections/Collection.tsx")));
  const sizes = screens.map((name) => [name, sizeOf(first.union(filesOf([name])), "gzip")] as const);
  assert.deepEqual(
    sizes.filter(([name, size]) => size > FIRST + (name.includes("/screens/data/") ? DATA : LATER)),
    [],
  );
});

it("the JSON editor adds at most 115 KiB to what has loaded", () => {
  const added = filesOf([EDITOR]).difference(first);
  assert.ok(sizeOf(added, "gzip") <= 115, `${sizeOf(added, "gzip")} KiB with gzip`);
});

it("React Aria is imported by subpaths, because its index would be loaded whole", () => {
  const sources = globSync("**/*.{ts,tsx}", { cwd: SOURCES });
  assert.ok(sources.length > 50);
  const faulty = sources.filter((file) =>
    /["']react-aria-components["']/.test(readFileSync(path.join(SOURCES, file), "utf8")),
  );
  assert.deepEqual(faulty, []);
});
