import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import * as sdk from "../src/index.ts";
import { fakeSocket } from "./fake-socket.ts";
import { fakeService, page } from "./support.ts";

const docs = readFileSync(join(import.meta.dirname, "../../../docs/sdk.md"), "utf8");
const { createEasel, EaselError } = sdk;
/** The error classes and the type guards. */
const errors = Object.fromEntries(Object.entries(sdk).filter(([name]) => /Error$|^is/.test(name)));

/** Returns the dotted names of all functions in an object: `me`, `kv.get`, `kv.user.get` … */
function callables(part: object, path = ""): string[] {
  return Object.entries(part).flatMap(([name, value]) =>
    typeof value === "function" ? [path + name] : callables(value, `${path}${name}.`),
  );
}

test("docs/sdk.md lists every function and error class", () => {
  const names = callables(createEasel());
  assert.ok(names.includes("me") && names.includes("kv.user.watch"));
  for (const name of names.filter((each) => !each.startsWith("kv.user.")))
    assert.ok(docs.includes(`| \`${name}(`), name);
  for (const name of Object.keys(errors)) assert.ok(docs.includes(`\`${name}`), name);
});

const source = join(import.meta.dirname, "../src");
const comments = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => [...readFileSync(join(source, file), "utf8").matchAll(/@example (.+?)( \*\/)?$/gm)])
  .map(([, example = ""]) => example);

test("the comments of the SDK have examples", () => assert.ok(comments.length >= 50));

for (const example of comments) {
  test(`in a comment: ${example}`, async () => {
    const { fetch } = fakeService();
    const easel = createEasel({ ...page, fetch, WebSocket: fakeSocket().WebSocket });
    const canvas = await easel.canvases.publish({ title: "Tea", bundle: { "index.html": "" } });
    const untyped = example.replace(/<\w+>(?=\()/, "");
    const nothing = () => {};
    await runInContext(
      `(async () => {${untyped}})()`,
      createContext({
        easel: { ...easel, ...errors },
        createEasel,
        token: "easel_pat_1",
        fetch: () => Response.json("cup"),
        input: { files: [new File(["tea"], "tea.png")] },
        image: {},
        model: "m-1",
        id: canvas.id,
        userId: "u-2",
        canvas,
        error: new EaselError({ status: 429, code: "RATE_LIMITED" }),
        later: nothing,
        show: nothing,
        showFiles: nothing,
        showIdeas: nothing,
        showTasks: nothing,
      }),
    );
  });
}
