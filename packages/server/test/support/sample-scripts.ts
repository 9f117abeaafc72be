import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { createContext, runInContext } from "node:vm";
import * as sdk from "../../../sdk/src/index.ts";
import { fakeSocket } from "../../../sdk/test/fake-socket.ts";
import { fakeService, page } from "../../../sdk/test/support.ts";
import type { Sample } from "./samples.ts";

const errors = Object.fromEntries(Object.entries(sdk).filter(([name]) => /Error$|^is/.test(name)));

/**
 * Returns the JavaScript in a code block. From HTML it takes the module scripts. From TypeScript it removes types, and replaces imports of
 * the SDK by the global `sdk`.
 */
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

/** Returns a fake DOM element, whose properties a code block may set. It has one file, as if a person had chosen it in a form. */
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
