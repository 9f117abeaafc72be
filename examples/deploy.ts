import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { LIMITS } from "@easel/protocol/limits";
import type { Canvas, DeployedCanvas } from "@easel/protocol/types";
import { ZipFile } from "yazl";
import { withBundle } from "../packages/server/src/canvases/publishing/bundle.ts";
import { hasDotFile, LeftOutList } from "../packages/server/src/canvases/publishing/left-out.ts";
import { isAllowedSlug, slugOf } from "../packages/server/src/canvases/publishing/slug.ts";
import { faultsOf, manifest } from "../packages/server/src/management/manifest.ts";

/*
 * Deploys a folder as a canvas: npm run deploy -- FOLDER [BASE ADDRESS]
 * Signs in by itself where the service is in dev mode; elsewhere EASEL_TOKEN holds an access token.
 */

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Ends the program with a line for people. */
class Fault extends Error {}

function fail(message: string): never {
  throw new Fault(message);
}

/** The files of a folder as a zip, checked as the service will check it; nothing has been changed there until then. */
async function zipOf(folder: string): Promise<Buffer> {
  const zip = new ZipFile();
  const leftOut = new LeftOutList();
  let hasStart = false;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join("/");
    if (entry.isSymbolicLink()) say(`left out: ${name} (symbolic link)`);
    if (!entry.isFile() || leftOut.addIfLitter(name)) continue;
    if (hasDotFile(name)) {
      leftOut.addDotFile(name);
      continue;
    }
    if (name === "index.html") hasStart = true;
    zip.addFile(file, name);
  }
  if (!hasStart) fail(`There is no index.html in ${folder}: a canvas begins with that page.`);
  for (const { path, reason } of leftOut.entries()) say(`left out: ${path} (${reason})`);
  if (leftOut.more > 0) say(`left out: ${leftOut.more} more`);
  zip.end();
  const bytes = await buffer(zip.outputStream);
  const { value: most } = LIMITS.bundleBytes;
  if (bytes.length > most)
    fail(`The folder has ${bytes.length} bytes as a zip; at most ${most} can be deployed.`);
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

/** Calls the service; what it refuses ends the program with its message. */
class Service {
  readonly #base: string;
  #credentials: Record<string, string> = {};

  constructor(base: string) {
    if (!/^https?:$/.test(URL.parse(base)?.protocol ?? ""))
      fail(`\`${base}\` is not the address of a service.`);
    this.#base = base.replace(/\/+$/, "");
  }

  async signIn(token: string | undefined): Promise<void> {
    if (token !== undefined) this.#credentials = { authorization: `Bearer ${token}` };
    else await this.call("POST", "/auth/dev/session", { email: "dev@example.com" });
  }

  async call<Answer>(method: string, at: string, body?: object): Promise<Answer> {
    const isZip = Buffer.isBuffer(body);
    const answer = await fetch(this.#base + at, {
      method,
      redirect: "manual",
      headers: { ...this.#credentials, "content-type": isZip ? "application/zip" : "application/json" },
      ...(body === undefined ? {} : { body: isZip ? new Uint8Array(body) : JSON.stringify(body) }),
    }).catch(() =>
      fail(
        `No service answers at ${this.#base}. Start one with \`npm start\`, or name its address after the folder.`,
      ),
    );
    const text = await answer.text();
    if (!answer.ok) this.#refused(answer.status, at, text);
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.#credentials = { cookie: cookie.split(";")[0] ?? "" };
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }

  #refused(status: number, at: string, text: string): never {
    if (status === 401 || (status >= 300 && status < 400) || (status === 404 && at.startsWith("/auth/")))
      fail(`${this.#base} does not know you. Set EASEL_TOKEN to an access token of that service.`);
    let message = `${status}`;
    try {
      message = (JSON.parse(text) as { message?: string }).message ?? message;
    } catch {
      // The answer is not from the service, but perhaps from a proxy: only the status is known.
    }
    return fail(`${this.#base} refuses: ${message}`);
  }
}

async function deploy(folder: string, base: string): Promise<string> {
  const service = new Service(base);
  const found = await stat(folder).catch(() => fail(`There is no folder ${folder}.`));
  if (!found.isDirectory()) fail(`${folder} is not a folder.`);
  const name = path.basename(path.resolve(folder));
  const slug = slugOf(name);
  if (!isAllowedSlug(slug))
    fail(`The folder's name gives no address: \`${slug}\` is too short or reserved. Rename it.`);
  const text = await readFile(path.join(folder, "easel.json"), "utf8").catch(() => "{}");
  const faults = faultsOf(text);
  if (faults.length > 0) fail(faults.map((fault) => `easel.json: ${fault}`).join("\n"));
  const { title = name.slice(0, LIMITS.titleLength.value), policy } = manifest.parse(JSON.parse(text));
  const zip = await zipOf(folder);

  await service.signIn(process.env.EASEL_TOKEN);
  /** A new canvas, with a backend, for everyone who signs in. Who may enter later on is for its owner to say. */
  const make = async () => {
    const made = await service.call<Canvas>("POST", "/api/canvases", { title, slug });
    await service.call("PATCH", `/api/canvases/${made.id}/capabilities`, { backendEnabled: true });
    return service.call<Canvas>("PUT", `/api/canvases/${made.id}/sharing`, { access: "whole_org" });
  };
  const { canvases } = await service.call<{ canvases: Canvas[] }>("GET", `/api/canvases?q=${slug}`);
  const canvas = canvases.find((each) => each.slug === slug) ?? (await make());
  if (policy !== undefined)
    await service.call("PATCH", `/api/canvases/${canvas.id}/capabilities`, {
      expectedRuntimePolicy: canvas.runtimePolicyRevision,
      runtimePolicy: { ...canvas.runtimePolicy, ...policy },
    });
  const deployed = await service.call<DeployedCanvas>("PUT", `/api/canvases/${canvas.id}/bundle`, zip);
  for (const { path, reason } of deployed.leftOut) say(`left out: ${path} (${reason})`);
  for (const warning of deployed.warnings) say(warning);
  return deployed.url;
}

try {
  const [folder, base = "http://localhost:3000"] = process.argv.slice(2);
  if (folder === undefined) fail("Say which folder: npm run deploy -- FOLDER [BASE ADDRESS]");
  process.stdout.write(`${await deploy(folder, base)}\n`);
} catch (error) {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  // Errors of the file system are printed as they are; anything else is a bug.
  say(error instanceof Fault || code !== undefined ? message : String(stack));
  process.exitCode = 1;
}
