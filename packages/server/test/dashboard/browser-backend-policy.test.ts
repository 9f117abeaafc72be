import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { backendScreen, parts } from "./backend-screen.ts";

describe("the policy on the screen of the backend", { skip: noBrowser }, async () => {
  const { stored, save, staged, openAs } = await backendScreen({ after });

  it("two editors: what they change apart is merged, what both change is chosen side by side", async () => {
    const site = await staged({
      collections: {
        ideas: { preset: "contributions" },
        votes: { preset: "personal" },
        both: { preset: "managed" },
      },
    });
    const page = await openAs(site);
    const other = await openAs(site, "editor");
    await parts(other).choose("Preset of votes", /^submissions/);
    await parts(other).bar.getByRole("button", { name: "Save" }).click();
    await other.getByText("Saved. It counts from now on.").waitFor();
    await parts(page).choose("Preset of ideas", /^managed/);
    await parts(page).bar.getByRole("button", { name: "Save" }).click();
    await page.getByText("What somebody else has changed meanwhile is kept:").waitFor();
    assert.deepEqual((await stored(site)).policy.collections, {
      ideas: { preset: "managed" },
      votes: { preset: "submissions" },
      both: { preset: "managed" },
    });

    await save(site, {
      collections: {
        ideas: { preset: "personal" },
        votes: { preset: "managed" },
        both: { preset: "collaborative" },
      },
    });
    await parts(page).choose("Preset of both", /^personal/);
    await parts(page).choose("Preset of ideas", /^submissions/);
    await parts(page).bar.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("These entries you have both changed").waitFor();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    assert.equal(await parts(page).bar.getByRole("button", { name: "Save" }).isDisabled(), true);
    await page.getByRole("button", { name: "Take theirs: both" }).click();
    await page.getByRole("button", { name: "Keep mine: ideas" }).press("Enter");
    await page.getByRole("button", { name: "Keep mine: ideas" }).waitFor({ state: "detached" });
    await parts(page).save();
    assert.deepEqual((await stored(site)).policy.collections, {
      ideas: { preset: "submissions" },
      votes: { preset: "managed" },
      both: { preset: "collaborative" },
    });

    // A page that learns of another policy before it saves offers the same merge.
    await parts(page).choose("Preset of both", /^personal/);
    await save(site, { collections: { both: { preset: "collaborative" }, new: { preset: "managed" } } });
    await parts(page).flip(/^Files/);
    await page.getByText("This policy was saved meanwhile").waitFor();
    await page.getByRole("button", { name: "Merge their changes" }).press("Enter");
    await parts(page).entry("new").waitFor();
    await parts(page).save();
    assert.deepEqual((await stored(site)).policy.collections, {
      both: { preset: "personal" },
      new: { preset: "managed" },
    });
  });

  it("a document with faults keeps its text, and the sentences wait for it", async () => {
    const site = await staged({ collections: { ideas: { preset: "contributions" } } });
    const page = await openAs(site);
    const text = '{"collections": {"ideas": {"preset": "manged"}}}';
    await parts(page).document.fill(text);
    await parts(page).faults.getByText('`collections.ideas.preset` must be "personal"').waitFor();
    await page.getByText("The sentences show what it said before").waitFor();
    assert.equal(await page.getByRole("button", { name: "Preset of ideas" }).isDisabled(), true);
    assert.equal(await parts(page).document.innerText(), text);
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await parts(page).document.fill('{"collections": {"ideas": {"preset": "managed"}}');
    await parts(page).faults.getByText("The { that begins here has no }.").waitFor();
    await page.getByRole("button", { name: "Line 1, column 1" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("}");
    await parts(page).entry("ideas").getByText("Only the owner and editors add records.").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Preset of ideas" }).isDisabled(), false);

    // Tab indents, Escape and Tab leave; keys that are typed are no shortcuts.
    await parts(page).document.focus();
    await page.keyboard.type("?");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.shadowRoot !== null"), true);
    await page.keyboard.press("Escape");
    await page.getByText("Tab now leaves the editor.").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.shadowRoot === null"), true);
    assert.equal(await page.getByRole("dialog").count(), 0);

    // Leaving asks, and nothing is lost by staying.
    await page.getByRole("link", { name: "Versions", exact: true }).click();
    const dialog = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await assertAccessible(page, "light");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.match(await parts(page).document.innerText(), /managed/);
    await parts(page).bar.getByRole("button", { name: "Discard" }).click();
    await parts(page).bar.getByText("All of it is saved.").waitFor();
    await page.getByRole("link", { name: "Versions", exact: true }).click();
    await page.waitForURL(/versions$/);
  });

  it("without the editor, a plain field does the same", async () => {
    const site = await staged({ collections: { ideas: { preset: "contributions" } } });
    const page = await openAs(site);
    await page.route("**/assets/editor-*.js", (route) => route.abort());
    await page.reload();
    const { document, faults, entry, save: saved } = parts(page);
    await document.fill('{"collections": {"ideas": {"preset": "mine"}}}');
    await faults.getByText('`collections.ideas.preset` must be "personal"').waitFor();
    await document.fill('{"collections": {"ideas": {"preset": "managed"}}}');
    await entry("ideas").getByText("Only the owner and editors add records.").waitFor();
    assert.equal(await page.locator("textarea").count(), 1);
    await saved();
    assert.deepEqual((await stored(site)).policy.collections, { ideas: { preset: "managed" } });
  });

  it("an entry is added by keyboard alone, and each kind of entry is changed", async () => {
    const site = await staged();
    const page = await openAs(site);
    await page.getByText("Nothing is named yet.").waitFor();
    await assertAccessible(page, "dark");
    await page.getByRole("button", { name: "Add a collection" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Add to the policy" });
    await dialog.waitFor();
    await page.keyboard.type("constructor");
    await page.keyboard.press("Enter");
    await dialog.getByText("1 to 80 letters").waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("hasOwn");
    await page.keyboard.press("Enter");
    await parts(page).entry("hasOwn").waitFor();
    await parts(page).document.fill(
      JSON.stringify({
        collections: { hasOwn: { preset: "contributions" } },
        fileGroups: { photos: { preset: "managed" } },
        channels: {
          live: {
            subscribe: "viewers",
            publish: "editors",
            seePresence: "viewers",
            participatePresence: "viewers",
          },
        },
        connections: { weather: { audience: "editors" } },
      }),
    );
    await parts(page).entry("weather").getByText("It is not granted to this canvas").waitFor();
    for (const name of ["hasOwn", "photos", "live", "weather"])
      await parts(page).entry(name).getByText("Single rights").click();
    await parts(page).choose("Who may: Rename, photos", "Nobody");
    await parts(page).choose("Send messages", "Everyone");
    await parts(page).choose("Who counts all records", "Owner and editors");
    await parts(page)
      .entry("hasOwn")
      .getByRole("textbox", { name: "No two records with the same" })
      .fill("authorId, value.card");
    await page.keyboard.press("Enter");
    await parts(page).entry("hasOwn").getByText("No two records have the same author and").waitFor();
    await parts(page).flip("All methods that the administrator allows");
    await parts(page).flip("POST");
    await parts(page).entry("weather").getByText("with GET and POST.").waitFor();
    await parts(page).entry("hasOwn").getByText("Phases").click();
    await parts(page).entry("hasOwn").getByRole("textbox", { name: "New phase" }).fill("revealed");
    await page.keyboard.press("Enter");
    await parts(page).choose("Who may: Add, hasOwn, phase revealed", "Nobody");
    await parts(page).choose("New collections start with", "Read only");
    await page.setViewportSize({ width: 320, height: 700 });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await parts(page).save();
    assert.deepEqual((await stored(site)).policy, {
      defaultMode: "read_only",
      collections: {
        hasOwn: {
          preset: "contributions",
          aggregateCount: "editors",
          unique: ["authorId", "value.card"],
          phases: { revealed: { create: "none" } },
        },
      },
      fileGroups: { photos: { preset: "managed", overrides: { update: "none" } } },
      channels: {
        live: {
          subscribe: "viewers",
          publish: "viewers",
          seePresence: "viewers",
          participatePresence: "viewers",
        },
      },
      connections: { weather: { audience: "editors", methods: ["GET", "POST"] } },
    });
  });
});
