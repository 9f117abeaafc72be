import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo, Server } from "node:net";
import os from "node:os";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import type { LoggedCall } from "@easel/protocol/management";
import { type EaselJson, easelJson, faultsOf } from "@easel/server/canvases/publishing/easel-json";
import { isAllowedSlug, slugOf } from "@easel/server/canvases/publishing/slug";
import type { Context } from "../context.ts";
import { readFolder } from "../deploy/folder.ts";
import { fail } from "../exit.ts";
import { makeOwnFolder } from "../project/own-folder.ts";
import { clean } from "../terminal/clean.ts";
import { callLine, Report } from "./call-report.ts";
import { stateFor } from "./dev-pages.ts";
import { canvasPath, type Site } from "./dev-site.ts";
import { applyEaselJson, openCanvas, startService } from "./embedded.ts";
import { FolderContent } from "./folder-content.ts";
import { createFront } from "./front.ts";
import { LivePages } from "./live-pages.ts";
import { watchFolder } from "./watch-folder.ts";

/** The port that is tried first, and the number of further ports that are tried if it is in use. */
const FIRST_PORT = 4321;
const TRIED_PORTS = 20;

/** The flags of `easel dev`. */
export interface DevOptions {
  port?: number;
  host: string;
  proxy?: string;
  open?: boolean;
  throwAway?: boolean;
}

/** Listens on `port`, or on the first free port from `FIRST_PORT` on. Returns the port. Throws a `Failure` if no port can be used. */
async function listen(server: Server, host: string, port: number | undefined): Promise<number> {
  for (let tried = port ?? FIRST_PORT; ; tried++) {
    try {
      server.listen(tried, host);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE") fail(`Port ${tried} cannot be used: ${message}.`);
      if (port !== undefined)
        fail(`Port ${tried} is in use.`, {
          hint: "Give another one with --port, or leave out --port to take a free one.",
        });
      if (tried >= FIRST_PORT + TRIED_PORTS)
        fail(`The ports ${FIRST_PORT} to ${tried} are in use.`, { hint: "Give one with --port." });
    }
  }
}

/** Converts the value of `--proxy`, a port or a URL, to an origin. Returns null if the option is not given. */
function proxyOrigin(given: string | undefined): string | null {
  if (given === undefined) return null;
  const url = URL.parse(/^\d+$/.test(given) ? `http://localhost:${given}` : given);
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search !== "" || url.username !== "")
    return fail(`\`${clean(given)}\` is no origin such as http://localhost:5173.`, { exit: "usage" });
  return url.origin;
}

/** Returns the path of `easel.json`. With `--proxy` it may also be in `public`, a folder that Vite copies to the build. */
function settingsFile(folder: string, isProxied: boolean): string {
  const file = path.join(folder, "easel.json");
  const copied = path.join(folder, "public", "easel.json");
  return isProxied && !existsSync(file) && existsSync(copied) ? copied : file;
}

/** Reads `easel.json`. Returns its faults, and the settings if it has no faults. A missing file is read as `{}`. */
async function readSettings(file: string): Promise<{ settings: EaselJson | null; faults: string[] }> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR"].includes(error.code ?? "")) return "{}";
    throw error;
  });
  const faults = faultsOf(text);
  return { settings: faults.length > 0 ? null : easelJson.parse(JSON.parse(text)), faults };
}

/** Returns the slug in `easel.json`, or one derived from the folder's name. Returns `my-app` if the slug is not allowed. */
function slugOfFolder(folder: string, settings: EaselJson | null): string {
  const derived = settings?.slug ?? slugOf(path.basename(folder));
  return isAllowedSlug(derived) ? derived : "my-app";
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
  return { directory: path.join(await makeOwnFolder(folder), "dev"), close: async () => {} };
}

async function requireFolder(folder: string, isProxied: boolean): Promise<void> {
  if (isProxied && existsSync(folder)) return;
  await readFolder(folder);
}

/** Reports a refused or closed WebSocket of a page. The front reports all other calls. */
async function reportSocket(call: LoggedCall, isOwn: boolean, { env, report }: Site): Promise<void> {
  const { method, route, status, userId } = call;
  if (!isOwn || route !== "/realtime") return;
  const user = await env.db.get<{ name: string }>`select name from users where id = ${userId}`;
  report.add(callLine({ method, path: route, status }, JSON.stringify(call), user?.name ?? null));
}

/** Runs `easel dev` until the person presses Ctrl-C: serves a folder as a canvas, and reloads its open pages when a file is saved. */
export async function dev(given: string, options: DevOptions, context: Context): Promise<void> {
  const { terminal, signal, env: environment } = context;
  const folder = path.resolve(context.cwd, given);
  const proxy = proxyOrigin(options.proxy);
  await requireFolder(folder, proxy !== null);
  const file = settingsFile(folder, proxy !== null);
  const first = await readSettings(file);
  const slug = slugOfFolder(folder, first.settings);
  const folderName = path.basename(folder).slice(0, LIMITS.titleLength.value) || "app";

  const endings: (() => Promise<void> | void)[] = [];
  try {
    const report = new Report((line) => terminal.say(line));
    const live = new LivePages(report);
    let site: Site | null = null;
    // The front listens first, because the service needs the port of the front to start.
    const front = createFront(() => site);
    const port = await listen(front.server, options.host, options.port);
    endings.push(() => front.close());
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
    const id = await openCanvas(slug, folderName, env);
    const content = new FolderContent(folder);
    if (proxy === null) env.localContent.set(id, content);
    site = {
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
    const here = site;
    endings.push(env.callLog.subscribe((call, canvas) => void reportSocket(call, canvas.id === id, here)));
    const apply = async ({ settings, faults }: { settings: EaselJson | null; faults: string[] }) => {
      here.faults = faults;
      for (const fault of faults) report.add(`easel.json: ${fault}`);
      if (settings !== null) await applyEaselJson(id, settings, folderName, env);
      if (settings?.slug !== undefined && settings.slug !== slug)
        report.add(`easel.json: the slug is \`${slug}\` until you start \`easel dev\` again`);
    };
    await apply(first);
    const onChange = async (paths: string[]) => {
      content.refresh();
      const isSettings = paths.some((each) => path.join(folder, each) === file);
      if (isSettings) {
        await apply(await readSettings(file));
        await live.refresh(stateFor(here));
      }
      if (proxy !== null && !isSettings) return;
      const base = canvasPath(here);
      if (paths.every((each) => each.endsWith(".css")))
        live.broadcast({ type: "styles", paths: paths.map((each) => base + encodeURI(each)) });
      else if (!isSettings || here.faults.length === 0) live.broadcast({ type: "reload" });
    };
    endings.push(
      await watchFolder(folder, (paths) => {
        onChange(paths).catch((error: unknown) => report.add(`The folder cannot be read: ${String(error)}`));
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
