import type { FastifyInstance, FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { requireSameOrigin } from "../http/csrf.ts";
import { refuse } from "../http/refusal.ts";
import { blockEmbedding } from "../http/security-headers.ts";
import { requireTokenRoom } from "../identity/tokens.ts";
import { countAttempt } from "../sign-in/attempts.ts";
import { sendAnswered, sendDeviceQuestion, sendUserCodeForm } from "./device-page.ts";
import { answerDevice, findWaitingDevice } from "./oauth-codes.ts";
import { readForm } from "./oauth-form.ts";
import { requirePerson, titleOfAsked } from "./person.ts";
import { issueTicket, readTicket } from "./ticket.ts";
import { readUserCode } from "./user-code.ts";

const UNKNOWN = "No terminal waits with this code. Compare the letters; a code is valid for 10 minutes.";

/**
 * Mounts `/oauth/device`: a signed-in person enters the code that a program shows in a terminal, sees which computer asks for what, and
 * answers (RFC 8628, section 3.3).
 */
export function mountDevice(app: FastifyInstance, env: Env): void {
  app.get("/oauth/device", { exposeHeadRoute: false }, async (request, reply) => {
    blockEmbedding(reply);
    await requirePerson(request, reply, "page", env);
    return sendUserCodeForm(reply);
  });

  app.post("/oauth/device", async (request, reply) => {
    blockEmbedding(reply);
    requireSameOrigin(request.headers, env.base);
    const user = await requirePerson(request, reply, "api", env);
    // Both steps count as attempts, so that nobody can try user codes in large numbers.
    if (!(await countAttempt(request, reply, env))) refuse("RATE_LIMITED");
    const form = await readForm(request);
    const ticket = form.get("ticket");
    if (ticket === undefined) return ask(form.get("user_code") ?? "", user, reply);
    return answer(readTicket<string>("device", ticket, user, env), form.get("answer"), user, reply);
  });

  async function ask(typed: string, user: User, reply: FastifyReply): Promise<FastifyReply> {
    const userCode = readUserCode(typed);
    const device = userCode === null ? undefined : await findWaitingDevice(userCode, env);
    if (userCode === null || device === undefined)
      return sendUserCodeForm(reply.code(400), { typed: typed.slice(0, 40), fault: UNKNOWN });
    await requireTokenRoom(user, env);
    const { host, scope, canvas_id: canvasId, address } = device;
    const question = {
      userCode,
      asked: { host, scope, canvasId },
      address: address ?? "",
      title: await titleOfAsked(canvasId, user, env),
      ticket: issueTicket("device", user, userCode, env),
    };
    return sendDeviceQuestion(reply, user, question, env);
  }

  async function answer(
    userCode: string,
    given: string | undefined,
    user: User,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const allowed = given === "allow";
    if (allowed) await requireTokenRoom(user, env);
    if (!(await answerDevice(userCode, user, allowed ? "allow" : "deny", env)))
      return sendUserCodeForm(reply.code(400), { fault: UNKNOWN });
    return sendAnswered(reply, allowed);
  }
}
