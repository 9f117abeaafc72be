import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import type { DeployedCanvas } from "@easel/protocol/types";
import { ZipFile } from "yazl";

/* Deploys a folder as a canvas of a service in dev mode: npm run deploy -- FOLDER [BASE ADDRESS] */

const [folder, base = "http://localhost:3000"] = process.argv.slice(2);
if (folder === undefined) throw new Error("Say which folder: npm run deploy -- FOLDER [BASE ADDRESS]");

/** The folder as a zip. */
async function zipOf(root: string): Promise<Buffer> {
  const zip = new ZipFile();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) zip.addFile(file, path.relative(root, file).split(path.sep).join("/"));
  }
  zip.end();
  return buffer(zip.outputStream);
}

let cookie = "";

/** A call of the service; what it says no to ends the program with its message. */
async function call<Answer>(method: string, at: string, body?: object): Promise<Answer> {
  const isZip = Buffer.isBuffer(body);
  const answer = await fetch(base + at, {
    method,
    headers: { cookie, "content-type": isZip ? "application/zip" : "application/json" },
    ...(body === undefined ? {} : { body: isZip ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${text}`);
  cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

interface Canvas {
  id: string;
  slug: string;
  url: string;
  runtimePolicy: object | null;
  runtimePolicyRevision: string | null;
}

/** What the folder's `easel.json` says of the canvas, if there is one: a name for it, and who may do what with its records. */
interface Manifest {
  title?: string;
  policy?: object;
}

const name = path.basename(path.resolve(folder));
const slug = name
  .toLowerCase()
  .replace(/[^a-z0-9]+/g, "-")
  .replace(/^-|-$/g, "");
const zip = await zipOf(folder);
const text = await readFile(path.join(folder, "easel.json"), "utf8").catch(() => "{}");
const { title = name, policy }: Manifest = JSON.parse(text);

/** A new canvas, with a backend, for everyone who signs in. Who may enter later on is for its owner to say. */
async function make(): Promise<Canvas> {
  const made = await call<Canvas>("POST", "/api/canvases", { title, slug });
  await call("PATCH", `/api/canvases/${made.id}/capabilities`, { backendEnabled: true });
  return call("PUT", `/api/canvases/${made.id}/sharing`, { access: "whole_org" });
}

await call("POST", "/auth/dev/session", { email: "dev@example.com" });
const { canvases } = await call<{ canvases: Canvas[] }>("GET", `/api/canvases?q=${encodeURIComponent(slug)}`);
const canvas = canvases.find((each) => each.slug === slug) ?? (await make());
if (policy !== undefined)
  await call("PATCH", `/api/canvases/${canvas.id}/capabilities`, {
    expectedRuntimePolicy: canvas.runtimePolicyRevision,
    runtimePolicy: { ...canvas.runtimePolicy, ...policy },
  });
const deployed = await call<DeployedCanvas>("PUT", `/api/canvases/${canvas.id}/bundle`, zip);
for (const { path, reason } of deployed.leftOut) process.stderr.write(`left out: ${path} (${reason})\n`);
for (const warning of deployed.warnings) process.stderr.write(`${warning}\n`);
process.stdout.write(`${canvas.url}\n`);
