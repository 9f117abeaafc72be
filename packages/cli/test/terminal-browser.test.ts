import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, test } from "node:test";
import { until } from "@easel/conformance/patience";
import type { Env } from "@easel/server";
import type { Browser, Page } from "playwright-core";
import { noBrowser, openAs, openBrowser } from "../../server/test/support/browser.ts";
import {
  fileScope,
  type Scope,
  startService,
  temporaryDirectory,
} from "../../server/test/support/service.ts";
import { signedIn } from "./support/easel.ts";
import { installEasel } from "./support/installed.ts";
import { noTmux, openTerminal } from "./support/tmux.ts";

const LIMITLESS = { SERVICE_RATELIMIT_ENABLED: "false" };

/** Returns the slugs of the canvases that are not deleted, and whether each has a version. */
const canvases = async ({ db }: Env) =>
  (
    await db.all<{ slug: string; version_id: string | null }>`
      select slug, version_id from canvases where deleted_at is null order by slug`
  ).map(({ slug, version_id }) => `${slug}${version_id === null ? " without a version" : ""}`);

/** Changes the title of the app in a folder. */
async function retitle(folder: string, title: string): Promise<void> {
  const file = path.join(folder, "index.html");
  const page = await readFile(file, "utf8");
  await writeFile(file, page.replace(/<title>[^<]*/, `<title>${title}`));
}

describe("easel from its tarball", { skip: noBrowser || noTmux }, () => {
  const scope = fileScope();
  let programs: string;
  let browser: Browser;
  before(async () => {
    [programs, browser] = await Promise.all([installEasel(scope), openBrowser(scope)]);
  });
  const searched = () => [programs, path.dirname(process.execPath), "/usr/bin", "/bin"].join(":");

  /** Opens a terminal in an empty folder. `opened` waits for the address that `easel` opens in a browser, and opens it in a new page. */
  async function openInEmptyFolder(t: Scope) {
    const home = await temporaryDirectory(t);
    const cwd = await temporaryDirectory(t);
    const [program, asked] = [path.join(home, "browser"), path.join(home, "asked")];
    await writeFile(program, `#!/bin/sh\nprintf %s "$1" > ${asked}.part && mv ${asked}.part ${asked}\n`);
    await chmod(program, 0o755);
    const terminal = await openTerminal(t, cwd, { PATH: searched(), HOME: home, BROWSER: program });
    const opened = async (): Promise<Page> => {
      let address = "";
      await until("an address is opened in the browser", async () => {
        address = await readFile(asked, "utf8").catch(() => "");
        return address !== "";
      });
      const page = await (await browser.newContext()).newPage();
      await page.goto(address);
      return page;
    };
    return { cwd, terminal, opened };
  }

  /** Allows the command line to act for the person who is signed in on a page. */
  async function allow(page: Page): Promise<void> {
    await page.getByRole("heading", { name: /^Let the command line on .* act for you\?$/ }).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "You are signed in" }).waitFor();
  }

  test("in a terminal: an app is created, tried by two people, deployed, changed, rolled back, deleted and restored", async (t) => {
    const { base, env } = await startService(t, LIMITLESS);
    const { cwd, terminal, opened } = await openInEmptyFolder(t);
    const address = `${base}/c/lunch/`;
    const folder = path.join(cwd, "lunch");

    await terminal.start("easel init lunch --template guestbook");
    await terminal.shows(/What is it called\?/);
    await terminal.press("Enter");
    assert.equal((await terminal.ended()).code, 0);
    await terminal.run("cd lunch");

    await terminal.start("easel dev");
    await terminal.shows(/Press Ctrl-C to end/);
    const dev = await terminal.shows(/http:\/\/localhost:\d+\/\S*/);
    const ada = await (await browser.newContext()).newPage();
    await ada.goto(dev);
    const chi = await ada.context().newPage();
    await chi.goto(dev.replace("localhost", "chi.localhost"));
    await chi.getByLabel("Your entry").fill("Soup, please");
    await chi.getByRole("button", { name: "Sign the book" }).click();
    await ada.locator(".entry", { hasText: "Soup, please" }).getByText("Chi Tran", { exact: true }).waitFor();
    await retitle(folder, "Saved");
    await ada.waitForFunction('document.title === "Saved"');
    await terminal.press("C-c");
    await terminal.ended();

    await terminal.start(`easel login ${base}`);
    const page = await opened();
    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await allow(page);
    await terminal.shows(/You are signed in at .* as ada@example\.com\./);
    assert.equal((await terminal.ended()).code, 0);

    await terminal.start("easel deploy");
    await terminal.shows(/Who may enter\?/);
    await terminal.press("Down");
    await terminal.press("Enter");
    await terminal.shows(RegExp(`^${address}$`, "m"));
    assert.equal((await terminal.ended()).code, 0);
    const ben = await openAs(browser, address, "ben@example.com");
    assert.equal(await ben.page.title(), "Saved");
    await ben.page.getByLabel("Your entry").fill("Salad, please");
    await ben.page.getByRole("button", { name: "Sign the book" }).click();
    const entry = ben.page.locator(".entry", { hasText: "Salad, please" });
    await entry.waitFor();

    const publishes = async (command: string, title: string) => {
      const { code, screen } = await terminal.run(command);
      assert.equal(code, 0, screen);
      assert.match(screen, RegExp(`^${address}$`, "m"));
      await ben.page.reload();
      assert.equal(await ben.page.title(), title);
    };
    await retitle(folder, "Changed");
    await publishes("easel deploy", "Changed");
    await terminal.start("easel rollback");
    await terminal.shows(/Publish it\?/);
    await terminal.press("Enter");
    assert.equal((await terminal.ended()).code, 0);
    await ben.page.reload();
    assert.equal(await ben.page.title(), "Saved");

    await terminal.start("easel delete");
    await terminal.shows(/Type `lunch` to delete it\./);
    await terminal.type("lunch");
    await terminal.shows(/Deleted\./);
    assert.equal((await terminal.ended()).code, 0);
    assert.deepEqual(await canvases(env), []);
    assert.equal((await ben.page.reload())?.status(), 404);
    await publishes("easel restore", "Saved");
    await entry.waitFor();
    assert.deepEqual(await canvases(env), ["lunch"]);
  });

  test("in CI, without a terminal: the same commands, and no questions", async (t) => {
    const { base, env } = await startService(t, LIMITLESS);
    const cwd = await temporaryDirectory(t);
    const folder = path.join(cwd, "lunch");
    const variables = {
      PATH: searched(),
      HOME: await temporaryDirectory(t),
      CI: "true",
      ...(await signedIn(base, env)),
    };
    const easel = (...args: string[]) =>
      new Promise<{ code: number; stdout: string }>((resolve) => {
        const options = { cwd: args[0] === "init" ? cwd : folder, env: variables };
        const child = execFile("easel", args, options, (error, stdout, stderr) => {
          // Questions are written to stderr.
          assert.doesNotMatch(stderr, /\?/, args.join(" "));
          resolve({ code: Number(error?.code ?? 0), stdout });
        });
        child.stdin?.end();
      });
    const address = `${base}/c/lunch/\n`;
    assert.deepEqual(await easel("init", "lunch", "--template", "guestbook"), {
      code: 0,
      stdout: `${folder}\n`,
    });
    assert.deepEqual(await easel("deploy"), { code: 0, stdout: address });
    assert.deepEqual(await easel("delete"), { code: 2, stdout: "" });
    assert.deepEqual(await canvases(env), ["lunch"]);
    assert.deepEqual(await easel("delete", "--yes"), { code: 0, stdout: "" });
    assert.deepEqual(await canvases(env), []);
  });
});
