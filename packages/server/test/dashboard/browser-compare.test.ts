import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { HOSTILE, makeTwoVersions } from "../support/two-versions.ts";
import { store } from "../support/version-files.ts";

describe("what differs between two versions", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@example.com");
  let read: Awaited<ReturnType<typeof makeTwoVersions>>;
  before(async () => {
    read = await makeTwoVersions(target, ada, "Read");
  });

  it("a version is compared with the one before: texts, images, other files, and one that was renamed", async () => {
    const { id, second } = read;
    const { page } = await open(ada.email, `/canvases/${id}/versions?version=${second}`);
    await page.getByText("7 files differ: 4 changed, 1 added, 1 removed, 1 renamed.").waitFor();

    const file = (name: string | RegExp) => page.getByRole("button", { name });
    await file("changed: style.css").click();
    const table = page.getByRole("table", { name: "How style.css differs" });
    await table.getByRole("row", { name: "26 removed h1 { color: red; }" }).waitFor();
    await table.getByRole("row", { name: "26 added h1 { color: green; }" }).waitFor();
    assert.deepEqual(await table.locator("mark").allTextContents(), ["red", "green"]);
    await table.getByRole("button", { name: "Show 22 equal lines" }).click();
    await table.getByText(".c0 { margin: 0 }").waitFor();
    await page.getByRole("button", { name: "Layout of the comparison" }).click();
    await page.getByRole("option", { name: "Side by side" }).click();
    await table
      .getByRole("row", { name: "26 removed h1 { color: red; } 26 added h1 { color: green; }" })
      .waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");

    await file("changed: logo.gif").click();
    for (const side of ["Before", "After"]) {
      await page.getByRole("img", { name: `${side} logo.gif` }).waitFor();
      await page.getByText(`${side}: 1 × 1, 35 bytes`).waitFor();
    }
    await file("changed: data.bin").click();
    await page.getByText("4 bytes, application/octet-stream, SHA-256").waitFor();
    await file(/^renamed: old\/script\.js is now new\/script\.js/).click();
    await page.getByText("its content is the same").waitFor();
    await file(`added: ${HOSTILE}`).click();
    await page.getByText("<script>document.title='run'</script> [U+202E]").waitFor();
    assert.equal(await page.title(), "Versions · Read · Easel");

    // What is shown is in the address.
    await page.reload();
    await page.getByText("[U+202E]").waitFor();
    await page.getByRole("button", { name: /^The one before/ }).click();
    await page.getByRole("option", { name: "Nothing: list all files" }).click();
    await page.getByText("6 files.").waitFor();
    await file("new/script.js").click();
    await page.getByRole("table", { name: "new/script.js" }).getByText("console.log('the same');").waitFor();
    await assertAccessible(page, "dark");
  });

  it("a text of very many lines is drawn in parts", async () => {
    const id = String((await manage(target, ada, "POST", "/api/canvases", { title: "Large" })).json.id);
    const text = (name: string) => Array.from({ length: 1_200 }, (_, line) => `${name} ${line}\n`).join("");
    await store(target, ada, id, { "a.txt": text("a") });
    const version = await store(target, ada, id, { "a.txt": text("b") });
    const { page } = await open(ada.email, `/canvases/${id}/versions?version=${version}&file=a.txt`);
    const more = page.getByRole("button", { name: "Show more of 1,200 lines" });
    await more.waitFor();
    assert.equal(await page.getByRole("table").locator("tr").count(), 2_000);
    await more.click();
    await until(
      "more lines are drawn",
      async () => (await page.getByRole("table").locator("tr").count()) === 2_400,
    );
  });

  it("nothing deployed yet leads to a deploy, and 320 pixels are enough", async () => {
    const id = String((await manage(target, ada, "POST", "/api/canvases", { title: "Empty" })).json.id);
    const { page } = await open(ada.email, `/canvases/${id}/versions`, {
      viewport: { width: 320, height: 640 },
    });
    await page.getByText("Nothing deployed yet").waitFor();
    await assertAccessible(page, "light");
    for (const shown of [
      "",
      `?version=${read.second}&file=style.css`,
      `?version=${read.second}&file=logo.gif`,
    ]) {
      await page.goto(`${env.base.origin}/canvases/${read.id}/versions${shown}`);
      await page.getByText("Second").waitFor();
      if (shown !== "") await page.locator(".file-view :is(table, img)").first().waitFor();
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    }
  });
});
