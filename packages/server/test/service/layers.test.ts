import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const PACKAGES = path.join(import.meta.dirname, "../../..");
const SERVER = path.join(PACKAGES, "server/src");
const PROTOCOL = path.join(PACKAGES, "protocol/src");

/**
 * The layers, the innermost first: a file may import from its own layer and from those before. A name with a slash at the end is a folder.
 * A file that is listed by itself belongs to that layer, not to the layer of its folder.
 */
const LAYERS = [
  ["access/", "async/", "config/", "crypto/", "disk/", "metrics/", "http/refusal.ts", "http/canvas-path.ts"],
  ["drivers/"],
  ["canvases/canvas-data.ts"],
  ["instance/"],
  ["env.ts"],
  ["http/"],
  ["operations/"],
  ["mail/"],
  ["canvases/"],
  ["identity/"],
  ["sign-in/"],
  ["organisation/"],
  ["scim/"],
  ["pipeline/"],
  ["primitives/", "management/", "content/"],
  ["dashboard/"],
  ["token-page/"],
  ["oauth/"],
  ["openapi/"],
  ["docs/"],
  ["agents/", "doc-pages/"],
  ["mcp/"],
  ["app.ts", "stored-data.ts"],
  ["backup/", "copy/"],
  ["new-env.ts", "open-instance.ts"],
  ["service.ts"],
  ["index.ts"],
  ["commands/"],
  ["main.ts"],
];

/** Matches the file with the interface in each folder of drivers, which every file may import. */
const OPEN_TO_ALL = /^drivers\/(\w+)\/\1\.ts$/;
const DRIVER = /^drivers\/\w+\//;

interface Import {
  from: string;
  /** What is imported: a package, a built-in module, or a file as a path below the source folder. */
  to: string;
  /** Whether only types are imported, so that the import does not exist at run time. */
  typesOnly: boolean;
  /** Whether the import runs only when the code around it does. */
  isLater: boolean;
}

const read = (folder: string, file: string) => readFileSync(path.join(folder, file), "utf8");

/** Returns every source file below a folder, as a path below that folder with forward slashes. */
const sourcesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));

function importsOf(folder: string, file: string): Import[] {
  const text = read(folder, file);
  const atOnce = [...text.matchAll(/^(?:import|export) (type )?(?:[^;"]*? from )?"([^"]+)"/gm)];
  const later = [...text.matchAll(/\bimport(type )?\("([^"]+)"\)/g)];
  return [...atOnce, ...later].map(([, types, to = ""], index) => ({
    from: file,
    to: to.startsWith(".") ? path.posix.join(path.posix.dirname(file), to) : to,
    typesOnly: types !== undefined,
    isLater: index >= atOnce.length,
  }));
}

const files = sourcesOf(SERVER);
const imports = files.flatMap((file) => importsOf(SERVER, file));
const say = ({ from, to }: Import) => `${from} imports ${to}`;
/** Returns the imports to which the rule applies, as messages. */
const breaking = (rule: (each: Import) => boolean) => imports.filter(rule).map(say);

const layersOf = (file: string) => {
  const byFile = LAYERS.flatMap((names, layer) => (names.includes(file) ? [layer] : []));
  if (byFile.length > 0) return byFile;
  return LAYERS.flatMap((names, layer) =>
    names.some((name) => name.endsWith("/") && file.startsWith(name)) ? [layer] : [],
  );
};

test("the sources and their imports are found", () => {
  assert.ok(files.length > 60 && imports.length > 200);
  assert.ok(imports.some((each) => say(each) === "commands/start.ts imports service.ts"));
  assert.ok(imports.some((each) => say(each) === "app.ts imports fastify"));
  for (const each of imports) if (each.to.endsWith(".ts")) assert.ok(files.includes(each.to), say(each));
});

test("every source lies in exactly one layer", () => {
  assert.deepEqual(
    files.filter((file) => layersOf(file).length !== 1),
    [],
  );
});

test("imports point inward", () => {
  const layer = (file: string) => layersOf(file)[0] ?? -1;
  assert.deepEqual(
    breaking(({ from, to }) => to.endsWith(".ts") && layer(to) > layer(from)),
    [],
  );
});

/**
 * What the start must not load: modules of it are needed by some settings or requests only. Node's own `fetch` comes with the values of
 * `node:http`, which `http/node-http.ts` gets without it.
 */
const NOT_AT_START = [
  ...["jose", "marked", "nodemailer", "openid-client", "undici", "postgres", "@redis/client", "node:http"],
  ...["@modelcontextprotocol/server", "@ai-sdk/anthropic", "@ai-sdk/openai-compatible"],
];

test("the start loads no package that only some settings or requests need", () => {
  const loaded = new Set(["commands/start.ts", "service.ts"]);
  for (let size = 0; size < loaded.size; ) {
    size = loaded.size;
    for (const { from, to, typesOnly, isLater } of imports)
      if (loaded.has(from) && !typesOnly && !isLater) loaded.add(to);
  }
  assert.ok(loaded.has("app.ts") && loaded.has("fastify"));
  assert.deepEqual(
    NOT_AT_START.filter((name) => loaded.has(name)),
    [],
  );
});

/** Whether both files belong to the drivers of one interface, such as `drivers/db/`. */
const sameDriver = (from: string, to: string) => DRIVER.exec(from)?.[0] === DRIVER.exec(to)?.[0];

test("only the start and drivers/index.ts import driver implementations; everything else their interfaces", () => {
  const knowing = [
    "open-instance.ts",
    "service.ts",
    "commands/start.ts",
    "commands/checks/store-checks.ts",
    "drivers/index.ts",
  ];
  assert.deepEqual(
    breaking(
      ({ from, to }) =>
        DRIVER.test(to) && !OPEN_TO_ALL.test(to) && !knowing.includes(from) && !sameDriver(from, to),
    ),
    [],
  );
  const opening = [
    "open-instance.ts",
    "service.ts",
    "instance/one-writer.ts",
    "commands/admin/shell.ts",
    "commands/checks/store-checks.ts",
    "commands/sweep-now.ts",
  ];
  assert.deepEqual(
    breaking(
      ({ from, to }) =>
        to === "drivers/index.ts" && !opening.includes(from) && !/^(backup|copy)\//.test(from),
    ),
    [],
  );
});

test("a primitive imports no other's operations, and nothing of the pipeline but types", () => {
  const primitive = (file: string) => /^primitives\/(\w+)\//.exec(file)?.[1];
  assert.deepEqual(
    breaking(
      ({ from, to }) =>
        primitive(from) !== undefined && to.endsWith("/operations.ts") && primitive(to) !== primitive(from),
    ),
    [],
  );
  assert.deepEqual(
    breaking(
      ({ from, to, typesOnly }) => primitive(from) !== undefined && to.startsWith("pipeline/") && !typesOnly,
    ),
    [],
  );
});

test("publishing handles no requests: from http/ it imports only refusals, schemas and the format of slugs", () => {
  const known = ["http/refusal.ts", "http/field-schemas.ts", "http/validate.ts", "http/canvas-path.ts"];
  assert.deepEqual(
    breaking(
      ({ from, to }) =>
        from.startsWith("canvases/publishing/") &&
        (/^(node:https?|fastify)$/.test(to) || (to.startsWith("http/") && !known.includes(to))),
    ),
    [],
  );
});

test("access is pure: no package but the protocol, no built-in module, no environment, no clock", () => {
  assert.deepEqual(
    breaking(({ from, to }) => from.startsWith("access/") && !/^(access\/|@easel\/protocol\/)/.test(to)),
    [],
  );
  const pure = [
    ...files.filter((file) => file.startsWith("access/")).map((file) => read(SERVER, file)),
    ...sourcesOf(PROTOCOL).map((file) => read(PROTOCOL, file)),
  ];
  assert.ok(pure.length >= 8);
  for (const text of pure)
    assert.doesNotMatch(text, /\b(process|globalThis|fetch|Date|require|console)\b[.(]/);
});

test("the protocol depends on nothing", () => {
  const foreign = sourcesOf(PROTOCOL)
    .flatMap((file) => importsOf(PROTOCOL, file))
    .filter(({ to }) => !to.endsWith(".ts"));
  assert.deepEqual(foreign.map(say), []);
  const { dependencies = {} } = JSON.parse(read(PROTOCOL, "../package.json")) as { dependencies?: object };
  assert.deepEqual(dependencies, {});
});

test("only main.ts reads the environment", () => {
  assert.deepEqual(
    files.filter((file) => /\bprocess\.env\b/.test(read(SERVER, file))),
    ["main.ts"],
  );
});

test("modules keep no state, but for those that ARCHITECTURE.md names", () => {
  const state = /^(export )?(let|var) |^(export )?const \w+(: [^=]+)? = new (Weak)?(Map|Set)(<.*>)?\(\)/m;
  const keeping = files.filter((file) => state.test(read(SERVER, file)));
  assert.deepEqual(keeping, ["crypto/ids.ts"]);
  const architecture = read(path.join(PACKAGES, ".."), "ARCHITECTURE.md");
  for (const file of keeping) assert.ok(architecture.includes(`\`${file}\``), file);
});

test("paths of canvases and Fetch Metadata headers are read by one module each", () => {
  const having = (text: RegExp) => files.filter((file) => text.test(read(SERVER, file)));
  assert.deepEqual(having(/sec-fetch-/), ["http/cross-site.ts"]);
  // Finds paths of canvases in code only: comments and settings write them with braces, as `/c/{slug}`.
  assert.deepEqual(having(/["'`/]c\/[^{\s]|["'`]\/c["'`]/), ["dashboard/mount.ts", "http/canvas-path.ts"]);
});

test("a form of a person is received with the person as they are then: others read forms only where nobody is identified", () => {
  assert.deepEqual(
    imports.filter(({ to }) => to === "http/form-fields.ts").map(({ from }) => from),
    ["content/password-gate.ts", "oauth/program-endpoint.ts", "sign-in/dev.ts", "token-page/routes.ts"],
  );
  const receiving = ["content/password-gate.ts", "token-page/routes.ts", "oauth/answered-form.ts"];
  for (const file of receiving) {
    const text = read(SERVER, file);
    assert.match(text, /receiveForm\(/, file);
    assert.doesNotMatch(text, /\b(readFields|readForm)\(/, file);
  }
  assert.deepEqual(
    files.filter((file) =>
      /\breadForm\b.*program-endpoint|program-endpoint.*\breadForm\b/.test(read(SERVER, file)),
    ),
    ["oauth/answered-form.ts"],
  );
});

test("there are no import cycles", () => {
  const next = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, way: string[]): void => {
    assert.ok(!way.includes(file), [...way, file].join(" → "));
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

/**
 * Files that may have the same base name: they are the same part of sibling folders, or the routes of something whose rules and SQL are in
 * another folder.
 */
const SAME_PART =
  /^(primitives\/\w+|content|sign-in|canvases)\/(routes|store|data|operations|transfer)\.ts$|^management\/|\/(index|mount)\.ts$/;

test("a value that a module exports is imported by another one", () => {
  const SKIPPED = /(^|\/)(node_modules|dist)\//;
  const everywhere = ["packages", "bench", "tools"].flatMap((folder) =>
    readdirSync(path.join(PACKAGES, "..", folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !SKIPPED.test(file))
      .map((file) => path.join(PACKAGES, "..", folder, file)),
  );
  const { exports } = JSON.parse(read(PACKAGES, "server/package.json")) as {
    exports: Record<string, string>;
  };
  const taken = new Set<string>();
  const importsIn = (text: string) => [
    ...text.matchAll(
      /\b(?:import|export|const) (?:type )?([^;"']*?)(?: from |= await import\(\s*)"([^"]+)"/g,
    ),
    ...text
      .matchAll(/\(await import\((?="([^"]+)"\)\)\.(\w+))/g)
      .map(([all, from, name]) => [all, name, from]),
  ];
  for (const file of everywhere)
    for (const [, names = "", from = ""] of importsIn(readFileSync(file, "utf8"))) {
      const target = from.startsWith(".")
        ? path.resolve(path.dirname(file), from)
        : path.join(PACKAGES, "server", exports[from.replace("@easel/server", ".")] ?? "");
      for (const name of names.match(/[\w*]+/g) ?? []) taken.add(`${target.replace(/\.ts$/, "")} ${name}`);
    }
  const unused = files.flatMap((file) => {
    const module = path.join(SERVER, file.replace(/\.ts$/, ""));
    if (taken.has(`${module} *`)) return [];
    const exported = read(SERVER, file).matchAll(
      /^export (?:async )?(?:const|function\*?|(?:abstract )?class) (\w+)/gm,
    );
    return [...exported]
      .map(([, name]) => name)
      .filter((name) => !taken.has(`${module} ${name}`))
      .map((name) => `${file}: ${name}`);
  });
  assert.deepEqual(unused, []);
});

test("two files share a base name only where they are the same part", () => {
  const byName = Map.groupBy(
    files.filter((file) => !SAME_PART.test(file)),
    (file) => path.posix.basename(file),
  );
  assert.deepEqual(
    [...byName.values()].filter((same) => same.length > 1),
    [],
  );
});

test("the root holds the start, the service, the application and its environment", () => {
  assert.deepEqual(files.filter((file) => !file.includes("/")).sort(), [
    "app.ts",
    "env.ts",
    "index.ts",
    "main.ts",
    "new-env.ts",
    "open-instance.ts",
    "service.ts",
    "stored-data.ts",
  ]);
});
