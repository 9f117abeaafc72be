import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROLES, type Role, type Stage, share, stage } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { ErrorCode } from "@easel/protocol/errors";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { PROXY } from "../support/service.ts";

const BROWSER: [string, string] = ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"];
const LISTED = { editor: "editor", viewer: "viewer" } as const;
const { target, env } = await startDev({ after });

describe("access to the pages of a canvas", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "home", "a.txt": "a" });
  });
  const home = (role: Role, headers: [string, string][] = []) =>
    visit(target, site.slug, site.people[role], "", headers);

  /** Share settings, and the roles that get the page; the others get the refusal. */
  const RULES: [
    name: string,
    access: "private" | "whole_org",
    listed: Parameters<typeof share>[3],
    see: Role[],
  ][] = [
    ["private, nobody listed", "private", {}, ["owner"]],
    ["private, two listed", "private", LISTED, ["owner", "editor", "viewer"]],
    ["private, another one listed", "private", { stranger: "viewer" }, ["owner", "stranger"]],
    ["whole org", "whole_org", {}, ["owner", "editor", "viewer", "stranger"]],
    ["private again", "private", {}, ["owner"]],
  ];
  for (const [name, access, listed, see] of RULES) {
    it(`${name}: ${see.join(", ")}, from the next request on`, async () => {
      await share(target, site, access, listed);
      for (const role of ROLES) {
        for (const path of ["", "a.txt", "none"]) {
          const answer = await visit(target, site.slug, site.people[role], path);
          if (!see.includes(role)) refused(answer, 404, "OWNER_ONLY");
          else assert.equal(answer.status, path === "none" ? 404 : 200, `${role} ${path}`);
        }
      }
    });
  }

  it("a user removed from the list is refused even with a matching ETag", async () => {
    await share(target, site, "private", LISTED);
    const { etag } = (await home("viewer")).headers;
    await share(target, site, "private", { editor: "editor" });
    refused(await home("viewer", [["If-None-Match", String(etag)]]), 404, "OWNER_ONLY");
    await share(target, site, "private", LISTED);
    assert.equal((await home("viewer", [["If-None-Match", String(etag)]])).status, 304);
  });

  it("the list matches addresses in any case, and people who sign in later", async () => {
    const late = await stage(target);
    await publish(target, late, { "index.html": "home" });
    const people = { ...late.people, stranger: { ...late.people.stranger, email: "LATE@Example.COM" } };
    await share(target, { ...late, people }, "private", { stranger: "viewer" });
    const person = await target.signIn("late@example.com");
    assert.equal((await visit(target, late.slug, person)).status, 200);
  });

  /** Columns of the canvas that are set to the current time, and the refusal of each role afterwards; null: the page is sent. */
  const ENDED: [
    column: string,
    set: (now: number) => Promise<unknown>,
    codes: Record<Role, [number, ErrorCode] | null>,
  ][] = [
    [
      "disabled_at",
      (now) => env.db.run`update canvases set disabled_at = ${now} where id = ${site.id}`,
      {
        owner: [403, "DISABLED"],
        editor: [403, "DISABLED"],
        viewer: [403, "DISABLED"],
        stranger: [403, "DISABLED"],
      },
    ],
    [
      "archived_at",
      (now) => env.db.run`update canvases set archived_at = ${now}, disabled_at = null where id = ${site.id}`,
      {
        owner: [404, "ARCHIVED"],
        editor: [404, "ARCHIVED"],
        viewer: [404, "ARCHIVED"],
        stranger: [404, "ARCHIVED"],
      },
    ],
    [
      "expires_at",
      (now) => env.db.run`update canvases set expires_at = ${now}, archived_at = null where id = ${site.id}`,
      { owner: null, editor: null, viewer: [404, "SHARE_EXPIRED"], stranger: [404, "OWNER_ONLY"] },
    ],
    [
      "revoked_at",
      (now) => env.db.run`update canvases set revoked_at = ${now}, expires_at = null where id = ${site.id}`,
      {
        owner: [404, "NOT_FOUND"],
        editor: [404, "NOT_FOUND"],
        viewer: [404, "NOT_FOUND"],
        stranger: [404, "OWNER_ONLY"],
      },
    ],
    [
      "deleted_at",
      (now) => env.db.run`update canvases set deleted_at = ${now}, revoked_at = null where id = ${site.id}`,
      {
        owner: [404, "NOT_FOUND"],
        editor: [404, "NOT_FOUND"],
        viewer: [404, "NOT_FOUND"],
        stranger: [404, "NOT_FOUND"],
      },
    ],
  ];
  for (const [column, set, codes] of ENDED) {
    it(`${column} is set: the response to each role, as JSON and as a page`, async () => {
      await set(Date.now());
      for (const role of ROLES) {
        const code = codes[role];
        const [program, browser] = [await home(role), await home(role, [BROWSER])];
        if (code === null) {
          assert.deepEqual([program.text, browser.text], ["home", "home"], role);
        } else {
          refused(program, ...code);
          assert.equal(browser.status, code[0], role);
          assert.match(browser.headers["content-type"] ?? "", /^text\/html/);
          assert.doesNotMatch(browser.text, /home/);
        }
      }
    });
  }
});

describe("an unauthenticated request", () => {
  const paths = ["", "a/b.html", "?q=1&r=%2F", "none", "%20"];

  for (const path of paths) {
    it(`a browser at ${path || "the canvas"} is redirected to the sign-in and back to the same URL`, async () => {
      for (const slug of ["some-canvas", "no-such-canvas"]) {
        const { status, headers } = await visit(target, slug, null, path, [BROWSER]);
        assert.equal(status, 302);
        const to = new URL(headers.location ?? "", target.base);
        assert.deepEqual([to.origin, to.pathname], [target.base, "/auth/login"]);
        assert.deepEqual([...to.searchParams], [["returnTo", `/c/${slug}/${path}`]]);
      }
    });

    it(`a program at ${path || "the canvas"} gets 401`, async () => {
      unauthenticated(await visit(target, "some-canvas", null, path));
      unauthenticated(await visit(target, "some-canvas", null, path, [["Accept", "*/*"]]));
    });
  }

  it("gets the same response whether the canvas exists or not", async () => {
    const { slug } = await stage(target);
    for (const headers of [[], [BROWSER]]) {
      const [real, none] = [
        await visit(target, slug, null, "", headers),
        await visit(target, "none-here", null, "", headers),
      ];
      assert.equal(real.status, none.status);
      assert.equal(real.text, none.text);
    }
  });

  it("in proxy mode gets 401, also from a browser", async (t) => {
    const proxied = await startDev(t, PROXY);
    const answer = await visit(proxied.target, "some-canvas", null, "", [BROWSER]);
    assert.equal(answer.status, 401);
  });
});
