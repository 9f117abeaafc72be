import assert from "node:assert/strict";
import { before, it } from "node:test";
import { send } from "@easel/conformance/http";
import { freshEmail } from "@easel/conformance/target";
import { GROUPS } from "../../src/doc-pages/doc-files.ts";
import { INSTRUCTIONS } from "../../src/mcp/instructions.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { tokensOf } from "../support/tokens.ts";

interface Guide {
  text: string;
  next: string | null;
}

/** Matches what looks like the name of a tool. */
const TOOL_NAME = /`((?:get|list|read|deploy|share|delete|write|upload|publish|configure)_[a-z_]+)`/g;

await onSqlite("the texts for programs", (target, env) => {
  let tool: ConnectedTool;

  before(async () => {
    tool = await connectTool(target.base, await target.signIn(freshEmail("agent")), { scope: "read" }, env);
  });

  const guide = (topic: string, next?: string | null) =>
    tool.use<Guide>("guide", { topic, ...(next && { next }) });
  /** Reads all parts of a topic. */
  const whole = async (topic: string): Promise<string> => {
    const parts: string[] = [];
    let next: string | null | undefined;
    do {
      const part: Guide = await guide(topic, next);
      assert.ok(Buffer.byteLength(part.text) <= 20 * 1024);
      parts.push(part.text);
      next = part.next;
    } while (next !== null);
    return parts.join("");
  };

  it("guide: start says how to make a page with these tools, in one answer", async () => {
    const { text, next } = await guide("start");
    assert.equal(next, null);
    assert.ok(tokensOf(text) < 6_000, String(tokensOf(text)));
    for (const word of [
      "deploy_canvas",
      "read_errors",
      "/sdk/v1.js",
      "easel.json",
      "## Limits",
      "## Example",
    ])
      assert.ok(text.includes(word), word);
    assert.doesNotMatch(text, /curl|EASEL_TOKEN|easel deploy/);
    const names: string[] = TOOLS.map(({ name }) => name);
    const named = [...text.matchAll(TOOL_NAME)].map(([, name = ""]) => name);
    assert.ok(named.length > 4);
    for (const name of named) assert.ok(names.includes(name), name);
    assert.ok(text.includes(`${target.base}/docs/`));
  });

  it("guide: every topic is read to its end in answers of 20 KB", async () => {
    for (const [topic, heading] of [
      ["sdk", "## Live data"],
      ["policy", "### Phases"],
      ["examples", "## Retro board"],
      ["errors", "KEY_LIMIT"],
      ["limits", "## Request rates"],
    ] as const)
      assert.ok((await whole(topic)).includes(heading), topic);
    assert.doesNotMatch(await whole("policy"), /^## Passwords/m);
  });

  it("guide: a page or section is found by its address, with all that is below it", async () => {
    const files = await whole("sdk#records");
    assert.match(files, /^## Records\n[\s\S]*### Many records/);
    assert.doesNotMatch(files, /^## Files/m);
    for (const address of ["http/errors", "docs/http/errors.md", `${target.base}/docs/http/errors`])
      assert.match(await whole(address), /^# Errors/);
  });

  it("guide: a question is answered with the best sections, and names further ones", async () => {
    const { text } = await guide("How can I upload files?");
    assert.match(text, /^<!-- sdk#files -->\n## Files/m);
    assert.match(text, /^- `[\w/-]+(#[\w-]+)?`: /m);
    const [, further = ""] = /^- `([^`]+)`: .*$/m.exec(text) ?? [];
    assert.match((await guide(further)).text, /^#/);
  });

  it("guide: says that it knows nothing of something", async () => {
    for (const topic of ["zzzzqqq", "the of and", "toString", "sdk#nothing-like-qqqq"]) {
      const { isError, content } = await tool.call("guide", { topic });
      if (isError === true) assert.match(content[0]?.text ?? "", /^NOT_FOUND: .*\n.*start, sdk/);
      else assert.notEqual(topic, "zzzzqqq");
    }
    assert.equal((await tool.call("guide", { topic: "sdk", next: "x" })).isError, true);
    assert.equal((await tool.call("guide", { topic: "" })).isError, true);
  });

  it("resources: the skill and every page of the docs, as they are served", async () => {
    const { result } = (await tool.request("resources/list")).json as {
      result: { resources: { uri: string; title: string }[]; cacheScope: string };
    };
    assert.equal(result.cacheScope, "public");
    assert.equal(result.resources.length, GROUPS.flatMap(({ pages }) => pages).length + 1);
    assert.deepEqual(Object.keys(result.resources[0] ?? {}).sort(), ["mimeType", "name", "title", "uri"]);
    const read = async (uri: string) =>
      (
        (await tool.request("resources/read", { uri })).json as {
          result: { contents: { uri: string; text: string }[] };
        }
      ).result.contents[0];
    const skill = await send(target.base, { method: "GET", path: "/skill.md" });
    assert.deepEqual((await read("skill://easel/SKILL.md"))?.text, skill.text);
    const sdk = await send(target.base, { method: "GET", path: "/docs/sdk.md" });
    assert.equal((await read(`${target.base}/docs/sdk`))?.text, sdk.text);
  });

  it("resources: nothing else can be read", async () => {
    for (const uri of [
      "file:///etc/passwd",
      `${target.base}/docs/../settings`,
      `${target.base}/api/me`,
      "skill://easel/../x",
      "http://169.254.169.254/",
    ]) {
      const { json } = await tool.request("resources/read", { uri });
      assert.ok("error" in json, uri);
    }
  });

  it("every tool that a description or the instructions name exists", () => {
    const names: string[] = TOOLS.map(({ name }) => name);
    const texts = [INSTRUCTIONS, ...TOOLS.map(({ description }) => description)].join(" ");
    const named = [...texts.matchAll(TOOL_NAME)].map(([, name = ""]) => name);
    assert.ok(named.length > 2);
    for (const name of named) assert.ok(names.includes(name), name);
  });
});
