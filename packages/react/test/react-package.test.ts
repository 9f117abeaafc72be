import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  assertCompiles,
  assertPublishable,
  createProject,
  type Packed,
  pack,
} from "../../sdk/test/packed.ts";

let packed: Packed;
let sdk: Packed;

before(async () => {
  [sdk, packed] = await Promise.all([pack("@easel/sdk"), pack("@easel/react")]);
});

test("the package has built code, its source map, types, README and licence, and nothing else", () => {
  const others = packed.files.filter((file) => !/^dist\/types\/react\/src\/[\w-]+\.d\.ts$/.test(file));
  assert.deepEqual(others.sort(), [
    "LICENSE",
    "README.md",
    "dist/index.js",
    "dist/index.js.map",
    "package.json",
  ]);
});

test("publint and attw find no problem in the package", () => assertPublishable(packed));

/** TypeScript code that uses the hooks. It must compile, except that each line after `@ts-expect-error` must have a type error. */
const TYPED = `
import { createEasel, type EaselError, type Identity, type Json, type Member } from "@easel/sdk";
import { EaselProvider, type LiveRecord, useChannel, useCollection, useKv, useMe, usePresence } from "@easel/react";

interface Idea { title: string; votes?: number }
declare module "@easel/sdk" {
  interface CanvasTypes { collections: { ideas: Idea; votes: number }; channels: { pens: unknown } }
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};

export function Typed() {
  const viewer = useMe();
  same<Identity | undefined, typeof viewer.data>(true);
  same<EaselError | undefined, typeof viewer.error>(true);

  const theme = useKv("theme", { initial: "light", scope: "user" });
  same<string, typeof theme.data>(true);
  void theme.set("dark");
  void theme.set((current) => current.toUpperCase());
  // @ts-expect-error the value is a string
  void theme.set(3);
  const plan = useKv<Idea>("plan");
  same<Idea | undefined, typeof plan.data>(true);
  const any = useKv("any");
  same<Json | undefined, typeof any.data>(true);
  // @ts-expect-error there is no such scope
  useKv("theme", { scope: "mine" });

  const ideas = useCollection("ideas", { orderBy: "-createdAt", limit: 20 });
  same<LiveRecord<Idea>[], typeof ideas.data>(true);
  void ideas.create({ title: "Tea" }).then(({ value }) => value.title);
  void ideas.update("r-1", (idea) => ({ ...idea, votes: 1 }));
  // @ts-expect-error the title is missing
  void ideas.create({ votes: 1 });
  const votes = useCollection("votes");
  same<LiveRecord<number>[], typeof votes.data>(true);
  const free = useCollection<{ a: 1 }>("undeclared");
  same<LiveRecord<{ a: 1 }>[], typeof free.data>(true);
  const unknown = useCollection("undeclared");
  same<LiveRecord<Json>[], typeof unknown.data>(true);
  // @ts-expect-error a cursor is no part of a query
  useCollection("ideas", { cursor: "a" });

  const { publish, batch, latest } = useChannel<Idea>("pens", ({ data, from }) => data.title + from.name);
  publish("move", { x: 3 });
  batch("stroke")({ x: 3 });
  latest("cursor", "mine")([1, 2]);
  // @ts-expect-error a function is no JSON
  publish("move", () => 3);
  const people = usePresence("pens");
  same<Member[], typeof people.data>(true);

  const easel = createEasel({ url: "https://easel.example/c/tea/" });
  return <EaselProvider easel={easel}><p key={ideas.data[0]?.key}>{ideas.data[0]?.isPending}</p></EaselProvider>;
}
`;

test("TypeScript finds the types with every module resolution, and checks them", async (t) => {
  const linked = ["react", "@types/react", "csstype"];
  const project = await createProject(t, [sdk, packed], linked, { "typed.tsx": TYPED });
  const options = { lib: ["es2022", "dom"], jsx: "react-jsx", types: [] };
  await assertCompiles(project, { ...options, module: "node16", moduleResolution: "node16" });
  await assertCompiles(project, {
    ...options,
    module: "esnext",
    moduleResolution: "bundler",
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
  });
});
