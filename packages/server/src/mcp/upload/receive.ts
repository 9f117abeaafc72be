import { ERRORS } from "@easel/protocol/errors";
import type { Canvas, DeployedCanvas } from "@easel/protocol/types";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ticket } from "../../crypto/tickets.ts";
import type { Env } from "../../env.ts";
import { blockEmbedding, requireSameOrigin } from "../../http/cross-site.ts";
import { handlerFor } from "../../http/methods.ts";
import { take } from "../../http/rate-limit.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { appOfPerson, noteUse } from "../../identity/apps.ts";
import { acceptsTokens } from "../../identity/tokens.ts";
import { recordAnswer, withdrawAnswer } from "../../identity/used-tickets.ts";
import { userById } from "../../identity/users.ts";
import { actNamed } from "../../management/acts.ts";
import { NOT_ACCEPTED } from "../../management/tokens.ts";
import { inputOf } from "../../operations/operation.ts";
import { RequestInput } from "../../operations/request-input.ts";
import { limitUnfinished } from "../../pipeline/request-limits.ts";
import { findMeant } from "../canvas-reference.ts";
import { type Applied, applyEaselJson, parseEaselJson } from "../deploy/apply-easel-json.ts";
import { readFileOf } from "../deploy/base-files.ts";
import { deployWords } from "../deploy/deploy-words.ts";
import { requireNotPublic } from "../deploy/public-link.ts";
import { explainingConflict } from "../deploy/version-conflict.ts";
import type { Handler } from "../handler.ts";
import { includesScope } from "../scope-order.ts";
import { type Acting, perform, withScope } from "../tool-call.ts";
import { readUpload, type Upload } from "./upload-ticket.ts";

const readAct = actNamed<Canvas>("canvas.read");
const deployAct = actNamed<DeployedCanvas>("canvas.deploy");

const refuseTicket = (why: string): never => {
  throw new Refusal(401, {
    error: ERRORS.NOT_AUTHENTICATED.message,
    message: `This upload command ${why}. Call \`upload_command\` for another one.`,
  });
};

/**
 * Returns the call that a ticket stands for: the person of the connected tool, who may only deploy to its canvas. Throws 401 once the connected
 * tool has ended, or its person is deactivated, and 403 if it may not publish on the canvas, also while the body of the upload arrives.
 */
async function callOf(ticket: Ticket<Upload>, address: string, env: Env): Promise<Acting> {
  const { user: userId, asked } = ticket;
  const member = await userById(userId, env);
  const app = member && (await appOfPerson(asked.app, member, env));
  if (member === null || app === null || !includesScope(app.scope, "deploy"))
    return refuseTicket("is of a connection that has ended");
  const user = withScope(member, { ...app, canvasId: asked.canvas }, "deploy");
  const caller = {
    user,
    // The ticket is the proof. It is checked again with the connected tool.
    credential: null,
    passes: [],
    address,
    via: { client: app.clientName, tool: "upload_command" },
    readmit: async () => (await callOf(ticket, address, env)).caller,
  };
  const call = { app, caller, env, work: undefined };
  requireNotPublic(call, await findMeant(call, asked.canvas), "publish");
  return call;
}

/**
 * Applies the `easel.json` of a version that has been published. What is refused is a warning: the version is there. One with faults is not
 * applied, because the deploy has warned of them.
 */
async function applySettings(
  call: Acting,
  canvas: Canvas,
  isFirst: boolean,
  isNew: boolean,
): Promise<Applied & { refused?: string }> {
  try {
    const settings = await readFileOf(call, canvas.id, canvas.version ?? "", "easel.json")
      .then(parseEaselJson)
      .catch(() => ({}));
    return await applyEaselJson(call, canvas, settings, { isFirst, isNew });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { changed: [], warnings: [], refused: `easel.json could not be applied: ${error.message}` };
  }
}

/** Deploys the body of a request. A ticket whose upload was refused, or broke off, can be used again. */
async function deployBody(
  call: Acting,
  ticket: Ticket<Upload>,
  input: RequestInput,
  env: Env,
): Promise<DeployedCanvas> {
  const { canvas: id, expectedVersion } = ticket.asked;
  const query = expectedVersion === null ? {} : { expectedVersion };
  const given = inputOf({ params: { id }, query, body: input.body, signal: input.signal });
  if (!(await recordAnswer(ticket, "allowed", env))) return refuseTicket("has been used already");
  try {
    return await explainingConflict(
      call,
      id,
      async () => (await deployAct.perform(call.caller, given, env)).body,
    );
  } catch (error) {
    // Any other error leaves open whether the version was published.
    if (error instanceof Refusal) await withdrawAnswer(ticket, env);
    throw error;
  }
}

async function receive(request: FastifyRequest, reply: FastifyReply, env: Env): Promise<FastifyReply> {
  if (!acceptsTokens(env.config)) refuse("NOT_FOUND", { message: NOT_ACCEPTED });
  blockEmbedding(reply);
  requireSameOrigin(request.headers, env.base);
  const ticket =
    readUpload(request.headers.authorization, env) ?? refuseTicket("is not valid, or has run out");
  const call = await callOf(ticket, request.ip, env);
  const owner = ticket.user;
  const bucket = { rateClass: "management", owner, part: "management" } as const;
  if (!(await take(bucket, env.config.managementPerMinute, reply, env))) refuse("RATE_LIMITED");
  limitUnfinished(owner, request, reply, env);
  noteUse(call.app, env);
  const { canvas: id, isNew } = ticket.asked;
  const before = await perform(call, readAct, { params: { id } });
  const canvas = await deployBody(call, ticket, new RequestInput(request, reply), env);
  const isFirst = before.version === null && before.revokedAt === null;
  const applied = await applySettings(call, canvas, isFirst, isNew);
  const { lines } = deployWords({
    canvas,
    version: canvas.version ?? "",
    state: "published",
    isNew,
    wasOffline: before.revokedAt !== null,
    settings: applied.changed,
    leftOut: canvas.leftOut,
    warnings: applied.warnings,
    fileWarnings: [...(applied.refused === undefined ? [] : [applied.refused]), ...canvas.warnings],
  });
  const text = [
    ...lines,
    "`get_canvas` gives a preview for your browser; `read_errors` tells what fails.",
    "",
  ];
  return reply
    .type("text/plain; charset=utf-8")
    .header("cache-control", "private, no-store")
    .send(text.join("\n"));
}

/** Returns the handler of `/mcp/upload`, which receives the folders of the commands that `upload_command` makes. A ticket is the only credential that counts. */
export function receiveUpload(env: Env): Handler {
  const handlers = { PUT: receive, POST: receive };
  return (request, reply) => handlerFor(handlers, request.method, reply)(request, reply, env);
}
