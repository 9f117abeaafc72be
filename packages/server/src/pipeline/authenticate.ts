import type { IncomingMessage } from "node:http";
import { admitsAnyone } from "../access/ladder.ts";
import { challenge } from "../auth/challenge.ts";
import { identify } from "../auth/index.ts";
import { findEntry } from "../canvases/entry.ts";
import type { Env } from "../env.ts";
import type { Viewer } from "./visit.ts";

/** Step 1: who is asking. Nobody in particular passes on a Public link canvas only (specification 4.1). */
export async function authenticate(
  slug: string,
  request: IncomingMessage,
  asksFor: "api" | "page",
  env: Env,
): Promise<Viewer> {
  const person = await identify(request, env);
  if (person !== null) return { kind: "member", person };
  const canvas = await findEntry(slug, null, env);
  if (canvas !== null && admitsAnyone(canvas, env.clock())) return { kind: "anonymous" };
  return challenge(request, asksFor, env);
}
