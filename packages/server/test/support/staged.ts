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
  return {
    /** Begins a staged deploy of these files. */
    begin: (files: Files, options: object = {}) =>
      manage(target, person, "POST", at, { files: manifestOf(files), ...options }),
    /** Begins a staged deploy with this request body. */
    beginWith: (body: object) => manage(target, person, "POST", at, body),
    put,
    /** Uploads bytes under their own hash. */
    upload: (deploy: unknown, content: string | Buffer) => put(deploy, sha256(content), content),
    read: (deploy: unknown) => manage(target, person, "GET", `${at}/${deploy}`),
    cancel: (deploy: unknown) => manage(target, person, "DELETE", `${at}/${deploy}`),
    finish: (deploy: unknown) => manage(target, person, "POST", `${at}/${deploy}/finish`),
  };
}
