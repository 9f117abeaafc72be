import type { FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../../access/principal.ts";
import { readTicket, type Ticket } from "../../crypto/tickets.ts";
import type { Env } from "../../env.ts";
import { blockEmbedding } from "../../http/cross-site.ts";
import { take } from "../../http/rate-limit.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { type App, appOfPerson } from "../../identity/apps.ts";
import type { Caller } from "../../identity/credential.ts";
import { answerTo, recordAnswer, withdrawAnswer } from "../../identity/used-tickets.ts";
import { type ActCaller, actCaller } from "../../management/callers.ts";
import { receiveAnswer } from "../../oauth/answered-form.ts";
import { identifyPerson } from "../../oauth/asked-access.ts";
import { proposeDeletion } from "../deletion/propose-deletion.ts";
import type { Handler } from "../handler.ts";
import { proposeSharing } from "../sharing/propose-sharing.ts";
import { type AskedQuestion, recordRefusal } from "./ask.ts";
import { sendAnswered, sendDone, sendQuestion } from "./confirm-page.ts";
import { type Proposal, type Propose, type Question, shownBy } from "./proposal.ts";

const PROPOSE: Record<Question["tool"], Propose> = {
  share_canvas: proposeSharing,
  delete_canvas: proposeDeletion,
};

/** A question that a person has opened. */
interface Opened {
  ticket: Ticket<AskedQuestion>;
  app: App;
  /** The person with the rights of their session. */
  caller: ActCaller;
}

/** Counts a request of a person to a question as one to the management API. */
async function count({ user }: Caller<User>, reply: FastifyReply, env: Env): Promise<void> {
  const bucket = { rateClass: "management", owner: user.id, part: "management" } as const;
  if (!(await take(bucket, env.config.managementPerMinute, reply, env))) refuse("RATE_LIMITED");
}

/** Opens the question in the address. Throws 404 `NOT_FOUND`, which tells nothing, if it is for somebody else. */
async function open(
  request: FastifyRequest,
  { user, credential, passes }: Caller<User>,
  env: Env,
): Promise<Opened> {
  const { ticket: text } = request.params as { ticket: string };
  const ticket =
    readTicket<AskedQuestion>("confirm", text, user, env) ??
    refuse("NOT_FOUND", {
      message: "This question has run out, or it is for somebody else. Ask your assistant to try again.",
    });
  const app =
    (await appOfPerson(ticket.asked.app, user, env)) ??
    refuse("NOT_FOUND", { message: "The program that asks is no longer connected." });
  const via = { client: app.clientName, tool: ticket.asked.tool };
  return { ticket, app, caller: actCaller({ user, credential, passes }, request.ip, env, via) };
}

const propose = ({ ticket: { asked }, caller }: Opened, env: Env): Promise<Proposal | null> =>
  PROPOSE[asked.tool](asked, { caller, env, work: undefined });

/**
 * Answers an act that was refused after the person had allowed it. If nothing has changed by it, they can answer again. If somebody has
 * changed the settings at the same time, they are shown what would happen now.
 */
async function answerRefused(
  opened: Opened,
  { error, shown }: { error: Refusal; shown: string },
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const { ticket, app, caller } = opened;
  const current = await propose(opened, env).catch(() => null);
  const isConflict = error.code === "SHARE_CONFLICT";
  if (current !== null && (isConflict || shownBy(current) === shown)) await withdrawAnswer(ticket, env);
  if (!isConflict) throw error;
  if (current === null) return sendAnswered(reply, "nothing", ticket.asked.canvas);
  return sendQuestion(reply.code(409), { proposal: current, app, user: caller.user, again: true });
}

/** Performs what a person has allowed. It is done at most once, because the answer is recorded before. */
async function allow(opened: Opened, shown: string, reply: FastifyReply, env: Env): Promise<FastifyReply> {
  const { ticket, app, caller } = opened;
  const { user } = caller;
  const { canvas: canvasId } = ticket.asked;
  const proposal = await propose(opened, env);
  if (proposal === null) return sendAnswered(reply, "nothing", canvasId);
  if (shownBy(proposal) !== shown) return sendQuestion(reply.code(409), { proposal, app, user, again: true });
  if (!(await recordAnswer(ticket, "allowed", env)))
    return sendAnswered(reply, (await answerTo(ticket.id, env)) ?? "allowed", canvasId);
  try {
    return sendDone(reply, { proposal, next: await proposal.perform(), canvasId });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answerRefused(opened, { error, shown }, reply, env);
  }
}

/** Returns the handler of GET `/confirm/{ticket}`: shows a person what a connected tool wants to do, with a form to allow it or not. */
export const askPerson =
  (env: Env): Handler =>
  async (request, reply) => {
    blockEmbedding(reply);
    const person = await identifyPerson(request, reply, "page", env);
    await count(person, reply, env);
    const opened = await open(request, person, env);
    const { canvas } = opened.ticket.asked;
    const answer = await answerTo(opened.ticket.id, env);
    if (answer !== null) return sendAnswered(reply, answer, canvas);
    const proposal = await propose(opened, env);
    if (proposal === null) return sendAnswered(reply, "nothing", canvas);
    return sendQuestion(reply, { proposal, app: opened.app, user: opened.caller.user, again: false });
  };

/**
 * Returns the handler of POST `/confirm/{ticket}`, which receives the answer of the person. What they allow is done with the rights of their
 * session, and recorded with the program and the tool.
 */
export const answerQuestion =
  (env: Env): Handler =>
  async (request, reply) => {
    const { caller, form } = await receiveAnswer(request, reply, (person) => count(person, reply, env), env);
    const opened = await open(request, caller, env);
    const { ticket } = opened;
    const answer = await answerTo(ticket.id, env);
    if (answer !== null) return sendAnswered(reply, answer, ticket.asked.canvas);
    if (form.get("answer") === "allow") return allow(opened, form.get("shown") ?? "", reply, env);
    await recordRefusal(ticket, env);
    return sendAnswered(reply, "refused", ticket.asked.canvas);
  };
