import type { ChatEvent, ChatMessage } from "@easel/protocol/ai";
import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { Prompt } from "../../drivers/ai/ai.ts";
import type { Env } from "../../env.ts";
import { exact } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { childTraceparent, traceOf } from "../../http/trace.ts";
import { textOf } from "../../http/validate.ts";
import { jsonBody } from "../../operations/operation-body.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { startSettling } from "../../organisation/ai/reservations.ts";
import { exceededCap, type Spender, spendRows } from "../../organisation/ai/spend-caps.ts";
import { readSettings } from "../../organisation/instance-settings.ts";
import {
  type Answer,
  operation,
  type Primitive,
  type RuntimeCaller,
  requirePermission,
} from "../primitive.ts";
import { aiData, begin, highestPromptTokens, refuseOverCap } from "./completion.ts";
import { EventStream } from "./event-stream.ts";

const DEFAULT_MAX_TOKENS = 1024;

const message: z.ZodType<ChatMessage> = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
});

/** At least one message. The check stops at the first fault, because a body can have a hundred thousand elements. */
const messages = z
  .custom<unknown[]>(
    (value) => Array.isArray(value) && value.length > 0,
    'must be a list of at least one { role, content }, with the role "user" or "assistant" and text as content',
  )
  .meta({
    type: "array",
    minItems: 1,
    items: {
      type: "object",
      properties: { role: { type: "string", enum: ["user", "assistant"] }, content: { type: "string" } },
      required: ["role", "content"],
    },
  })
  .transform((list, context) => {
    const parsed: ChatMessage[] = [];
    for (const [index, each] of list.entries()) {
      const { data, error } = message.safeParse(each, { error: textOf });
      const [fault] = error?.issues ?? [];
      if (fault !== undefined) {
        context.addIssue({ ...fault, path: [index, ...fault.path] });
        return z.NEVER;
      }
      parsed.push(data as ChatMessage);
    }
    return parsed;
  });

/** The schema of the body of a chat. Unknown fields are ignored. */
export const chatBody = z.object({
  model: z.string().min(1).max(200).meta({ description: "A model that the instance allows." }),
  messages,
  system: z.string().optional().meta({ description: "The system prompt." }),
  maxTokens: z
    .int()
    .positive()
    .default(DEFAULT_MAX_TOKENS)
    .transform((tokens) => Math.min(tokens, LIMITS.aiMaxTokens.value)),
});

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
async function chat(caller: RuntimeCaller, prompt: Prompt, env: Env): Promise<Answer> {
  const { user, canvas } = caller;
  const settings = await readSettings(env);
  const price = priceOf(prompt.model, highestPromptTokens(prompt), env.config);
  if (price === null || !settings["ai.models"].includes(prompt.model)) refuse("MODEL_NOT_ALLOWED");

  const guest = user.kind === "guest";
  const spender: Spender = {
    userId: user.id,
    guest,
    invitedBy: guest ? user.invitedBy : null,
    canvasId: canvas.id,
    startedAt: env.clock(),
  };
  const exceeded = await exceededCap(spendRows(spender), settings, env);
  if (guest && !canvas.capabilities.guestAi) refuse("GUEST_AI_DISABLED");
  if (exceeded === "guest") refuseOverCap(exceeded, guest);
  requirePermission(caller, "canUseAi");
  if (exceeded !== null) refuseOverCap(exceeded, guest);
  caller.requireCapability("ai");
  const { ai } = env;
  if (ai === null) throw new Error("the capability gate admits no AI without a provider");

  const completion = await begin(prompt, { spender, price, settings, ai }, env);
  if (typeof completion === "string") return refuseOverCap(completion, guest);
  const stream = new EventStream(completion.events(), () => completion.end());
  env.background.add(new Promise((resolve) => stream.once("close", resolve)));
  return { headers: EVENT_STREAM, body: stream };
}

const usage = z
  .strictObject({
    inputTokens: z.int(),
    outputTokens: z.int(),
    cacheCreationInputTokens: z.int(),
    cacheReadInputTokens: z.int(),
  })
  .meta({ id: "TokenUsage" });

const chatEvent = exact<ChatEvent>()(
  "ChatEvent",
  z.union([
    z.strictObject({ type: z.literal("delta"), text: z.string() }),
    z.strictObject({
      type: z.literal("done"),
      usage,
      cost: z.number().meta({ description: "US dollars." }),
    }),
    z.strictObject({ type: z.literal("error"), code: z.string(), message: z.string() }),
  ]),
);

/** AI chat with budgets (specification 4.5). */
export const ai: Primitive = {
  capability: "ai",
  title: "AI",
  summary: "Chats with AI models, within the budgets of the person and of the canvas.",
  rateClass: "ai",
  checksCapability: true,
  data: aiData,
  start: startSettling,
  reserved: ["/ai", "/ai/{path}"],
  operations: [
    operation({
      name: "ai.chat",
      cost: "cheap",
      method: "POST",
      path: "/ai/chat",
      summary: "Sends a conversation to a model and streams its answer.",
      details:
        "The response is a stream of server-sent events. The `data` of each event is a `ChatEvent` in JSON; the last one is `done`, or `error` if the provider fails after the stream has begun. The limit is 10 requests a minute.",
      responses: {
        200: {
          description: "The events. The schema is that of one event's `data`.",
          type: "text/event-stream",
          schema: chatEvent,
        },
      },
      errors: [
        "BODY_TOO_LARGE",
        "MODEL_NOT_ALLOWED",
        "GUEST_AI_DISABLED",
        "PERMISSION_DENIED",
        "GUEST_AI_CAP",
        "QUOTA_EXCEEDED",
      ],
      body: jsonBody(chatBody, { limit: LIMITS.aiBodyBytes.value, tooLarge }),
      run(caller, { body, message }, env) {
        const trace = traceOf(message);
        const traceparent = trace === null ? undefined : childTraceparent(trace);
        return chat(caller, { ...body, traceparent }, env);
      },
    }),
  ],
};
