import type { IncomingMessage } from "node:http";
import { admitsAnyone } from "../access/ladder.ts";
import { challenge } from "../auth/challenge.ts";
import { handOver } from "../auth/handover.ts";
import { identify } from "../auth/index.ts";
import { findEntry } from "../canvases/entry.ts";
import type { Env } from "../env.ts";
import { wantsPage } from "../kit/wants-page.ts";
import type { Viewer, Visit } from "./visit.ts";

/** Step 1: who is asking. Nobody in particular passes on a Public link canvas only (specification 4.1). */
export async function authenticate({ slug, surface, request, answer }: Visit, env: Env): Promise<Viewer> {
  const canvasHost = surface === "content" && env.base.urlMode === "subdomain" ? slug : undefined;
  const person = await identify(request, answer, env, { tokens: surface === "api", canvasHost });
  if (person !== null) return person;
  const canvas = await findEntry(slug, null, env);
  if (canvas !== null && admitsAnyone(canvas, env.clock())) return null;
  if (canvasHost !== undefined && wantsPage(request.headers)) {
    handOver(canvasHost, pageAskedFor(canvasHost, request), request, env);
  }
  return challenge(request, surface === "api" ? "api" : "page", env);
}

/** The page of a canvas host that a browser wants, before it was rewritten: of the password's form, the one that it leads to. */
function pageAskedFor(slug: string, { method, url = "" }: IncomingMessage): string {
  const path = url.slice(`/c/${slug}`.length);
  return method === "POST" ? `/${new URLSearchParams(path.split("?")[1]).get("to") ?? ""}` : path;
}
