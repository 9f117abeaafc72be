import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { refusedText } from "../support/refused-text.ts";

await onSqlite("publish_version", (target, env) => {
  let person: Person;
  let agent: ConnectedTool;
  let full: ConnectedTool;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    agent = await connectTool(target.base, person, { scope: "deploy" }, env);
    full = await connectTool(target.base, person, {}, env);
  });

  const publish = (args: object, by = agent) =>
    by.use<{ version: string | null; url: string }>("publish_version", args);
  const refused = (args: object, by = agent) => refusedText(by, "publish_version", args);

  /** Creates a canvas with two versions. */
  async function twoVersions(): Promise<{ canvas: string; first: string; second: string }> {
    const files = (text: string) => ({ files: [{ path: "index.html", text }] });
    const made = await agent.use<{ canvas: string; version: string }>("deploy_canvas", {
      title: "Versions",
      ...files("<p>1"),
    });
    const { canvas, version: first } = made;
    const { version } = await agent.use<{ version: string }>("deploy_canvas", { canvas, ...files("<p>2") });
    return { canvas, first, second: version };
  }

  it("goes back to the version before, and to one that is named", async () => {
    const { canvas, first, second } = await twoVersions();
    assert.equal((await publish({ canvas, version: "previous" })).version, first);
    assert.equal((await publish({ canvas, version: second, expected_version: first })).version, second);
    const { content } = await agent.call("publish_version", { canvas, version: first });
    assert.match(content[0]?.text ?? "", new RegExp(`Version ${second} brings the former one back\\.`));
  });

  it("refuses another version than the expected one, and names the current one", async () => {
    const { canvas, first, second } = await twoVersions();
    const text = await refused({ canvas, version: first, expected_version: first });
    assert.match(text, /^VERSION_CONFLICT: /);
    assert.ok(text.includes(`The current version is ${second}, deployed by "`), text);
  });

  it("refuses versions that are not there, with where they are listed", async () => {
    const { canvas, first } = await twoVersions();
    await publish({ canvas, version: first });
    for (const version of ["previous", "nothing", "__proto__"])
      assert.match(await refused({ canvas, version }), /^NOT_FOUND: .*\n`get_canvas` lists the versions\.$/);
  });

  it("needs one thing to do", async () => {
    const { canvas, first } = await twoVersions();
    for (const args of [{}, { version: first, offline: true }])
      assert.match(
        await refused({ canvas, ...args }),
        /^INVALID_BODY: Give either `version` or `offline: true`/,
      );
  });

  it("takes a canvas offline with the scope full only", async () => {
    const { canvas, second } = await twoVersions();
    assert.equal(
      await refused({ canvas, offline: true }),
      "PERMISSION_DENIED: To take a canvas offline needs the scope `full`, and this connection has `deploy`.\nNothing was changed. Ask your person to do it, or to connect again and allow more.",
    );
    assert.match(
      await refused({ canvas, offline: true, expected_version: "other" }, full),
      /^VERSION_CONFLICT: /,
    );
    assert.equal((await publish({ canvas, offline: true }, full)).version, null);
    assert.equal((await publish({ canvas, version: second })).version, second);
  });

  it("publishes nothing to a Public link without the scope full", async () => {
    const { canvas, first } = await twoVersions();
    await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "public_link" });
    const text = await refused({ canvas, version: first });
    assert.match(text, /^PERMISSION_DENIED: Everyone who has the address of this canvas can open it/);
    const { content } = await full.call("publish_version", { canvas, version: first });
    assert.match(content[0]?.text ?? "", /Everyone who has the address can see this.*tell your person/);
  });
});
