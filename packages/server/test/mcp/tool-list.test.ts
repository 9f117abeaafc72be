import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { freshEmail } from "@easel/conformance/target";
import { TOOLS } from "../../src/mcp/tools.ts";
import { ROOT } from "../areas.ts";
import { type Allowed, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { tokensOf } from "../support/tokens.ts";

/** The names of the scopes for people. */
const RIGHTS = { read: "look", deploy: "make and change", full: "everything" };

await onSqlite("the list of the tools", (target, env) => {
  const listFor = async (allowed: Allowed) => {
    const person = await target.signIn(freshEmail("agent"));
    const { text } = await (await connectTool(target.base, person, allowed, env)).request("tools/list");
    return text;
  };

  it("is read in 2,500 tokens", async () => {
    const { tools } = JSON.parse(await listFor({})).result;
    const tokens = tokensOf(JSON.stringify(tools));
    assert.ok(tokens > 100 && tokens <= 2500, `${tokens} tokens`);
  });

  it("is in the docs, with the right that each tool needs", () => {
    const page = readFileSync(path.join(ROOT, "docs/agents.md"), "utf8");
    const [table = ""] = /^\| Tool \| Does \| Right \|\n(\|.*\n)+/m.exec(page) ?? [];
    const rows = table
      .trim()
      .split("\n")
      .slice(2)
      .map((row) => row.split(" | "));
    // After the right of the tool, a cell names arguments that need another one.
    assert.deepEqual(
      rows.map(([name, , right]) => [name?.slice(3, -1), right?.split(/;| \|/)[0]]),
      TOOLS.map(({ name, scope }) => [name, RIGHTS[scope]]),
    );
  });

  it("is the same for everybody, byte by byte, whatever they have allowed", async () => {
    const all = await listFor({});
    assert.equal(await listFor({ scope: "read" }), all);
    assert.equal(await listFor({ scope: "deploy", ownOnly: true, confirms: false }), all);
  });
});
