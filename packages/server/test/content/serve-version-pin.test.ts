import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage, type Stage, share, stage } from "@easel/conformance/fixture";
import type { Header } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

const GRACE_MS = 5 * 60 * 1000;
const { target, env } = await startDev({ after });

const filesOf = (name: string) => ({
  "index.html": `page ${name}`,
  "app.js": `script ${name}`,
  [`only-${name}.js`]: name,
});

/** Loads the page as a browser does, with this cookie and this `Sec-Fetch-Dest`. Returns its text and the cookie that it sets. */
async function open({ slug, people }: Stage, cookie?: string, dest = "document") {
  const headers: Header[] = [["Sec-Fetch-Dest", dest], ...pinned(cookie)];
  const answer = await visit(target, slug, people.viewer, "", headers);
  return { text: answer.text, setCookie: answer.headers["set-cookie"]?.[0] };
}

/** Loads a file that the page uses, such as a script, as a browser does. */
const part = ({ slug, people }: Stage, cookie: string | undefined, path = "app.js", dest = "script") =>
  visit(target, slug, people.viewer, path, [["Sec-Fetch-Dest", dest], ...pinned(cookie)]);

const pinned = (cookie?: string): Header[] => (cookie === undefined ? [] : [["Cookie", cookie]]);
const pair = (setCookie?: string) => setCookie?.split(";")[0];

describe("a page load never sees two versions", () => {
  it("the page sets a cookie for its own canvas; subresources and other clients get none", async () => {
    const site = await stage(target);
    const version = await publish(target, site, filesOf("one"));
    for (const dest of ["document", "iframe", "frame"]) {
      const { setCookie } = await open(site, undefined, dest);
      assert.equal(
        setCookie,
        `easel_version=${version}; Path=/c/${site.slug}/; HttpOnly; SameSite=Lax`,
        dest,
      );
    }
    assert.equal((await part(site, undefined)).headers["set-cookie"], undefined);
    assert.equal((await visit(target, site.slug, site.people.viewer)).headers["set-cookie"], undefined);
    assert.equal((await open(site, `easel_version=${version}`)).setCookie, undefined);
  });

  it("after a deploy the page's subresources are of its version, and a new page is of the new one", async () => {
    const site = await stage(target);
    await publish(target, site, filesOf("one"));
    const cookie = pair((await open(site)).setCookie);
    await publish(target, site, filesOf("two"));

    for (const dest of ["script", "style", "image", "worker", "empty"]) {
      assert.equal((await part(site, cookie, "app.js", dest)).text, "script one", dest);
    }
    assert.equal((await part(site, cookie, "only-one.js")).status, 200);
    refused(await part(site, cookie, "only-two.js"), 404, "NOT_FOUND");

    const again = await open(site, cookie);
    assert.equal(again.text, "page two");
    assert.equal((await part(site, pair(again.setCookie))).text, "script two");
    assert.equal(
      (await visit(target, site.slug, site.people.viewer, "app.js", pinned(cookie))).text,
      "script two",
    );
  });

  it("the same applies over several deploys and rollbacks", async () => {
    const site = await stage(target);
    const first = await publish(target, site, filesOf("one"));
    const cookie = pair((await open(site)).setCookie);
    for (const name of ["two", "three"]) await publish(target, site, filesOf(name));
    assert.equal((await part(site, cookie)).text, "script one");
    const third = pair((await open(site, cookie)).setCookie);
    const back = await manage(
      target,
      site.people.owner,
      "POST",
      `/api/canvases/${site.id}/versions/${first}/publish`,
    );
    assert.equal(back.status, 200);
    assert.equal((await part(site, third)).text, "script three");
    assert.equal((await part(site, cookie)).text, "script one");
    assert.equal((await open(site, third)).text, "page one");
  });

  it("after five minutes the current version is served", async () => {
    const site = await stage(target);
    const first = await publish(target, site, filesOf("one"));
    await publish(target, site, filesOf("two"));
    const cookie = `easel_version=${first}`;
    assert.equal((await part(site, cookie)).text, "script one");
    await env.db.run`update versions set replaced_at = ${Date.now() - GRACE_MS - 1} where id = ${first}`;
    assert.equal((await part(site, cookie)).text, "script two");
  });

  it("a version of another canvas is ignored", async () => {
    const [site, other] = [await stage(target), await stage(target)];
    await publish(target, site, filesOf("mine"));
    const foreign = await publish(target, other, filesOf("theirs"));
    await publish(target, other, filesOf("newer"));
    const cookies = [foreign, "none", "", "%00", "%ff", "' or 1=1 --", "a".repeat(4000)];
    for (const value of cookies) {
      const cookie = `easel_version=${value}`;
      const answer = await part(site, cookie);
      assert.deepEqual([answer.status, answer.text], [200, "script mine"], value);
      refused(await part(site, cookie, "only-theirs.js"), 404, "NOT_FOUND");
      assert.equal((await open(site, cookie)).text, "page mine");
    }
  });

  it("the cookie grants no access: callers without access see no old version", async () => {
    const site = await stage(target);
    const first = await publish(target, site, filesOf("one"));
    await publish(target, site, filesOf("two"));
    const cookie = `easel_version=${first}`;
    await share(target, site, "private", {});
    refused(await part(site, cookie), 404, "OWNER_ONLY");
    await env.db.run`update canvases set revoked_at = ${Date.now()} where id = ${site.id}`;
    refused(
      await part({ ...site, people: { ...site.people, viewer: site.people.owner } }, cookie),
      404,
      "NOT_FOUND",
    );
  });
});
