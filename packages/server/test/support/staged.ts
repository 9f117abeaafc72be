import { createHash } from "node:crypto";
import { manage } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import type { Person, Target } from "@easel/conformance/target";
import type { Files } from "./zip.ts";

/** Returns the SHA-256 of these bytes in hexadecimal. */
export const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Returns the entries of a staged deploy's manifest for these files. */
export const manifestOf = (files: Files): { path: string; sha256: string; size: number }[] =>
  Object.entries(files).map(([path, content]) => ({
    path,
    sha256: sha256(content),
    size: Buffer.byteLength(content),
  }));

/** Returns the media type and the bytes of a form with these parts. */
export async function formOf(
  parts: [name: string, content: string | Buffer][],
): Promise<[type: string, body: Buffer]> {
  const form = new FormData();
  for (const [name, content] of parts) form.append(name, new Blob([content as string]));
  const response = new Response(form);
  return [response.headers.get("content-type") ?? "", Buffer.from(await response.arrayBuffer())];
}

/** Returns functions that send the requests of staged deploys of a canvas, as `person`. */
export function stager(target: Target, person: Person, canvas: string) {
  const at = `/api/canvases/${canvas}/deploys`;
  const put = (deploy: unknown, hash: string, body: string | Buffer): Promise<Answer> =>
    send(target.base, {
      method: "PUT",
      path: `${at}/${deploy}/blobs/${hash}`,
      headers: [...person.headers, ["Content-Type", "application/octet-stream"]],
      body,
    });
  const sendForm = (deploy: unknown, type: string, body: string | Buffer): Promise<Answer> =>
    send(target.base, {
      method: "POST",
      path: `${at}/${deploy}/blobs`,
      headers: [...person.headers, ["Content-Type", type]],
      body,
    });
  return {
    /** Begins a staged deploy of these files. */
    begin: (files: Files, options: object = {}) =>
      manage(target, person, "POST", at, { files: manifestOf(files), ...options }),
    /** Begins a staged deploy with this request body. */
    beginWith: (body: object) => manage(target, person, "POST", at, body),
    put,
    /** Uploads bytes under their own hash. */
    upload: (deploy: unknown, content: string | Buffer) => put(deploy, sha256(content), content),
    /** Uploads several files in one form. `parts` are the names and the bytes of its parts. */
    uploadAll: async (deploy: unknown, parts: [name: string, content: string | Buffer][]): Promise<Answer> =>
      sendForm(deploy, ...(await formOf(parts))),
    /** Uploads a form with this media type and these bytes. */
    sendForm,
    read: (deploy: unknown) => manage(target, person, "GET", `${at}/${deploy}`),
    cancel: (deploy: unknown) => manage(target, person, "DELETE", `${at}/${deploy}`),
    finish: (deploy: unknown) => manage(target, person, "POST", `${at}/${deploy}/finish`),
  };
}
