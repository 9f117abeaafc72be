import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { createContext, runInContext } from "node:vm";
import * as sdk from "../../../sdk/src/index.ts";
import { fakeSocket } from "../../../sdk/test/fake-socket.ts";
import { fakeService, page } from "../../../sdk/test/support.ts";
import type { Sample } from "./samples.ts";

const errors = Object.fromEntries(Object.entries(sdk).filter(([name]) => /Error$|^is/.test(name)));

/** Returns the JavaScript of a block: the scripts of a page, or a TypeScript module without types, imports and declarations of modules. */
export function scriptOf({ language, text }: Sample): string {
  if (language === "html")
    return [...text.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)]
      .map(([, code]) => code)
      .join("\n");
  if (language !== "ts") return text;
  return stripTypeScriptTypes(text)
    .replaceAll(/^import (type )?(\{[^}]*\}) from "@easel\/sdk";$/gm, (_all, type, names) =>
      type ? "" : `const ${names} = sdk;`,
    )
    .replaceAll(/^export /gm, "");
}

/** An element of a page: whatever a sample sets is kept. Its events can be handled, and it has a chosen file. */
const element = () => ({
  textContent: "",
  onclick: async () => {},
  addEventListener() {},
  append() {},
  replaceChildren() {},
  files: [new File(["tea"], "tea.png")],
  src: "",
  href: "",
});

/**
 * Runs a block with the SDK on a fake service in memory, and then the click handler that it has set. Asserts that it throws nothing and
 * sends something.
 */
export async function runScript(sample: Sample): Promise<void> {
  const { fetch, calls } = fakeService();
  const { WebSocket, frames } = fakeSocket();
  const only = element();
  const document = { querySelector: () => only, createElement: element, title: "" };
  const own = { ...page, fetch, WebSocket };
  const easel = {
    ...sdk.createEasel(own),
    ...errors,
    createEasel: (options: object) => sdk.createEasel({ ...own, ...options }),
  };
  const scope = {
    easel,
    sdk: easel,
    document,
    process,
    AbortController,
    AbortSignal,
    URLSearchParams,
    console: { log() {} },
  };
  await runInContext(`(async () => {${scriptOf(sample)}\n})()`, createContext(scope));
  await only.onclick();
  assert.ok(calls.length + frames.length > 0, "the block sends nothing");
}
