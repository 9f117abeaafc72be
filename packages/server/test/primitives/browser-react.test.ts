import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import type { Person } from "@easel/conformance/target";
import type { Browser, Page, WebSocketRoute } from "playwright-core";
import { rolldown } from "rolldown";
import { ROOT } from "../areas.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { samplesOf } from "../support/samples.ts";
import { temporaryDirectory } from "../support/service.ts";
import { enterAs, type Site, startSite } from "../support/site.ts";

/**
 * The source of a React component that tests the hooks. The handler and the key that it passes to the hooks change with its state. It shows
 * how many different functions the hooks have returned to it.
 */
const PROBE = `
  import { useChannel, useKv } from "@easel/react";
  import { useRef, useState } from "react";

  function Shown({ hide }) {
    const [heard, setHeard] = useState([]);
    const { publish } = useChannel("participants:probe", ({ data }) => setHeard([...heard, data]));
    const { data, set } = useKv("probe:" + heard.length, { scope: "user", initial: "k" });
    const functions = useRef(new Set());
    functions.current.add(publish).add(set);
    const click = async () => {
      await set((current) => current + heard.length);
      publish("heard", heard.length);
    };
    return <>
      <output>{heard.join() + " " + data + " " + functions.current.size}</output>
      <button onClick={click}>Probe</button> <button onClick={() => setHeard([])}>Reset</button> <button onClick={hide}>Hide</button>
    </>;
  }

  export function Probe() {
    const [isShown, setShown] = useState(true);
    return isShown && <Shown hide={() => setShown(false)} />;
  }`;

/** Bundles a page that renders the probe and the component of each `tsx` block of `docs/react.md` in StrictMode, with the development build of React. */
async function bundle(t: TestContext): Promise<string> {
  const folder = await temporaryDirectory(t);
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  const blocks = samplesOf("docs/react.md").filter(({ language }) => language === "tsx");
  const names = blocks.map(({ text }) => /^export function (\w+)/m.exec(text)?.[1] ?? assert.fail(text));
  for (const [index, { text }] of blocks.entries())
    await writeFile(path.join(folder, `${names[index]}.tsx`), text);
  await writeFile(path.join(folder, "Probe.tsx"), PROBE);
  names.push("Probe");
  const main = `
    import { StrictMode } from "react";
    import { createRoot } from "react-dom/client";
    ${names.map((name) => `import { ${name} } from "./${name}.tsx";`).join("\n")}
    createRoot(document.querySelector("main")).render(
      <StrictMode>${names.map((name) => `<div id="${name}"><${name} /></div>`).join("")}</StrictMode>
    );`;
  await writeFile(path.join(folder, "main.tsx"), main);
  const built = await rolldown({
    input: path.join(folder, "main.tsx"),
    platform: "browser",
    logLevel: "silent",
    resolve: {
      alias: {
        "@easel/react": path.join(ROOT, "packages/react/src/index.ts"),
        "@easel/sdk": path.join(ROOT, "packages/sdk/dist/npm/index.js"),
      },
    },
    transform: { define: { "process.env.NODE_ENV": '"development"' } },
  });
  const { output } = await built.generate({ format: "esm", codeSplitting: false });
  await built.close();
  return output[0].code;
}

/** A browser page with the canvas, in which one person is signed in. */
interface View {
  page: Page;
  /** The frames that the page has sent. */
  frames: { type: string }[];
  /** Errors that nobody has caught. */
  faults: string[];
  /** Ends the connection, and leaves the page without one until `restore` is called. */
  disconnect(): void;
  restore(): void;
}

async function open(browser: Browser, site: Site, { slug }: Stage, person: Person): Promise<View> {
  const context = await browser.newContext();
  await enterAs(context, site, person);
  const page = await context.newPage();
  const view: View = { page, frames: [], faults: [], disconnect() {}, restore() {} };
  page.on("pageerror", ({ message }) => view.faults.push(message));
  let isDown = false;
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket(/\/realtime$/, (route) => {
    if (isDown) return route.close({ code: 1001 });
    const server = route.connectToServer();
    open.add(route);
    route.onMessage((message) => {
      view.frames.push(JSON.parse(String(message)));
      server.send(message);
    });
  });
  view.disconnect = () => {
    isDown = true;
    for (const route of open) route.close({ code: 1001 });
    open.clear();
  };
  view.restore = () => {
    isDown = false;
  };
  await page.goto(site.env.base.canvasUrl(slug));
  return view;
}

test("components of two people are live, and writes that are refused go back", {
  skip: noBrowser,
}, async (t) => {
  const site = await startSite(t, "path");
  const canvas = await stage(site.target);
  const preset = { preset: "contributions" } as const;
  await govern(site.target, canvas, { collections: { ideas: preset, plans: preset } });
  await publish(site.target, canvas, {
    "index.html": `<!doctype html><title>Page</title><main></main><script type="module" src="main.js"></script>`,
    "main.js": await bundle(t),
  });
  const browser = await openBrowser(t);
  const owner = await open(browser, site, canvas, canvas.people.owner);
  const viewer = await open(browser, site, canvas, canvas.people.viewer);
  const both = [owner, viewer];
  const votes = ({ page }: View, count: number) =>
    page.locator("#Votes", { hasText: ` ${count} votes` }).waitFor();
  const alert = ({ page }: View, within: string) => page.locator(`#${within} [role=alert]`);
  const box = ({ page }: View, title: string) => page.locator("#Ideas").getByLabel(title);
  const add = async ({ page }: View, title: string) => {
    await page.getByLabel("Idea").fill(title);
    await page.getByRole("button", { name: "Add" }).click();
  };

  await t.test("keys, collections and channels are watched once, in StrictMode too", async () => {
    for (const view of both) {
      await votes(view, 0);
      await view.page.locator("#Table", { hasText: /Here: .+/ }).waitFor();
      const frames = view.frames.map((frame) => JSON.stringify(frame));
      assert.deepEqual(frames, [...new Set(frames)]);
      const types = new Set(view.frames.map(({ type }) => type));
      assert.deepEqual(types, new Set(["watch", "subscribe"]));
    }
  });

  await t.test("a write of one appears to the other", async () => {
    await owner.page.getByRole("button", { name: "Vote" }).click();
    for (const view of both) await votes(view, 1);
    await add(viewer, "Tea at four");
    for (const view of both) await box(view, "Tea at four").waitFor();
    await box(owner, "Tea at four").check();
    await viewer.page.locator("#Ideas input:checked").waitFor();
  });

  await t.test("a refused write is shown until the refusal, and then goes back", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await viewer.page.route("**/increment", async (route) => {
      await released;
      await route.continue();
    });
    await viewer.page.getByRole("button", { name: "Vote" }).click();
    await votes(viewer, 2);
    assert.equal(await alert(viewer, "Votes").count(), 0);
    release();
    await votes(viewer, 1);
    await alert(viewer, "Votes").waitFor();
    await votes(owner, 1);

    await add(owner, "Tea at five");
    const other = box(viewer, "Tea at five");
    await other.waitFor();
    await other.click();
    await alert(viewer, "Ideas").waitFor();
    assert.equal(await other.isChecked(), false);
  });

  await t.test("messages are heard once, and presence names both", async () => {
    for (const { page } of both) await page.locator("#Table", { hasText: /Here: .+, .+/ }).waitFor();
    await viewer.page.getByRole("button", { name: "Cheers!" }).click();
    await viewer.page.getByRole("button", { name: "Cheers!" }).click();
    for (const { page } of both) {
      await page.locator("#Table li").nth(1).waitFor();
      assert.equal(await page.locator("#Table li").count(), 2);
    }
  });

  await t.test("what changes without a connection is read after the reconnect", async () => {
    viewer.disconnect();
    await owner.page.getByRole("button", { name: "Vote" }).click();
    await add(owner, "Tea at six");
    await box(owner, "Tea at six").waitFor();
    await votes(owner, 2);
    assert.equal(await box(viewer, "Tea at six").count(), 0);
    viewer.restore();
    await votes(viewer, 2);
    await box(viewer, "Tea at six").waitFor();
    await viewer.page.getByRole("button", { name: "Cheers!" }).click();
    for (const { page } of both) await page.locator("#Table li").nth(2).waitFor();
  });

  await t.test(
    "handler and key are those of the latest rendering, functions change with the key only",
    async () => {
      const { page, frames } = viewer;
      const shows = (text: string) => page.locator("output", { hasText: new RegExp(`^${text}$`) }).waitFor();
      const click = (name: string) => page.getByRole("button", { name }).click();
      await shows(" k 2");
      await click("Probe");
      await shows("0 k 3");
      await click("Probe");
      await shows("0,1 k 4");
      await click("Reset");
      await shows(" k0 5");
      frames.splice(0);
      await click("Hide");
      await until("the page has left", () => frames.length === 2);
      assert.deepEqual(frames.map(({ type }) => type).sort(), ["unsubscribe", "unwatch"]);
    },
  );

  await viewer.page.locator("#Preview", { hasText: "Today: oolong" }).waitFor();
  assert.deepEqual(
    both.map(({ faults }) => faults),
    [[], []],
  );
});
