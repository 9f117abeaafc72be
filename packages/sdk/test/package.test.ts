import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { canvasDeclarations } from "@easel/protocol/canvas-declarations";
import { build } from "vite";
import { assertCompiles, assertPublishable, createProject, type Packed, pack, run } from "./packed.ts";

let packed: Packed;

before(async () => {
  packed = await pack("@easel/sdk");
});

test("the package has built code, its source map, types, README and licence, and nothing else", () => {
  const others = packed.files.filter(
    (file) => !/^dist\/npm\/types\/(sdk|protocol)\/src\/[\w/-]+\.d\.ts$/.test(file),
  );
  assert.deepEqual(others.sort(), [
    "LICENSE",
    "README.md",
    "dist/npm/global.js",
    "dist/npm/index.js",
    "dist/npm/index.js.map",
    "dist/npm/live.js",
    "dist/npm/live.js.map",
    "package.json",
  ]);
  assert.ok(packed.files.includes("dist/npm/types/sdk/src/index.d.ts"));
});

test("the package needs no other package", () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(path.join(import.meta.dirname, "../package.json"), "utf8"),
  );
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
});

test("publint and attw find no problem in the package", () => assertPublishable(packed));

/** TypeScript code that uses the package. It must compile, except that each line after `@ts-expect-error` must have a type error. */
const TYPED = `
import * as easel from "@easel/sdk";
import { type Collection, createEasel, type Identity, isEaselError, isQuotaExceeded, kv, me, realtime } from "@easel/sdk";
import type { PageEasel } from "@easel/sdk/global";

interface Idea { title: string; votes?: number }
declare module "@easel/sdk" {
  interface CanvasTypes { collections: { ideas: Idea; tasks: { done: boolean } } }
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

export async function typed() {
  same<Identity, Awaited<ReturnType<typeof me>>>(true);
  const idea = await kv.get<Idea>("idea");
  same<Idea | undefined, typeof idea>(true);
  const any = await kv.get("idea");
  same<easel.Json | undefined, typeof any>(true);
  await kv.set("idea", { title: "Tea" });
  await kv.set("idea", { title: "Tea" } as Idea);
  await kv.set("list", [1, "two", { three: null }]);
  // @ts-expect-error null is not stored
  await kv.set("idea", null);
  // @ts-expect-error undefined is not JSON
  await kv.set("idea", undefined);
  // @ts-expect-error a function is not JSON
  await kv.set("idea", { title: () => "Tea" });
  // @ts-expect-error a Date is not JSON
  await kv.set("idea", new Date());

  const ideas = kv.collection("ideas");
  same<Collection<Idea>, typeof ideas>(true);
  await ideas.create({ title: "Tea" });
  // @ts-expect-error the title is missing
  await ideas.create({ votes: 1 });
  const [first] = await ideas.createMany([{ title: "Tea" }], { onProgress: ({ done, total }) => done / total });
  same<string | undefined, typeof first extends infer R | undefined ? (R extends { value: { title: infer T } } ? T : never) | undefined : never>(true);
  // @ts-expect-error the title is missing
  await ideas.createMany([{ votes: 1 }]);
  realtime.channel("pens").batch("idea")({ title: "Tea" } as Idea);
  // @ts-expect-error a function is not JSON
  realtime.channel("pens").latest("idea", "key")(() => "Tea");
  const [entry] = (await ideas.list()).entries;
  same<Idea | undefined, typeof entry extends infer E | undefined ? (E extends { value: infer V } ? V : never) | undefined : never>(true);
  same<Collection<{ done: boolean }>, ReturnType<typeof tasks>>(true);
  const free = kv.collection<{ a: 1 }>("undeclared");
  same<Collection<{ a: 1 }>, typeof free>(true);
  same<Collection, ReturnType<typeof undeclared>>(true);

  await realtime.channel("pens").subscribe<Idea>(({ data, from }) => data.title + from.canvasRole);
  const own = createEasel({ url: new URL("https://easel.example/c/tea/"), token: "t", fetch: async () => new Response() });
  same<easel.Easel, typeof own>(true);
  // @ts-expect-error there is no such option
  createEasel({ addres: "https://easel.example/c/tea/" });

  try {
    await me();
  } catch (error) {
    if (isEaselError(error, "RATE_LIMITED")) same<number | undefined, typeof error.retryAfter>(true);
    if (isQuotaExceeded(error)) same<number | undefined, typeof error.limit>(true);
  }
  same<PageEasel, typeof globalThis.easel>(true);
  same<Identity, Awaited<ReturnType<typeof window.easel.me>>>(true);
}
const tasks = () => kv.collection("tasks");
const undeclared = () => kv.collection("undeclared");
`;

test("TypeScript finds the types with every module resolution, and checks them", async (t) => {
  const project = await createProject(t, [packed], [], { "typed.ts": TYPED });
  for (const options of [
    { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] },
    { module: "node16", moduleResolution: "node16", lib: ["es2022", "dom"] },
    {
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2022", "dom"],
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
    },
  ])
    await assertCompiles(project, { ...options, types: [] });
});

test("the declarations of an easel.json name its resources, and an editor completes them", async (t) => {
  const policy = {
    collections: { ideas: {}, "a:b": {} },
    fileGroups: { photos: {} },
    channels: {},
    connections: {},
  };
  const project = await createProject(t, [packed], [], {
    "easel.d.ts": canvasDeclarations(policy as object),
    "named.ts": `import type { CanvasTypes, Json } from "@easel/sdk";
      const names: (keyof CanvasTypes["collections"])[] = ["ideas", "a:b"];
      const group: keyof CanvasTypes["fileGroups"] = "photos";
      const value: CanvasTypes["collections"]["ideas"] = {} as Json;
      // @ts-expect-error there is no such collection
      const other: keyof CanvasTypes["collections"] = "other";
      // @ts-expect-error no channel is named
      type Channels = CanvasTypes["channels"];`,
  });
  await assertCompiles(project, {
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom"],
    types: [],
  });
});

test("the package alone declares no global", async (t) => {
  const text = `import { kv } from "@easel/sdk";\nvoid kv;\n// @ts-expect-error only "@easel/sdk/global" declares it\nvoid easel;\n`;
  const project = await createProject(t, [packed], [], { "none.ts": text });
  await assertCompiles(project, {
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom"],
    types: [],
  });
});

/** Bundles a module with Vite. Returns the minified code. */
async function bundled(project: string, entry: string): Promise<string> {
  const result = await build({
    root: project,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      rolldownOptions: { input: path.join(project, entry), preserveEntrySignatures: "strict" },
    },
  });
  assert.ok(!Array.isArray(result) && "output" in result);
  return result.output.map((part) => ("code" in part ? part.code : "")).join("");
}

test("a bundler leaves out the parts that a page does not import", async (t) => {
  const project = await createProject(t, [packed], [], {
    "none.js": `import { kv } from "@easel/sdk";`,
    "me.js": `import { me } from "@easel/sdk"; console.log(await me());`,
    "all.js": `import * as easel from "@easel/sdk"; console.log(easel);`,
  });
  const [none, me, all] = await Promise.all(
    ["none.js", "me.js", "all.js"].map((name) => bundled(project, name)),
  );
  assert.ok(none !== undefined && me !== undefined && all !== undefined);
  assert.equal(none.trim(), "");
  assert.match(all, /deflate-raw/);
  for (const part of ["deflate-raw", "text/plain", "resync", "subscribe", "/ai/chat", "/submissions"])
    assert.ok(all.includes(part) && !me.includes(part), part);
  assert.ok(me.length < all.length / 3, `${me.length} of ${all.length}`);
});

test("Node imports the package without a page", async (t) => {
  const script = `import * as easel from "@easel/sdk"; import * as global from "@easel/sdk/global";
    const calls = [];
    const tea = easel.createEasel({ url: "https://easel.example/c/tea/", token: "t", fetch: async (url, init) => {
      calls.push([url, new Headers(init.headers).get("authorization")]);
      return Response.json({ value: 1 });
    } });
    console.log(JSON.stringify([await tea.kv.get("a"), calls, Object.keys(global), await easel.me().catch(easel.isEaselError)]));`;
  const project = await createProject(t, [packed], [], { "script.js": script });
  const { stdout } = await run(process.execPath, [path.join(project, "script.js")]);
  assert.deepEqual(JSON.parse(stdout), [
    1,
    [["https://easel.example/v1/c/tea/kv/a?optional=true", "Bearer t"]],
    [],
    true,
  ]);
});
