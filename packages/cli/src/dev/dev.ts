import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { LoggedCall } from "@easel/protocol/management";
import { isAllowedSlug } from "@easel/server/slugs";
import type { Context } from "../context.ts";
import { readFolder } from "../deploy/folder.ts";
import { fail } from "../exit.ts";
import { parseEaselJson } from "../project/easel-json.ts";
import { nameOfFolder } from "../project/folder-name.ts";
import { ownSubfolder } from "../project/own-folder.ts";
import { clean } from "../terminal/clean.ts";
import { Report } from "./call-report.ts";
import { openCanvas, startService } from "./embedded.ts";
import { FolderContent } from "./folder-content.ts";
import { listen } from "./listen.ts";
import { LivePages } from "./live-pages.ts";
import { canvasPath, type Site } from "./page-hosts.ts";
import { createReverseProxy } from "./reverse-proxy.ts";
import { applySettings, handleChange, watchFolder } from "./watch-folder.ts";

/** Returns the path of `easel.json`. With `--proxy` it may also be in `public`, a folder that Vite copies to the build. */
export function settingsFile(folder: string, isProxied: boolean): string {
  const file = path.join(folder, "easel.json");
  const copied = path.join(folder, "public", "easel.json");
  return isProxied && !existsSync(file) && existsSync(copied) ? copied : file;
}

/** The flags of `easel dev`. */
export interface DevOptions {
  port?: number;
  host: string;
  proxy?: string;
  open?: boolean;
  throwAway?: boolean;
}

/** Converts the value of `--proxy`, a port or a URL, to an origin. Returns null if the option is not given. */
function proxyOrigin(given: string | undefined): string | null {
  if (given === undefined) return null;
  const url = URL.parse(/^\d+$/.test(given) ? `http://localhost:${given}` : given);
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search !== "" || url.username !== "")
    return fail(`\`${clean(given)}\` is no origin such as http://localhost:5173.`, { exit: "usage" });
  return url.origin;
}

/** Returns the folder for the data of the service: `.easel/dev`, or a new temporary folder, which `close` removes. */
async function openData(
  folder: string,
  throwAway: boolean,
): Promise<{ directory: string; close(): Promise<void> }> {
  if (throwAway) {
    const directory = await mkdtemp(path.join(os.tmpdir(), "easel-dev-"));
    return { directory, close: () => rm(directory, { recursive: true, force: true }) };
  }
  return { directory: await ownSubfolder(folder, "dev"), close: async () => {} };
}

async function requireFolder(folder: string, isProxied: boolean): Promise<void> {
  if (isProxied && existsSync(folder)) return;
  await readFolder(folder);
}

/** Reports a refused or closed WebSocket of a page. The reverse proxy reports all other calls. */
async function reportSocket(call: LoggedCall, isOwn: boolean, { env, report }: Site): Promise<void> {
  const { method, route, status, userId } = call;
  if (!isOwn || route !== "/realtime") return;
  const user = await env.db.get<{ name: string }>`select name from users where id = ${userId}`;
  report.addCall({ method, path: route, status }, JSON.stringify(call), user?.name ?? null);
}

/** Runs `easel dev` until the person presses Ctrl-C: serves a folder as a canvas, and reloads its open pages when a file is saved. */
export async function dev(given: string, options: DevOptions, context: Context): Promise<void> {
  const { terminal, signal, env: environment } = context;
  const folder = path.resolve(context.cwd, given);
  const proxy = proxyOrigin(options.proxy);
  await requireFolder(folder, proxy !== null);
  const file = settingsFile(folder, proxy !== null);
  const first = await parseEaselJson(file);
  const { slug: derived, title } = await nameOfFolder(folder);
  const slug =
    [first.settings?.slug, derived].find((each) => each !== undefined && isAllowedSlug(each)) ?? "my-app";

  const endings: (() => Promise<void> | void)[] = [];
  try {
    const report = new Report((line) => terminal.say(line));
    const live = new LivePages(report);
    let started: Site | null = null;
    // The reverse proxy listens first, because the service needs its port to start.
    const reverseProxy = createReverseProxy(() => started);
    const port = await listen(reverseProxy.server, options.host, options.port);
    endings.push(() => reverseProxy.close());
    const data = await openData(folder, options.throwAway === true);
    endings.push(data.close);
    const origin = `http://localhost:${port}`;
    const service = await startService(origin, data.directory, environment);
    endings.push(() => service.stop());
    endings.push(
      () => live.close(),
      () => report.close(),
    );
    const { env } = service;
    const id = await openCanvas(slug, title, env);
    const content = new FolderContent(folder);
    if (proxy === null) env.localContent.set(id, content);
    const site: Site = {
      port,
      origin,
      slug,
      env,
      service: `http://127.0.0.1:${service.port}`,
      proxy,
      live,
      report,
      faults: first.faults,
    };
    started = site;
    endings.push(env.callLog.subscribe((call, canvas) => void reportSocket(call, canvas.id === id, site)));
    const served = { site, id, folder, file, title, content };
    await applySettings(first, served);
    endings.push(
      await watchFolder(folder, (paths) => {
        handleChange(paths, served).catch((error: unknown) =>
          report.add(`The folder cannot be read: ${String(error)}`),
        );
      }),
    );
    const address = origin + canvasPath(site);
    terminal.result({ url: address }, () => `${address}\n`);
    terminal.say(`${proxy === null ? "Reloads on every save." : `Shows ${proxy}.`} Press Ctrl-C to end.`);
    if (options.open === true) await (await import("open")).default(address);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    for (const end of endings.reverse()) await end();
  }
}
