import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { amend, manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { type Guest, guestOf } from "@easel/conformance/guest";
import { freshEmail, type Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { publish, visit } from "../support/publish.ts";

const PASSWORD = "open sesame";
const POLICY = { collections: { ideas: { preset: "contributions" } } };

/** The people of the test. `colleague` is not on the list, `byTeam` in a team of viewers. */
type Who = "owner" | "editor" | "viewer" | "byTeam" | "colleague" | "guest" | "nobody";

describe("what the sharing screen says that somebody sees is what they see", {
  skip: noBrowser,
}, async () => {
  const { target, env, open } = await startDashboard({ after });
  let canvas: Stage;
  let guest: Guest;
  let byTeam: Person;
  let page: Page;

  before(async () => {
    canvas = await stage(target);
    const { owner } = canvas.people;
    await publish(target, canvas, { "index.html": "in" });
    const path = `/api/canvases/${canvas.id}/capabilities`;
    const policy = { runtimePolicy: POLICY, expectedRuntimePolicy: null };
    assert.equal((await manage(target, owner, "PATCH", path, policy)).status, 200);
    guest = await guestOf(target, canvas);
    byTeam = await target.signIn(freshEmail("team"), "Tea Member");
    const team = { name: "Design", members: [byTeam.email] };
    const { json } = await manage(target, owner, "POST", "/api/teams", team);
    await amend(target, canvas, { teams: [{ id: String(json.id), role: "viewer" }] });
    ({ page } = await open(owner.email, `/canvases/${canvas.id}/sharing`));
  });

  const personOf = (who: Who): Person | null => {
    if (who === "nobody") return null;
    if (who === "guest") return guest;
    if (who === "byTeam") return byTeam;
    return canvas.people[who === "colleague" ? "stranger" : who];
  };

  /** Asks the screen about somebody, as it proposes them or by their address. Returns its sentences. */
  const ask = async (who: Who): Promise<string> => {
    const field = page.getByRole("combobox", { name: "Person" });
    const proposed = {
      nobody: "Somebody not signed in",
      colleague: "A colleague not on the list",
      guest: guest.name,
    };
    await field.fill(who in proposed ? proposed[who as keyof typeof proposed] : (personOf(who)?.email ?? ""));
    if (who !== "byTeam") await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const note = page.locator(".answer .note");
    await note.waitFor();
    return note.innerText();
  };

  /** Asserts that the words about somebody are what their requests get. */
  const compare = async (who: Who, expected: RegExp) => {
    const said = await ask(who);
    const person = personOf(who);
    assert.match(said, expected, who);

    const got = await visit(target, canvas.slug, person);
    const opens = got.status === 200 && got.text === "in";
    const me = await manage(target, person, "GET", `/v1/c/${canvas.slug}/me`);
    const isAsked = me.json.code === "PASSWORD_REQUIRED";
    assert.equal(/ can open the pages[^.]*\./.test(said), opens || isAsked, said);
    assert.equal(said.includes("after entering the password"), isAsked, said);
    assert.equal(said.includes(" cannot open it: "), !opens && !isAsked, said);

    const record = { value: { text: "an idea" } };
    const written = await manage(target, person, "POST", `/v1/c/${canvas.slug}/collections/ideas`, record);
    if (!isAsked)
      assert.equal(said.includes("write records"), written.status === 201, `${said}: ${written.text}`);
    const changed = await manage(target, person, "PATCH", `/api/canvases/${canvas.id}`, { tags: [] });
    if (opens) {
      assert.equal(said.includes("change the canvas"), changed.status === 200, said);
      assert.equal(/Not: change files/.test(said), changed.status !== 200, said);
    }
  };

  /** Changes the sharing to what is given, otherwise private, and reads the screen again. */
  const arrange = async (terms: Parameters<typeof amend>[2] = {}) => {
    await amend(target, canvas, { access: "private", password: null, expiresAt: null, ...terms });
    await page.reload();
  };

  it("on a private canvas", async () => {
    await arrange();
    await compare("owner", /Because: they own it\./);
    await compare("viewer", /Because: the list \(viewer\)\./);
    await compare("byTeam", /^Tea Member can open .*\n+Because: team Design \(viewer\)\./);
    await compare("guest", /Because: their invitation \(viewer\)\./);
    await compare(
      "colleague",
      /^A colleague who is not on the list cannot open it: it is not shared with them\./,
    );
    await compare("nobody", /^Somebody who is not signed in cannot open it: they have to sign in/);
    await page.locator(".step.refused", { hasText: "Refused. Only people who are signed in" }).waitFor();
    await assertAccessible(page);
    await assertAccessible(page, "dark");
  });

  it("shared with the organisation, and with a password", async () => {
    await arrange({ access: "whole_org", password: PASSWORD });
    await compare("colleague", /everyone in the organisation \(viewer\)/);
    await compare("editor", /Because: the list \(editor\); everyone in the organisation \(viewer\)\./);
    await compare("guest", /can open the pages and write records\./);
    await arrange({ access: "whole_org" });
    await compare("colleague", /can open the pages and write records\./);
  });

  it("with a Public link", async () => {
    await arrange({ access: "public_link" });
    await compare(
      "nobody",
      /can open the pages\.\n+Because: anyone with the address \(viewer\)\.\n+Data and backend are closed/,
    );
    await compare("viewer", /Data and backend are closed to them\./);
    await compare("editor", /can open the pages, write records and change the canvas\./);
  });

  it("after its end", async () => {
    await arrange();
    await env.db.run`update canvases set expires_at = ${Date.now() - 1} where id = ${canvas.id}`;
    await page.reload();
    await compare("viewer", /access has ended\.\n+Otherwise they would have access\./);
    await compare("editor", /can open the pages/);
  });

  it("archived, offline, and with its backend off", async () => {
    await turn(target, canvas, { backendEnabled: false });
    await arrange();
    await compare("viewer", /The backend is switched off\./);
    await turn(target, canvas, { backendEnabled: true });
    const { owner } = canvas.people;
    assert.equal((await manage(target, owner, "POST", `/api/canvases/${canvas.id}/unpublish`)).status, 200);
    await page.reload();
    await compare(
      "viewer",
      /there is no page to open\.\n+Its backend answers them: they can write records\./,
    );
    const path = `/api/canvases/${canvas.id}`;
    assert.equal((await manage(target, owner, "PATCH", path, { archived: true })).status, 200);
    await page.reload();
    await compare("owner", /cannot open it: it is archived\./);
  });
});
