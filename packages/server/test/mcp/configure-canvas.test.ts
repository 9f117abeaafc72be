import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { refusedText } from "../support/refused-text.ts";

interface Configured {
  url: string;
  changed: string[];
  policy_revision: string | null;
}

await onSqlite("configure_canvas", (target, env) => {
  let person: Person;
  let agent: ConnectedTool;
  let full: ConnectedTool;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    agent = await connectTool(target.base, person, { scope: "deploy" }, env);
    full = await connectTool(target.base, person, {}, env);
  });

  const configure = (args: object, by = agent) => by.use<Configured>("configure_canvas", args);
  const refused = (args: object, by = agent) => refusedText(by, "configure_canvas", args);
  const read = async (id: string) =>
    (await manage(target, person, "GET", `/api/canvases/${id}`)).json as Record<string, unknown>;

  /** Creates a canvas without a version, and returns its id. */
  const create = async () =>
    String((await manage(target, person, "POST", "/api/canvases", { title: "Before" })).json.id);

  const PERSONAL = { preset: "personal" };

  it("changes title, address, routing and switches, and says what has changed", async () => {
    const canvas = await create();
    const slug = `s-${canvas.slice(-10).toLowerCase()}`;
    const given = { title: 'After"\u202e', slug, spa: true, switches: { backendEnabled: true, ai: false } };
    const { changed, url } = await configure({ canvas, ...given });
    assert.ok(changed.includes('title: "After\\"\\u202e"'), changed.join());
    assert.deepEqual(changed.slice(1, 3), [`slug: "${slug}"`, "spa: true"]);
    assert.ok(changed.includes("backendEnabled: true") && url.includes(slug));
    const { content } = await agent.call("configure_canvas", { canvas, spa: true });
    assert.match(content[0]?.text ?? "", /^Nothing differs from before\./);
  });

  it("merges changes into the policy, and removes entries that are null", async () => {
    const canvas = await create();
    const first = await configure({ canvas, policy: { collections: { a: PERSONAL, b: PERSONAL } } });
    assert.deepEqual(first.changed, ["policy: collections.a", "policy: collections.b"]);
    const policy = { defaultMode: "read_only", collections: { a: null, c: PERSONAL } };
    const second = await configure({ canvas, policy, expected_policy: first.policy_revision });
    assert.deepEqual(second.changed, [
      "policy: defaultMode",
      "policy: collections.c",
      "policy: collections.a removed",
    ]);
    assert.deepEqual((await read(canvas)).runtimePolicy, {
      collections: { b: PERSONAL, c: PERSONAL },
      defaultMode: "read_only",
    });
  });

  it("replaces or removes the whole policy only with its revision", async () => {
    const canvas = await create();
    const policy = { collections: { a: PERSONAL } };
    const { policy_revision } = await configure({ canvas, policy, replace: true });
    for (const args of [
      { policy: {}, replace: true },
      { policy: {}, replace: true, expected_policy: "other" },
      { policy, expected_policy: "other" },
    ]) {
      const text = await refused({ canvas, ...args });
      assert.match(
        text,
        /^POLICY_CONFLICT: This is not the policy that the canvas has now\.\nNothing was changed/,
      );
      assert.ok(text.includes(`\`expected_policy\`: "${policy_revision}".`), text);
    }
    const other = { collections: { b: PERSONAL } };
    const { policy_revision: next } = await configure({
      canvas,
      policy: other,
      replace: true,
      expected_policy: policy_revision,
    });
    assert.deepEqual((await read(canvas)).runtimePolicy, other);
    await configure({ canvas, policy: {}, replace: true, expected_policy: next });
    assert.deepEqual((await read(canvas)).runtimePolicy, {});
  });

  it("lets one of two writers of a policy know of the other", async () => {
    const canvas = await create();
    const write = (name: string) =>
      agent.call("configure_canvas", { canvas, policy: { collections: { [name]: PERSONAL } } });
    const results = await Promise.all(["a", "b", "c"].map(write));
    const { runtimePolicy } = await read(canvas);
    const saved = Object.keys((runtimePolicy as { collections: object }).collections);
    assert.equal(results.filter(({ isError }) => isError !== true).length, saved.length);
    for (const { isError, content } of results)
      if (isError === true) assert.match(content[0]?.text ?? "", /^POLICY_CONFLICT: /);
  });

  it("refuses a policy with faults by the names of its fields", async () => {
    const canvas = await create();
    const text = await refused({ canvas, policy: { collections: { a: { preset: "everyone" } } } });
    assert.match(text, /^INVALID_BODY: .*runtimePolicy\.collections\.a\.preset/s);
    assert.equal((await read(canvas)).runtimePolicyRevision, null);
  });

  for (const name of ["aiAudience", "connectionsAudience", "authoringAudience", "guestAi"])
    it(`sets no ${name}, which widens who may do or spend something`, async () => {
      const canvas = await create();
      const switches = { [name]: name === "guestAi" ? true : "viewers" };
      for (const by of [agent, full]) {
        const text = await refused({ canvas, title: "Other", switches }, by);
        assert.match(
          text,
          /^PERMISSION_DENIED: .*which no tool sets\.\nNothing was changed\. Ask your person/,
        );
      }
      assert.equal((await read(canvas)).title, "Before");
    });

  it("knows no other switches", async () => {
    const canvas = await create();
    for (const name of ["public", "runtimePolicy", "expectedRuntimePolicy"])
      assert.match(
        await refused({ canvas, switches: { [name]: true } }, full),
        new RegExp(`^INVALID_BODY: There is no switch "${name}"\\.\n.*The switches are backendEnabled, kv`),
      );
    assert.match(
      await refused({ canvas, switches: { kv: "yes" } }),
      /^INVALID_BODY: .*`?kv`? must be true or false/,
    );
  });

  it("changes tags and archives with the scope full only", async () => {
    const canvas = await create();
    for (const [args, what] of [
      [{ tags: ["a"] }, "To change tags"],
      [{ archived: true }, "To archive a canvas"],
    ] as const) {
      const text = await refused({ canvas, title: "Other", ...args });
      assert.ok(text.startsWith(`PERMISSION_DENIED: ${what} needs the scope \`full\``), text);
    }
    assert.equal((await read(canvas)).title, "Before");
    const { changed } = await configure({ canvas, tags: ["a"], archived: true }, full);
    assert.deepEqual(changed, ['tags: ["a"]', "it is archived now, and was draft"]);
  });

  it("changes neither switches nor policy of a Public link without the scope full", async () => {
    const canvas = await create();
    await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "public_link" });
    for (const args of [
      { switches: { kv: false } },
      { policy: { defaultMode: "read_only" } },
      { title: "Seen by everyone" },
      { spa: true },
      { slug: `seen-${canvas.slice(-12)}` },
    ]) {
      assert.match(await refused({ canvas, ...args }), /^PERMISSION_DENIED: Everyone who has the address/);
      await configure({ canvas, ...args }, full);
    }
  });

  it("says what has been changed before the refusal of the rest", async () => {
    const canvas = await create();
    const { json } = await manage(target, person, "POST", "/api/canvases", { title: "Taken" });
    const text = await refused({ canvas, slug: json.slug, switches: { backendEnabled: true } });
    assert.match(
      text,
      /^SLUG_TAKEN: .*\nWhat you gave as `switches` and `policy` has been changed already\.$/,
    );
  });

  it("changes nothing for a viewer, and needs something to change", async () => {
    const canvas = await create();
    const viewer = await target.signIn(freshEmail("viewer"));
    const people = [{ email: viewer.email, role: "viewer" }];
    await manage(target, person, "PUT", `/api/canvases/${canvas}/sharing`, { access: "private", people });
    const theirs = await connectTool(target.base, viewer, {}, env);
    for (const args of [{ title: "Mine" }, { switches: { kv: true } }])
      assert.match(await refused({ canvas, ...args }, theirs), /^PERMISSION_DENIED: /);
    assert.match(await refused({ canvas }), /^INVALID_BODY: Give at least one setting to change\./);
  });
});
