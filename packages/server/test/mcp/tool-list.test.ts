import assert from "node:assert/strict";
import { it } from "node:test";
import { freshEmail } from "@easel/conformance/target";
import { type Allowed, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { tokensOf } from "../support/tokens.ts";

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

  it("is the same for everybody, byte by byte, whatever they have allowed", async () => {
    const all = await listFor({});
    assert.equal(await listFor({ scope: "read" }), all);
    assert.equal(await listFor({ scope: "deploy", ownOnly: true, confirms: false }), all);
  });
});
