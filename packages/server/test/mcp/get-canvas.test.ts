import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

await onSqlite("get_canvas", (target, env) => {
  let site: Stage;
  let version: string;
  let owner: ConnectedTool;

  before(async () => {
    site = await stage(target);
    version = await publish(target, site, { "index.html": "<h1>First</h1>", "app.js": "go()" });
    owner = await connectTool(target.base, site.people.owner, { scope: "read" }, env);
  });

  const textOf = async (args: object, tool = owner) => {
    const { content, isError } = await tool.call("get_canvas", { canvas: site.slug, ...args });
    assert.notEqual(isError, true, content[0]?.text ?? "");
    return content[0]?.text ?? "";
  };

  it("says where it is, in which state, for whom it opens, and what works", async () => {
    const text = await textOf({});
    assert.ok(text.startsWith(`"Conformance" ${target.base}/c/${site.slug}/\n`), text);
    assert.match(
      text,
      /^State: online, version \S+\. It opens for the owner and 2 people or teams; .* owner\.$/m,
    );
    assert.match(text, /^Backend: on; off: .*ai \(/m);
    await turn(target, site, { backendEnabled: false });
    assert.match(await textOf({}), /^Backend: off\. .*`configure_canvas`/m);
    await turn(target, site, { backendEnabled: true });
    await amend(target, site, { access: "public_link" });
    assert.match(await textOf({}), /opens for anyone with the address; its backend is for/);
    await amend(target, site, { access: "whole_org", password: "open sesame" });
    assert.match(await textOf({}), /opens for everyone in the organisation, with a password/);
    await amend(target, site, { access: "private", password: null });
    const { json } = await manage(target, site.people.owner, "POST", "/api/canvases", { title: "New" });
    const made = await owner.call("get_canvas", { canvas: json.id });
    assert.match(
      made.content[0]?.text ?? "",
      /without a version yet\. It opens for only the owner[\s\S]*`deploy_canvas`/,
    );
  });

  it("finds a canvas by its id, its slug and any address; an address of pages is that of its slug", async () => {
    const { owner: ada } = site.people;
    const { json } = await manage(target, ada, "POST", "/api/canvases", { title: "Other" });
    // The slug of this canvas is the id of the other.
    const named = await manage(target, ada, "POST", "/api/canvases", {
      title: "Named",
      slug: String(site.id),
    });
    const found = async (canvas: string) =>
      (await owner.use<{ canvas: { id: string } }>("get_canvas", { canvas })).canvas.id;
    for (const reference of [
      site.id,
      ` ${site.slug} `,
      `${target.base}/c/${site.slug}/list?done#top`,
      `${target.base}/canvases/${site.id}/sharing`,
    ])
      assert.equal(await found(reference), site.id, reference);
    assert.equal(await found(`${target.base}/c/${site.id}/`), named.json.id);
    assert.equal(await found(`${target.base}/c/${json.slug}/`), json.id);
    await manage(target, ada, "DELETE", `/api/canvases/${named.json.id}`);
    const { isError } = await owner.call("get_canvas", { canvas: `${target.base}/c/${site.id}/` });
    assert.equal(isError, true);
  });

  it("has the details that are asked for, in a block", async () => {
    const include = ["versions", "policy", "usage", "errors", "files", "people"];
    const { details } = await owner.use<{ details: Record<string, object[]> }>("get_canvas", {
      canvas: site.id,
      include,
    });
    assert.deepEqual(Object.keys(details), include);
    assert.deepEqual(details.files, [
      { path: "app.js", size: 4, mime: "text/javascript; charset=utf-8" },
      { path: "index.html", size: 14, mime: "text/html; charset=utf-8" },
    ]);
    assert.equal(details.people?.length, 3);
    assert.equal((details.versions as { id: string }[])[0]?.id, version);
    assert.match(
      await textOf({ include: ["versions"] }),
      /^--- (\w{32})\nversions:\n\{"id":.*\}\n\n--- \1$/m,
    );
    assert.equal((await owner.use("get_canvas", { canvas: site.id })).details, undefined);
  });

  it("cuts long details, and goes on with next", async () => {
    const people = Array.from({ length: 300 }, (_, index) => ({
      email: `${String(index).padStart(3, "0")}${"x".repeat(55)}@acme.test`,
      role: "viewer",
    }));
    await amend(target, site, { people });
    let [read, next]: [string, string | null | undefined] = ["", undefined];
    do {
      const page: { details: string; next: string | null } = await owner.use("get_canvas", {
        canvas: site.id,
        include: ["people"],
        ...(next && { next }),
      });
      assert.ok(Buffer.byteLength(page.details) <= 20 * 1024);
      read += page.details;
      next = page.next;
    } while (next !== null);
    const [name, , ...lines] = read.trim().split("\n");
    assert.equal(name, "people:");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      people.map((each) => ({ ...each, name: null })),
    );
    await amend(target, site, { people: [{ email: site.people.viewer.email, role: "viewer" }] });
    const { isError } = await owner.call("get_canvas", {
      canvas: site.id,
      include: ["people"],
      next: "99999999",
    });
    assert.equal(isError, true);
  });

  it("gives no details to a viewer that only editors may have", async () => {
    const viewer = await connectTool(target.base, site.people.viewer, {}, env);
    assert.match(
      await textOf({}, viewer),
      /opens for people whom the owner has chosen; your person is its viewer/,
    );
    for (const name of ["usage", "errors", "files"]) {
      const { isError, content } = await viewer.call("get_canvas", { canvas: site.slug, include: [name] });
      assert.equal(isError, true, name);
      assert.match(content[0]?.text ?? "", /^PERMISSION_DENIED/);
    }
  });

  it("makes a link by which a browser sees a version once, and may only read", async () => {
    const second = await publish(target, site, { "index.html": "<h1>Second</h1>" });
    const { preview_url: url = "" } = await owner.use<{ preview_url?: string }>("get_canvas", {
      canvas: site.slug,
      preview: version,
    });
    const { pathname, search } = new URL(url);
    const opened = await send(target.base, {
      method: "GET",
      path: pathname + search,
      headers: [["Accept", "text/html"]],
    });
    assert.equal(opened.status, 303, opened.text);
    const cookie = (opened.headers["set-cookie"] ?? []).map((each) => each.split(";", 1)[0]).join("; ");
    const headers: Header[] = [["Cookie", cookie]];
    const page = await send(target.base, { method: "GET", path: `/c/${site.slug}/`, headers });
    assert.equal(page.text, "<h1>First</h1>");
    assert.equal(
      (await send(target.base, { method: "GET", path: `/v1/c/${site.slug}/me`, headers })).status,
      200,
    );
    const write = await send(target.base, {
      method: "PUT",
      path: `/v1/c/${site.slug}/kv/a`,
      headers: [...headers, ["Content-Type", "application/json"], ["Origin", target.base]],
      body: "1",
    });
    assert.match(write.text, /PERMISSION_DENIED.*can only read/);
    const { via } = (await env.db.get<{ via: string }>`
      select via from audit where act = 'canvas.preview-open' and canvas_id = ${site.id}`) ?? { via: "null" };
    assert.deepEqual(JSON.parse(via), { client: "Test tool", tool: "preview_url" });
    const again = await send(target.base, { method: "GET", path: pathname + search });
    assert.notEqual(again.status, 303);
    const { preview_url: current } = await owner.use<{ preview_url?: string }>("get_canvas", {
      canvas: site.slug,
      preview: "current",
    });
    assert.ok(current?.includes("__preview"), second);
    const viewer = await connectTool(target.base, site.people.viewer, {}, env);
    assert.equal((await viewer.call("get_canvas", { canvas: site.slug, preview: version })).isError, true);
    assert.equal((await owner.call("get_canvas", { canvas: site.slug, preview: "none" })).isError, true);
  });
});
