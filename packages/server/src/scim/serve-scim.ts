import { hash, timingSafeEqual } from "node:crypto";
import type { Json } from "@easel/protocol/types";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ZodError } from "zod";
import { announceAccess } from "../canvases/open-connections.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { parseJson, readBody, refuseLargeBody, ValueCount } from "../http/body.ts";
import { take } from "../http/rate-limit.ts";
import { writeAudit } from "../organisation/audit.ts";
import { discovery } from "./discovery.ts";
import { listResponse, pageOf } from "./list-response.ts";
import { asScimError, refuseScim, scimError } from "./scim-error.ts";
import { groups } from "./scim-groups.ts";
import { people } from "./scim-people.ts";
import type { ResourceType, ScimAudit } from "./scim-resource.ts";
import { selected, selectionOf } from "./selection.ts";

const ROOT = "/scim/v2";

/** The factor by which a provider may send more requests than a person: it sends those of a whole organisation. */
const REQUESTS_FACTOR = 5;

/** A group of 1,000 members in one request is 100 KiB. */
const MAX_BODY_BYTES = 1024 * 1024;

const digest = (text: string): Buffer => hash("sha256", text, "buffer");

/** Throws 401 for a request without the token. A wrong token takes as long as a right one. */
function requireToken({ headers: { authorization = "" } }: FastifyRequest, token: string): void {
  const given = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  if (timingSafeEqual(digest(given), digest(token))) return;
  throw scimError(401, "The bearer token is missing or wrong.", undefined, { "www-authenticate": "Bearer" });
}

async function bodyOf(request: FastifyRequest): Promise<Json> {
  const tooLarge = () => refuseLargeBody(MAX_BODY_BYTES);
  return parseJson(await readBody(request.raw, MAX_BODY_BYTES, tooLarge, { inspect: new ValueCount().add }));
}

/** Records a change by the provider in the audit log, and has the open connections checked that it may concern. */
async function record({ act, target, details }: ScimAudit, address: string, env: Env): Promise<void> {
  await announceAccess({ people: [target] }, env);
  const actor = { id: "scim", email: "scim" };
  await writeAudit({ actor, act, canvas: null, target, address, details }, env);
}

/** Answers a request for the resources of a type, or for one of them. */
async function answer(
  type: ResourceType,
  id: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<Json | undefined> {
  if (id !== undefined && !isId(id)) refuseScim(404, "There is no such resource.");
  const query = new URL(request.url, "http://localhost").searchParams;
  const selection = selectionOf(query);
  switch (`${request.method} ${id === undefined ? "all" : "one"}`) {
    case "GET all": {
      const page = pageOf(query);
      const { total, resources } = await type.list(query.get("filter") ?? undefined, page, selection, env);
      const sent = resources.map((each) => selected(each, selection));
      return listResponse(total, sent, page.startIndex);
    }
    case "GET one":
      return selected(await type.read(id as string, selection, env), selection);
    case "POST all": {
      const { resource, audit } = await type.create(await bodyOf(request), env);
      await record(audit, request.ip, env);
      reply.code(201).header("location", String((resource.meta as Record<string, Json>).location));
      return selected(resource, selection);
    }
    case "PUT one":
    case "PATCH one": {
      const change = request.method === "PUT" ? type.replace : type.patch;
      const { resource, audit } = await change(id as string, await bodyOf(request), env);
      await record(audit, request.ip, env);
      return selected(resource, selection);
    }
    case "DELETE one":
      await record(await type.remove(id as string, env), request.ip, env);
      reply.code(204);
      return undefined;
    default:
      return refuseScim(405, "This method is not supported here.");
  }
}

/** Returns what a request for a path below `/scim/v2` gets. */
async function route(path: string, request: FastifyRequest, reply: FastifyReply, env: Env) {
  const document = discovery(env.base.origin)[path];
  if (document !== undefined) {
    if (request.method !== "GET") refuseScim(405, "This can only be read.");
    return Array.isArray(document) ? listResponse(document.length, document, 1) : document;
  }
  const [, name, id, more] = path.split("/");
  const type = [people, groups].find((each) => each.path === `/${name}`);
  if (type === undefined || more !== undefined) return refuseScim(404, "There is nothing at this address.");
  return answer(type, id, request, reply, env);
}

/** Answers a request below `/scim/v2`, whose credential is `token`. */
export async function serveScim(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  env: Env,
): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const bucket = { rateClass: "management", owner: `scim ${request.ip}`, part: "scim" } as const;
  if (!(await take(bucket, env.config.managementPerMinute * REQUESTS_FACTOR, reply, env)))
    throw scimError(429, "Too many requests; try again in a moment.");
  requireToken(request, token);
  try {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname.slice(ROOT.length));
    const body = await route(path, request, reply, env);
    if (body === undefined) return reply.send();
    return reply.header("content-type", "application/scim+json; charset=utf-8").send(JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof ZodError)) throw asScimError(error);
    const [issue] = error.issues;
    throw scimError(400, `${issue?.path.join(".") ?? "The body"}: ${issue?.message}`, "invalidValue");
  }
}
