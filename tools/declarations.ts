import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const PACKAGES = path.join(import.meta.dirname, "../packages");
const TSC = path.join(
  path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);

/** The private package whose declarations are copied into each published package that uses them. */
const PROTOCOL = "@easel/protocol/";

/** The module specifiers in a declaration file: `from "…"`, `import("…")` and `import "…"`. */
const SPECIFIER = /(?<=\bfrom |\bimport\(|\bimport )"([^"]+)"/g;

/**
 * Writes the TypeScript declarations of a package to `outDir`: `entries`, which are paths relative to `packages`, and all files that they
 * import. Replaces the old `outDir` only when all files are written.
 */
export async function writeDeclarations(project: string, entries: string[], outDir: string): Promise<void> {
  const emitted = await mkdtemp(path.join(tmpdir(), "easel-declarations-"));
  const draft = `${outDir}.${randomUUID()}.tmp`;
  try {
    await emit(project, emitted);
    for (const file of await reachable(entries, emitted)) {
      const target = path.join(draft, file);
      await mkdir(path.dirname(target), { recursive: true });
      const text = await readFile(path.join(emitted, file), "utf8");
      await writeFile(
        target,
        text.replace(SPECIFIER, (_, name) => `"${published(name, file)}"`),
      );
    }
    await rm(outDir, { recursive: true, force: true });
    await rename(draft, outDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(emitted, { recursive: true });
  }
}

/** Compiles the declarations of a package and of the protocol to `outDir`, with paths such as `sdk/src/index.d.ts`. */
async function emit(project: string, outDir: string): Promise<void> {
  const config = path.join(outDir, "tsconfig.json");
  await writeFile(
    config,
    JSON.stringify({
      extends: path.join(project, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: PACKAGES,
        outDir,
      },
      include: [path.join(project, "src"), path.join(PACKAGES, "protocol/src")],
      exclude: [path.join(PACKAGES, "**/*.test.ts")],
    }),
  );
  await promisify(execFile)(process.execPath, [TSC, "-p", config]);
}

/** Returns the declaration files that the entries import, and the entries. */
async function reachable(entries: string[], root: string): Promise<Set<string>> {
  const files = new Set(entries);
  for (const file of files) {
    const text = await readFile(path.join(root, file), "utf8");
    for (const [, name = ""] of text.matchAll(SPECIFIER)) {
      const target = targetOf(name, file);
      if (target !== undefined) files.add(target);
    }
  }
  return files;
}

/** Returns the declaration file that a specifier in `file` leads to; undefined if it is in another published package. */
function targetOf(name: string, file: string): string | undefined {
  if (name.startsWith(PROTOCOL)) return `protocol/src/${name.slice(PROTOCOL.length)}.d.ts`;
  if (name.startsWith(".")) return path.join(path.dirname(file), name).replace(/\.tsx?$/, ".d.ts");
  return undefined;
}

/**
 * Returns a module specifier as it must be in the published declarations: a relative path that ends in `.js`. Specifiers of other published
 * packages stay the same.
 */
function published(name: string, file: string): string {
  const target = targetOf(name, file);
  if (target === undefined) return name;
  const relative = path.relative(path.dirname(file), target).replace(/\.d\.ts$/, ".js");
  return relative.startsWith(".") ? relative : `./${relative}`;
}
