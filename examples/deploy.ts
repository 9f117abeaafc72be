import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import { LIMITS } from "@easel/protocol/limits";
import type { Canvas, DeployedCanvas } from "@easel/protocol/types";
import { ZipFile } from "yazl";
import { withBundle } from "../packages/server/src/canvases/publishing/bundle.ts";
import {
  type EaselJson,
  easelJson,
  faultsOf,
  switchesFor,
} from "../packages/server/src/canvases/publishing/easel-json.ts";
import { hasDotFile, LeftOutList } from "../packages/server/src/canvases/publishing/left-out.ts";
import { isAllowedSlug, slugOf } from "../packages/server/src/canvases/publishing/slug.ts";

/*
 * Deploys a folder as a canvas: npm run deploy -- FOLDER [BASE URL]
 * In dev mode it signs in by itself; in other modes the environment variable EASEL_TOKEN must hold an access token.
 */

const say = (line: string) => process.stderr.write(`${line}\n`);

/** An expected failure: its message is printed without a stack. */
class Fault extends Error {}

function fail(message: string): never {
  throw new Fault(message);
}

/**
 * Returns the files of a folder as a zip. Ends the program if the service would reject the zip; nothing has been sent to the service by
 * then.
 */
async function zipFolder(folder: string): Promise<Buffer> {
  const zip = new ZipFile();
  const leftOut = new LeftOutList();
  let hasIndex = false;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join("/");
    if (entry.isSymbolicLink()) say(`left out: ${name} (symbolic link)`);
    if (!entry.isFile() || leftOut.addIfLitter(name)) continue;
    if (hasDotFile(name)) {
      leftOut.addDotFile(name);
      continue;
    }
    if (name === "index.html") hasIndex = true;
    zip.addFile(file, name);
  }
  if (!hasIndex) fail(`There is no index.html in ${folder}, which every canvas needs.`);
  for (const { path, reason } of leftOut.entries()) say(`left out: ${path} (${reason})`);
  if (leftOut.more > 0) say(`left out: ${leftOut.more} more`);
  zip.end();
  const bytes = await buffer(zip.outputStream);
  const { value: most } = LIMITS.bundleBytes;
  if (bytes.length > most) fail(`The zipped folder has ${bytes.length} bytes; the limit is ${most}.`);
  await check(bytes);
  return bytes;
}

async function check(zip: Buffer): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), "easel-deploy-"));
  try {
    const file = path.join(directory, "bundle.zip");
    await writeFile(file, zip);
    await withBundle(file, async () => {}).catch((error: Error) => fail(error.message));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Calls the service. If the service refuses a request, the program ends with the message of the response. */
class Service {
  readonly #base: string;
  #credentials: Record<string, string> = {};

  constructor(base: string) {
    if (!/^https?:$/.test(URL.parse(base)?.protocol ?? "")) fail(`\`${base}\` is not the URL of a service.`);
    this.#base = base.replace(/\/+$/, "");
  }

  async signIn(token: string | undefined): Promise<void> {
    if (token !== undefined) this.#credentials = { authorization: `Bearer ${token}` };
    else await this.call("POST", "/auth/dev/session", { email: "dev@example.com" });
  }

  async call<Body>(method: string, at: string, body?: object): Promise<Body> {
    const isZip = Buffer.isBuffer(body);
    const response = await fetch(this.#base + at, {
      method,
      redirect: "manual",
      headers: { ...this.#credentials, "content-type": isZip ? "application/zip" : "application/json" },
      ...(body === undefined ? {} : { body: isZip ? new Uint8Array(body) : JSON.stringify(body) }),
    }).catch(() =>
      fail(
        `No service responds at ${this.#base}. Start one with \`npm start\`, or give its URL after the folder.`,
      ),
    );
    const text = await response.text();
    if (!response.ok) this.#refused(response.status, at, text);
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.#credentials = { cookie: cookie.split(";")[0] ?? "" };
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  }

  #refused(status: number, at: string, text: string): never {
    if (status === 401 || (status >= 300 && status < 400) || (status === 404 && at.startsWith("/auth/")))
      fail(`You are not signed in at ${this.#base}. Set EASEL_TOKEN to an access token of that service.`);
    let message = `${status}`;
    try {
      message = (JSON.parse(text) as { message?: string }).message ?? message;
    } catch {
      // The response is not JSON: perhaps a proxy sent it, and only the status is known.
    }
    return fail(`${this.#base} refuses: ${message}`);
  }
}

/** Reads the `easel.json` of a folder. A folder without that file is read as if it had `{}`. */
async function readEaselJson(folder: string): Promise<EaselJson> {
  const text = await readFile(path.join(folder, "easel.json"), "utf8").catch(() => "{}");
  const faults = faultsOf(text);
  if (faults.length > 0) fail(faults.map((fault) => `easel.json: ${fault}`).join("\n"));
  return easelJson.parse(JSON.parse(text));
}

/** Derives a slug from the name of a folder. */
function slugOfFolder(name: string): string {
  const slug = slugOf(name);
  if (isAllowedSlug(slug)) return slug;
  return fail(
    `The folder's name cannot be used as a slug: \`${slug}\` is too short or reserved. Rename the folder, or set \`slug\` in easel.json.`,
  );
}

/** Turns on the capabilities that the page needs, and shares the canvas with every signed-in user. Only the first deploy does so. */
async function setUp(service: Service, { id }: Canvas, { capabilities }: EaselJson): Promise<void> {
  await service.call("PATCH", `/api/canvases/${id}/capabilities`, switchesFor(capabilities));
  await service.call("PUT", `/api/canvases/${id}/sharing`, { access: "whole_org" });
}

/** Applies the settings that every deploy sets. A setting that `easel.json` does not name stays as it is. */
async function applySettings(
  service: Service,
  canvas: Canvas,
  { title, spa, policy }: EaselJson,
): Promise<void> {
  const isNew = (title ?? canvas.title) !== canvas.title || (spa ?? canvas.spa) !== canvas.spa;
  if (isNew) await service.call("PATCH", `/api/canvases/${canvas.id}`, { title, spa });
  if (policy === undefined) return;
  await service.call("PATCH", `/api/canvases/${canvas.id}/capabilities`, {
    expectedRuntimePolicy: canvas.runtimePolicyRevision,
    runtimePolicy: { ...canvas.runtimePolicy, ...policy },
  });
}

/** Prints the capabilities that the page needs and that are off. Does not turn them on, because only the first deploy does. */
function sayWhatIsOff({ id, capabilities }: Canvas, needed: Capability[] = []): void {
  for (const name of needed) {
    const own = CAPABILITIES[name].switch;
    const isOn = capabilities.backendEnabled && (own === null || capabilities[own]);
    if (!isOn)
      say(`\`${name}\` is off on this canvas: turn it on with PATCH /api/canvases/${id}/capabilities`);
  }
}

/** Deletes the canvas if its first deploy failed, unless the version was published nevertheless. */
async function discard(service: Service, { id, slug }: Canvas): Promise<void> {
  try {
    const { version } = await service.call<Canvas>("GET", `/api/canvases/${id}`);
    if (version === null) await service.call("DELETE", `/api/canvases/${id}`);
  } catch {
    say(`The canvas ${slug} is left behind without a version.`);
  }
}

async function deploy(folder: string, base: string): Promise<string> {
  const service = new Service(base);
  const found = await stat(folder).catch(() => fail(`There is no folder ${folder}.`));
  if (!found.isDirectory()) fail(`${folder} is not a folder.`);
  const name = path.basename(path.resolve(folder));
  const settings = await readEaselJson(folder);
  const slug = settings.slug ?? slugOfFolder(name);
  const zip = await zipFolder(folder);

  await service.signIn(process.env.EASEL_TOKEN);
  const { canvases } = await service.call<{ canvases: Canvas[] }>("GET", `/api/canvases?q=${slug}`);
  const known = canvases.find((each) => each.slug === slug);
  const title = settings.title ?? name.slice(0, LIMITS.titleLength.value);
  const canvas = known ?? (await service.call<Canvas>("POST", "/api/canvases", { title, slug }));
  try {
    if (known === undefined) await setUp(service, canvas, settings);
    else sayWhatIsOff(canvas, settings.capabilities);
    await applySettings(service, canvas, settings);
    const deployed = await service.call<DeployedCanvas>("PUT", `/api/canvases/${canvas.id}/bundle`, zip);
    for (const { path, reason } of deployed.leftOut) say(`left out: ${path} (${reason})`);
    for (const warning of deployed.warnings) say(warning);
    return deployed.url;
  } catch (error) {
    if (known === undefined) await discard(service, canvas);
    throw error;
  }
}

try {
  const [folder, base = "http://localhost:3000"] = process.argv.slice(2);
  if (folder === undefined) fail("The folder is missing: npm run deploy -- FOLDER [BASE URL]");
  process.stdout.write(`${await deploy(folder, base)}\n`);
} catch (error) {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  // Errors of the file system have a code and are printed without a stack; any other error is a bug.
  say(error instanceof Fault || code !== undefined ? message : String(stack));
  process.exitCode = 1;
}
