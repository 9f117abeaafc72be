import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Cast, cast, ROLES, type Role } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { TOKEN_SCOPES, type TokenScope } from "@easel/protocol/management";
import type { Member } from "../../src/access/principal.ts";
import { Refusal } from "../../src/http/refusal.ts";
import { type UserRow, userOf } from "../../src/identity/users.ts";
import { actNamed } from "../../src/management/acts.ts";
import { CALLERS, tokenScopesOf } from "../../src/management/callers.ts";
import { includesScope } from "../../src/mcp/scope-order.ts";
import type { Tool } from "../../src/mcp/tool.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { connectTool, type ToolResult, toolRequest } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { argsOf, CALLS, makeSite, SAMPLES, type Sample, type Site } from "./tool-samples.ts";

/** Returns the code with which a tool has refused a call, or null. A question to the person refuses nothing. */
function refusalOf({ isError, content }: ToolResult): string | null {
  const [code = ""] = /^[A-Z_]+(?=:)/.exec(content?.[0]?.text ?? "") ?? [];
  return isError === true && code !== "CONFIRMATION_REQUIRED" ? code : null;
}

await onSqlite("the rights of tools", (target, env) => {
  let people: Cast;
  let read: Site;
  let other: Site;
  const members = {} as Record<Role, Member>;

  before(async () => {
    people = await cast(target);
    [read, other] = [await makeSite(target, people), await makeSite(target, people)];
    for (const role of ROLES) {
      const row = await env.db.get<UserRow>`select * from users where email = ${people[role].email}`;
      members[role] = userOf(row) ?? assert.fail(role);
    }
  });

  /** Returns the code with which an act refuses a person on a canvas, or null. */
  async function actRefuses(name: string, role: Role, id: string): Promise<string | null> {
    const { allow, method } = actNamed(name);
    const call = { user: members[role], credential: null, passes: [], params: { id } };
    try {
      await CALLERS[allow].authorize(call, env, method !== "GET");
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.code ?? "";
      throw error;
    }
  }

  /** Returns the code with which what a call does is refused without a tool, or null. */
  async function expectedOf({ acts, asks }: Sample, role: Role, site: Site): Promise<string | null> {
    for (const name of acts) {
      const code = await actRefuses(name, role, site.id);
      if (code !== null) return code;
    }
    if (asks === undefined) return null;
    const { status, json } = await asks(site.pages[role]);
    // To the tools, a canvas without a role is not there. The runtime API tells people whose it is.
    if (json.code === "OWNER_ONLY") return "NOT_FOUND";
    return status < 300 ? null : String(json.code);
  }

  it("every tool is tried", () => {
    for (const { name } of TOOLS) assert.ok((SAMPLES[name]?.length ?? 0) > 0, `${name} has no sample`);
  });

  it("a tool performs only acts that tokens of its scope may perform, and reads if it says so", () => {
    for (const { tool, sample } of CALLS)
      for (const name of sample.acts) {
        const act = actNamed(name);
        assert.ok(tokenScopesOf(act).includes(tool.scope), `${tool.name} performs ${name}`);
        if (tool.hints.readOnlyHint === true)
          assert.ok(act.method === "GET" || act.reads === true, `${tool.name} performs ${name}`);
      }
  });

  const attempt = async (tool: Tool, sample: Sample, role: Role, scope: TokenScope): Promise<string> => {
    const changes = tool.hints.readOnlyHint !== true;
    const site = changes && includesScope(scope, tool.scope) ? await makeSite(target, people) : read;
    const connected = await connectTool(target.base, people[role], { scope, confirms: false }, env);
    const args = argsOf(sample, site);
    const title = `${tool.name} ${JSON.stringify(args)} as ${role} with ${scope}`;
    if (!includesScope(scope, tool.scope)) {
      const asked = toolRequest("tools/call", { name: tool.name, arguments: args });
      const { status, headers } = await send(target.base, {
        method: "POST",
        path: "/mcp",
        headers: [["Authorization", `Bearer ${connected.token}`], ...asked.headers],
        body: asked.body,
      });
      assert.equal(status, 403, title);
      assert.match(String(headers["www-authenticate"]), /insufficient_scope/, title);
      return "scope";
    }
    const expected = await expectedOf(sample, role, site);
    const result = await connected.call(tool.name, args);
    assert.equal(refusalOf(result), expected, `${title}: ${result.content?.[0]?.text}`);
    return expected ?? "done";
  };

  const sampleName = (sample: Sample) => JSON.stringify(argsOf(sample, { slug: "…", first: "…" } as Site));

  for (const { tool, sample } of CALLS) {
    it(`${tool.name} ${sampleName(sample)}: every role with every scope has the rights of the acts`, async () => {
      const outcomes = new Set<string>();
      for (const role of ROLES)
        for (const scope of TOKEN_SCOPES) outcomes.add(await attempt(tool, sample, role, scope));
      assert.ok(outcomes.has("done"), [...outcomes].join());
      assert.ok(sample.anywhere === true || outcomes.size > 1, [...outcomes].join());
    });

    if (sample.anywhere !== true)
      it(`${tool.name} ${sampleName(sample)}: a connection of other canvases finds nothing`, async () => {
        for (const limited of [{ ownOnly: true }, { canvasId: other.id }]) {
          const connected = await connectTool(target.base, people.owner, limited, env);
          const result = await connected.call(tool.name, argsOf(sample, read));
          assert.equal(refusalOf(result), "NOT_FOUND", result.content?.[0]?.text ?? "");
        }
      });
  }
});
