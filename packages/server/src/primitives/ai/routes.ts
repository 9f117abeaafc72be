import { LIMITS } from "@easel/protocol/limits";
import { isGuest } from "../../access/principal.ts";
import type { Env } from "../../env.ts";
import { readBody } from "../../http/body.ts";
import { refuse } from "../../http/refusal.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { startSettling } from "../../organisation/ai/reservations.ts";
import { exceededCap, type Spender, spendRows } from "../../organisation/ai/spend-caps.ts";
import { readSettings } from "../../organisation/instance-settings.ts";
import { type Call, type Primitive, requirePermission, withBody } from "../primitive.ts";
import { parseChat } from "./chat-body.ts";
import { aiData, begin, highestPromptTokens, refuseOverCap } from "./completion.ts";
import { EventStream } from "./event-stream.ts";
import { aiOperations } from "./operations.ts";

const EVENT_STREAM = {
  "content-type": "text/event-stream",
  "cache-control": "private, no-store, no-transform",
  // Reverse proxies would collect events.
  "x-accel-buffering": "no",
};

const tooLarge = () =>
  refuse("BODY_TOO_LARGE", { message: `The body of a chat has at most ${LIMITS.aiBodyBytes.value} bytes.` });

/**
 * Checks a chat request and streams the response of the model. If several errors apply, the first check decides, so the order of the checks
 * is that of specification 4.5.
 */
async function chat(call: Call, body: Buffer, env: Env) {
  const { user, canvas } = call;
  const prompt = parseChat(body);
  const settings = await readSettings(env);
  const price = priceOf(prompt.model, highestPromptTokens(prompt), env.config);
  if (price === null || !settings["ai.models"].includes(prompt.model)) refuse("MODEL_NOT_ALLOWED");

  const guest = isGuest(user);
  const spender: Spender = {
    userId: user.id,
    guest,
    invitedBy: user.invitedBy,
    canvasId: canvas.id,
    startedAt: env.clock(),
  };
  const exceeded = await exceededCap(spendRows(spender), settings, env);
  if (guest && !canvas.capabilities.guestAi) refuse("GUEST_AI_DISABLED");
  if (exceeded === "guest") refuseOverCap(exceeded, guest);
  requirePermission(call, "canUseAi");
  if (exceeded !== null) refuseOverCap(exceeded, guest);
  call.requireCapability("ai");
  const { ai } = env;
  if (ai === null) throw new Error("the capability gate admits no AI without a provider");

  const completion = await begin(prompt, { spender, price, settings, ai }, env);
  if (typeof completion === "string") return refuseOverCap(completion, guest);
  const stream = new EventStream(completion.events(), () => completion.end());
  env.background.add(new Promise((resolve) => stream.once("close", resolve)));
  return { headers: EVENT_STREAM, body: stream };
}

/** AI chat with budgets (specification 4.5). */
export const ai: Primitive = {
  capability: "ai",
  description: aiOperations,
  rateClass: "ai",
  checksCapability: true,
  data: aiData,
  start: startSettling,
  routes: {
    "/ai": {},
    "/ai/*": {},
    "/ai/chat": {
      POST: withBody({
        may: () => undefined,
        read: ({ request }, { turns }) => readBody(request, LIMITS.aiBodyBytes.value, tooLarge, { turns }),
        run: (call, _, body, env) => chat(call, body, env),
      }),
    },
  },
};
