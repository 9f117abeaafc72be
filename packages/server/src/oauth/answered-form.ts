import type { FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { blockEmbedding, requireSameOrigin } from "../http/cross-site.ts";
import { refuse } from "../http/refusal.ts";
import type { Caller } from "../identity/credential.ts";
import { type ActCaller, actCaller } from "../management/callers.ts";
import { type ReceivedForm, receiveForm } from "../operations/received-form.ts";
import { countAttempt } from "../sign-in/challenge.ts";
import { identifyPerson } from "./asked-access.ts";
import { type Form, readForm } from "./program-endpoint.ts";

/**
 * Receives the form by which a person answers a question of the service, with the person as they were when it had arrived. `count` counts the
 * request against a limit before the form is read. Throws 403 for a form of another page and for a guest, and 401 without a person.
 */
export function receiveAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  count: (person: Caller<User>) => Promise<void>,
  env: Env,
): Promise<ReceivedForm<ActCaller, Form>> {
  const admit = async () => {
    blockEmbedding(reply);
    requireSameOrigin(request.headers, env.base);
    const person = await identifyPerson(request, reply, "api", env);
    await count(person);
    return actCaller(person, request.ip, env);
  };
  return receiveForm(request, admit, readForm);
}

/** Receives an answer as `receiveAnswer` does, which counts as an attempt to sign in. */
export const receiveAttempt = (
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<ReceivedForm<ActCaller, Form>> =>
  receiveAnswer(
    request,
    reply,
    async () => {
      if (!(await countAttempt(request, reply, env))) refuse("RATE_LIMITED");
    },
    env,
  );
