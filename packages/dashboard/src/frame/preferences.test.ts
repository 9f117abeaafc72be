import assert from "node:assert/strict";
import { it } from "node:test";
import { readPreference, storePreference } from "./preferences.ts";

it("a stored preference that is not allowed counts as absent", () => {
  const stored = new Map<string, string>();
  Object.defineProperty(globalThis, "localStorage", {
    value: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
    },
    configurable: true,
  });
  assert.equal(readPreference("theme", ["system", "dark"]), "system");
  storePreference("theme", "dark");
  assert.equal(readPreference("theme", ["system", "dark"]), "dark");
  storePreference("theme", "<b>");
  assert.equal(readPreference("theme", ["system", "dark"]), "system");
});
