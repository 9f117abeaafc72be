import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { store } from "../support/version-files.ts";
import { backendScreen, parts } from "./backend-screen.ts";

describe("the screen of the backend", { skip: noBrowser }, async () => {
  const { target, stored, staged, openAs } = await backendScreen({ after });

  it("a right that is changed counts at once for the next request of another person", async () => {
    const site = await staged({ collections: { ideas: { preset: "contributions" } } });
    const { owner, viewer } = site.pages;
    const { id } = (await owner.post("/collections/ideas", { value: 1 })).json;
    const change = async () => (await viewer.put(`/collections/ideas/${id}`, { value: 2 })).status;
    assert.equal(await change(), 403);
    const page = await openAs(site);
    await parts(page)
      .entry("ideas")
      .getByText(
        "Everyone who may open this canvas reads all records and adds their own. People change and delete their own; owner and editors change and delete any.",
      )
      .waitFor();
    await parts(page).entry("ideas").getByText("Single rights").click();
    await assertAccessible(page, "light");
    await parts(page).choose("Who may: Change, ideas", "Everyone");
    await parts(page).entry("ideas").getByText("contributions, changed").first().waitFor();
    await parts(page).entry("ideas").getByText("Everyone changes any.").first().waitFor();
    await parts(page).bar.getByText("Not saved: 1 entry changed.").waitFor();
    assert.match(await parts(page).document.innerText(), /"update": "viewers"/);
    assert.equal(await change(), 403);
    await parts(page).bar.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It counts from now on.").waitFor();
    assert.equal(await change(), 200);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("the change is undone", async () => (await change()) === 403);
    await until(
      "the document is that of the service",
      async () => !(await parts(page).document.innerText()).includes("overrides"),
    );
    await assertAccessible(page, "dark");
  });

  it("removing an entry says what it hides, and adding it again shows it", async () => {
    const site = await staged({ collections: { ideas: { preset: "contributions" } } });
    for (const value of [1, 2, 3]) await site.pages.owner.post("/collections/ideas", { value });
    const list = async () => {
      const { status, json } = await site.pages.owner.get("/collections/ideas");
      return status === 200 ? (json.entries as unknown[]).length : status;
    };
    assert.equal(await list(), 3);
    const page = await openAs(site);
    await page.getByText("3 records").waitFor();
    await page.getByRole("button", { name: "Remove ideas" }).click();
    const note = page.getByText("3 records become invisible; adding it again shows them.");
    await note.waitFor();
    await assertAccessible(page, "light");
    await page.getByRole("button", { name: "Keep it: ideas" }).click();
    await note.waitFor({ state: "detached" });
    await parts(page).bar.getByText("All of it is saved.").waitFor();
    await page.getByRole("button", { name: "Remove ideas" }).click();
    await parts(page).bar.getByRole("button", { name: "Save" }).click();
    await page.getByText(/3 records of .*ideas.* are kept and invisible/).waitFor();
    assert.equal(await list(), 404);
    await assertAccessible(page, "dark");
    await page.getByRole("button", { name: "Add it again: ideas" }).click();
    await parts(page).save();
    assert.equal(await list(), 3);
  });

  it("switches say whether they work and why not, and only the owner changes guest AI", async () => {
    const site = await staged();
    const page = await openAs(site, "editor");
    await page.getByText("AI is on here, but this instance has no provider key.").waitFor();
    await parts(page).choose("Who uses AI", "Everyone who may open it");
    const guests = page.getByRole("checkbox", { name: /^Guests use AI/ });
    await guests.waitFor();
    assert.equal(await guests.isDisabled(), true);
    await parts(page).flip(/^Files/);
    await page.getByText("Files: off.").waitFor();
    assert.equal((await site.pages.owner.get("/files")).status, 403);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await until("files are on again", async () => (await site.pages.owner.get("/files")).status === 200);
    await assertAccessible(page, "light");
    const mine = await openAs(site);
    await parts(mine).flip(/^Guests use AI/);
    await mine.getByText("Guests use AI, too.").waitFor();
    const seen = await openAs(site, "viewer");
    await seen.getByText("and the editors see and change the backend.").waitFor();
  });

  it("granted Connections are listed with what they allow, and restricted in the policy", async () => {
    const site = await staged({ collections: { ideas: { preset: "personal" } } });
    const admin = await target.signIn(target.admin);
    const at = "/api/admin/connections";
    const given = { origin: "https://weather.test", methods: ["GET", "POST"] };
    await manage(target, admin, "PUT", `${at}/weather`, given);
    await manage(target, admin, "PUT", `${at}/broken`, { ...given, enabled: false });
    for (const name of ["weather", "broken"])
      await manage(target, admin, "PUT", `${at}/${name}/grants/${site.id}`, { public: true });
    const page = await openAs(site, "editor");
    const card = page.getByRole("region", { name: "Connections" });
    await card.getByText("https://weather.test, by GET and POST").first().waitFor();
    await card.getByText("Calls are refused until an administrator switches it on").waitFor();
    await card.getByText("Only the owner and editors send requests").first().waitFor();
    await card.getByRole("button", { name: "Restrict it in the policy: weather" }).press("Enter");
    await parts(page).entry("weather").getByText("Single rights").click();
    await parts(page).choose("Who uses it", "Everyone");
    await card.getByText("Everyone who may open this canvas sends requests").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await page
      .getByRole("region", { name: "AI budget" })
      .getByText(/^\$0\.\d+ of \$/)
      .waitFor();
    await parts(page).save();
    // The button that saved is gone. What says that it is saved has the focus.
    assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "What is saved");
    assert.deepEqual((await stored(site)).policy.connections, { weather: { audience: "viewers" } });
    const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/connections`);
    const inPolicy = (json.connections as { profile: string; inPolicy: boolean }[]).map(
      ({ profile, inPolicy }) => [profile, inPolicy],
    );
    assert.deepEqual(inPolicy, [
      ["broken", false],
      ["weather", true],
    ]);
  });

  it("easel.json of the live version is compared, and taken over", async () => {
    const site = await staged({
      collections: { ideas: { preset: "contributions" }, old: { preset: "managed" } },
    });
    const file = {
      policy: { collections: { ideas: { preset: "personal" } } },
      aiAudience: "viewers",
      capabilities: ["kv", "authoring"],
    };
    await store(target, site.people.owner, site.id, {
      "index.html": "hi",
      "easel.json": JSON.stringify(file),
    });
    const page = await openAs(site);
    await page.getByRole("button", { name: "Take over from easel.json" }).click();
    const dialog = page.getByRole("dialog", { name: "Take over from easel.json" });
    await dialog.getByText("Switches on making canvases.").waitFor();
    await dialog.getByText("ideas: changed").waitFor();
    await dialog.getByText("old: removed").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await dialog.getByRole("button", { name: "Take over", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await parts(page).bar.getByText("Not saved: 1 entry changed, 1 entry removed.").waitFor();
    await parts(page).save();
    assert.deepEqual((await stored(site)).policy, file.policy);
    await page.getByRole("button", { name: "Take over from easel.json" }).click();
    await dialog.getByText("The file says the same as this screen.").waitFor();
  });
});
