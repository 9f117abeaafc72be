import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { upload as uploadFile } from "@easel/conformance/files/form";
import { manage, type Role, type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import { govern } from "@easel/conformance/policy";
import type { Target } from "@easel/conformance/target";
import type { ImportResult } from "@easel/protocol/management";
import { PRESETS, type Preset, type RuntimePolicy } from "@easel/protocol/policy";
import { fromBufferPromise } from "yauzl";
import { type Files, zip } from "../support/zip.ts";

const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

/** A policy with a collection and a file group of each preset, a collection that nobody may read, and one whose name needs encoding. */
export const POLICY: RuntimePolicy = {
  collections: {
    ...Object.fromEntries(PRESET_NAMES.map((preset) => [preset, { preset }])),
    hidden: { preset: "contributions", overrides: { read: "none" } },
    "a:b": { preset: "collaborative" },
  },
  fileGroups: Object.fromEntries(PRESET_NAMES.map((preset) => [preset, { preset }])),
};

/** The names of the collections of `POLICY`. */
export const COLLECTIONS = Object.keys(POLICY.collections ?? {});

/** The least manifest that an import accepts. */
export const MANIFEST = JSON.stringify({ format: "easel-data", version: 1 });

/** Returns the files of a zip, with their contents as text. */
export async function filesOf(bytes: Buffer): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(bytes, { strictFileNames: true });
  const files = new Map<string, string>();
  for await (const entry of archive.eachEntry())
    files.set(entry.fileName, String(await buffer(await archive.openReadStreamPromise(entry))));
  return files;
}

/** Parses JSON lines. Returns no lines for a file that is missing. */
export const linesIn = (text: string | undefined): Record<string, unknown>[] =>
  (text ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

export const jsonLines = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** Returns the body of a successful import. */
export function resultOf(answer: Answer): ImportResult {
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as ImportResult;
}

/** Lists the entries at a path of the runtime API. Returns null if the caller may not. */
export async function entries(
  canvas: Stage,
  role: Role,
  path: string,
  name = "entries",
): Promise<Record<string, unknown>[] | null> {
  const answer = await canvas.pages[role].get(path);
  return answer.status === 200 ? (answer.json[name] as Record<string, unknown>[]) : null;
}

/** Returns functions that export and import the data of canvases of a service. */
export function transfersAt(target: Target) {
  const importTo = (canvas: Stage, role: Role, body: Buffer, query = "", type = "application/zip") =>
    send(target.base, {
      method: "POST",
      path: `/api/canvases/${canvas.id}/import${query}`,
      headers: [...canvas.people[role].headers, ["Content-Type", type]],
      body,
    });
  return {
    importTo,
    exportOf: (canvas: Stage, role: Role, query = ""): Promise<Answer> =>
      manage(target, canvas.people[role], "GET", `/api/canvases/${canvas.id}/export${query}`),
    /** Imports a zip with a manifest and these files. */
    importFiles: async (canvas: Stage, role: Role, files: Files, query = "") =>
      importTo(canvas, role, await zip({ "manifest.json": MANIFEST, ...files }), query),
  };
}

/** Creates a canvas with `POLICY`. */
export async function governed(target: Target): Promise<Stage> {
  const canvas = await stage(target);
  await govern(target, canvas, POLICY);
  return canvas;
}

/** Creates a canvas with `POLICY` and with data of every kind from the owner, an editor and a viewer. */
export async function filled(target: Target): Promise<Stage> {
  const canvas = await governed(target);
  for (const role of ["owner", "editor", "viewer"] as const) {
    const page = canvas.pages[role];
    await page.put("/kv/user/mine", role);
    await page.put("/submissions/poll/mine", { vote: role });
    await page.put("/submissions/A.b-c/mine", null);
    await uploadFile(page, { scope: "submission" }, { name: `${role}.txt`, bytes: `of ${role}` });
    for (const name of COLLECTIONS) {
      const { status, json } = await page.post(`/collections/${name}`, { name, role, deep: [null, 1e20] });
      if (status !== 201 || name === "hidden") continue;
      await uploadFile(page, { collection: name, recordId: String(json.id) }, { name: `${name}.txt` });
    }
    for (const group of PRESET_NAMES)
      await uploadFile(page, { group }, { name: "a/b", bytes: `${group} ${role}` });
  }
  await canvas.pages.owner.put("/kv/%E2%82%AC%00%2F", { deep: [1, "é\u2028"] });
  await Promise.all(Array.from({ length: 120 }, (_, at) => canvas.pages.owner.put(`/kv/key-${at}`, at)));
  await uploadFile(
    canvas.pages.editor,
    {},
    { name: "shared.png", type: "image/png", bytes: Buffer.alloc(70_000, 7) },
  );
  await uploadFile(canvas.pages.owner, {}, { name: "empty", bytes: "" });
  return canvas;
}
