import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import tls from "node:tls";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { atEnd, type Scope, temporaryDirectory } from "./service.ts";

const PROGRAM = createRequire(import.meta.url).resolve("@easel/conformance/connections/upstream");

/** A stand-in for an external API, in a process of its own. */
export interface Upstream {
  /** The origin of the stand-in, such as `https://localhost:4000`. */
  origin: string;
  /** The path of the file with the certificate of its authority. */
  ca: string;
  /** The environment variables of a service that may call it. */
  settings: Record<string, string>;
}

/** Starts a stand-in for an external API whose certificate this process trusts, and ends its process when the scope ends. */
export async function startUpstream(scope: Scope): Promise<Upstream> {
  const file = path.join(await temporaryDirectory(scope), "ca.pem");
  const child = spawn(process.execPath, [PROGRAM, file], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  atEnd(scope, () => {
    child.kill("SIGKILL");
    return exited;
  });
  const [line] = await once(child.stdout, "data", { signal: AbortSignal.timeout(PATIENCE_MS) });
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), await readFile(file, "utf8")]);
  return {
    origin: String(line).trim(),
    ca: file,
    settings: {
      SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      SERVICE_CONNECTIONS_PRIVATE_CIDRS: "127.0.0.0/8,::1",
      // For a service in a process of its own.
      NODE_EXTRA_CA_CERTS: file,
    },
  };
}
