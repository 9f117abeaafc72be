import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { cleanName, normalEmail, upsertUser } from "@easel/server";
import { z } from "zod/mini";
import { barState, listPeople, SIGNED_OUT, signIn, signOut } from "./dev-sign-in.ts";
import {
  cookieForBrowser,
  cookiesForService,
  isSameOrigin,
  moveOrigin,
  OWN_PATH,
  type PageHost,
  pageHostOf,
  type Site,
} from "./page-hosts.ts";

const MAX_BODY_BYTES = 4 * 1024;

/** The script of the bar. `npm run build` bundles it from `packages/cli/bar`. */
const SCRIPT = new URL(
  import.meta.filename.endsWith(".ts") ? "../../dist/bar.js" : "./bar.js",
  import.meta.url,
);

/** The body of a request to switch to another person: an existing one by host, or a new one by e-mail address and name. */
const Choice = z.union([
  z.strictObject({ host: z.string() }),
  z.strictObject({ email: z.string(), name: z.string() }),
]);

const plain = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

/**
 * Answers a request below `OWN_PATH`: sends the script of the bar, or switches to another person. The headers of `request` are already
 * rewritten for the service; `originalHeaders` are the headers that the browser sent.
 */
export async function answerOwn(
  request: IncomingMessage,
  originalHeaders: IncomingHttpHeaders,
  response: ServerResponse,
  host: PageHost,
  site: Site,
): Promise<void> {
  const path = request.url?.split("?", 1)[0]?.slice(OWN_PATH.length);
  if (path === "bar.js" && request.method === "GET") {
    response
      .writeHead(200, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "no-store",
        "cross-origin-resource-policy": "same-origin",
      })
      .end(await readFile(SCRIPT));
    return;
  }
  if (path !== "person" || request.method !== "POST")
    return void response.writeHead(404, plain).end("There is no such page.\n");
  if (!isSameOrigin(originalHeaders, host))
    return void response.writeHead(403, plain).end("Only pages of this host may do this.\n");
  if (!(Number(request.headers["content-length"]) <= MAX_BODY_BYTES))
    return void response.writeHead(413, plain).end("The body is too large.\n");
  const body = (await buffer(request)).toString("utf8");
  const chosen = await choose(body, request, host, site);
  if (typeof chosen === "string") return void response.writeHead(400, plain).end(`${chosen}\n`);
  response
    .writeHead(200, {
      "content-type": "application/json",
      "cache-control": "no-store",
      "set-cookie": chosen.cookies.map((each) => cookieForBrowser(each, site.port)),
    })
    .end(JSON.stringify({ host: chosen.host }));
  if (chosen.isNew) await site.live.refresh(stateFor(site));
}

/**
 * Switches a browser to another person, and creates that person if necessary. On `localhost`, signs the person in at once. On the host of a
 * person, signs nobody in, because the browser then opens the host of the other person. Returns a message if the choice is invalid.
 */
async function choose(
  body: string,
  { headers }: IncomingMessage,
  { label }: PageHost,
  site: Site,
): Promise<{ host: string; cookies: string[]; isNew: boolean } | string> {
  const { env } = site;
  let choice: z.infer<typeof Choice>;
  try {
    choice = Choice.parse(JSON.parse(body));
  } catch {
    return "Name a person.";
  }
  const isNew = "email" in choice;
  let email: string | null = null;
  if ("email" in choice) {
    email = normalEmail(choice.email);
    if (email === null) return "That is no e-mail address.";
    if ((await upsertUser(env.db, email, cleanName(choice.name), env.clock())) === null)
      return "That person is deactivated.";
  } else if (choice.host === SIGNED_OUT) {
    const cookies = label === null ? await signOut(headers.cookie, site) : [];
    return { host: SIGNED_OUT, cookies, isNew };
  }
  const wanted = choice;
  const person = (await listPeople(env)).find((each) =>
    "host" in wanted ? each.host === wanted.host : each.email === email,
  );
  if (person === undefined) return "There is no such person.";
  const cookies = label === null ? await signIn(person.email, headers.cookie, site) : [];
  return { host: person.host, cookies, isNew };
}

/** Returns a function that computes what the bar of a page shows. Its argument is the upgrade request of the page's WebSocket. */
export const stateFor =
  (site: Site) =>
  async (request: IncomingMessage): Promise<object> => {
    const host = pageHostOf(request);
    if (host === null) throw new Error("The host of the page is unknown.");
    const headers = { ...request.headers, cookie: cookiesForService(request.headers.cookie, site.port) };
    moveOrigin(headers, host.origin, site.origin);
    return barState({ headers, socket: request.socket } as IncomingMessage, host, site);
  };
