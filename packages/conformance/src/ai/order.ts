import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { type Stage, turn } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Header } from "../http.ts";
import { archive, unarchive } from "../lifecycle.ts";
import { call, pageHeaders } from "../page.ts";
import { disabled, refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { chatOf, chatRoom, doneOf, MAX_BODY_BYTES } from "./chat.ts";
import { exhaust } from "./spending.ts";

const FAULTS = [
  "archived",
  "another site",
  "too large",
  "invalid",
  "model",
  "no guests",
  "person's cap",
  "audience",
  "inviter's cap",
  "canvas's cap",
  "switched off",
] as const;
type Fault = (typeof FAULTS)[number];

/** A caller, and the canvas on which they call. */
interface Caller {
  canvas: Stage;
  person: Person;
}

type Refusal = [status: number, code: ErrorCode, scope?: string];

/**
 * Returns the faults that a request can have, each with the expected refusal. They are in the order in which the service must check them,
 * which differs between guests and viewers.
 */
const refusalsOf = (target: Target, who: "guest" | "viewer"): [Fault, Refusal][] => [
  ["archived", [404, "ARCHIVED"]],
  ["another site", [403, target.urlMode === "path" ? "CROSS_SITE_FORBIDDEN" : "CROSS_CANVAS_FORBIDDEN"]],
  ["too large", [413, "BODY_TOO_LARGE"]],
  ["invalid", [400, "INVALID_BODY"]],
  ["model", [403, "MODEL_NOT_ALLOWED"]],
  ...(who === "guest"
    ? ([
        ["no guests", [403, "GUEST_AI_DISABLED"]],
        ["person's cap", [429, "GUEST_AI_CAP", "guest"]],
        ["audience", [403, "PERMISSION_DENIED"]],
        ["inviter's cap", [429, "QUOTA_EXCEEDED", "user_daily"]],
      ] satisfies [Fault, Refusal][])
    : ([
        ["audience", [403, "PERMISSION_DENIED"]],
        ["person's cap", [429, "QUOTA_EXCEEDED", "user_daily"]],
      ] satisfies [Fault, Refusal][])),
  ["canvas's cap", [429, "QUOTA_EXCEEDED", "canvas_monthly"]],
  ["switched off", [403, "CAPABILITY_DISABLED"]],
];

const ELSEWHERE: Record<Target["urlMode"], Header[]> = {
  path: [["Sec-Fetch-Site", "cross-site"]],
  subdomain: [["Origin", "https://elsewhere.example"]],
};

/** Returns the text of a chat body. It has those of the faults `too large`, `invalid` and `model` for which `has` returns true. */
function bodyWith(has: (fault: Fault) => boolean): string {
  if (has("too large")) return "{".repeat(MAX_BODY_BYTES + 1);
  const body = JSON.stringify(chatOf([{ end: {} }], "", has("model") ? { model: "no-such-model" } : {}));
  return has("invalid") ? body.replace('"role":"user"', '"role":"system"') : body;
}

/**
 * Tests the order in which the service checks for faults. Each request has one fault and all the faults that are checked later, and must be
 * refused for the first one. A guest's own spending cap is checked before the AI audience, that of a viewer or of a guest's inviter after it.
 */
export function order(target: Target): void {
  for (const who of ["guest", "viewer"] as const) {
    describe(`the order of the refusals of a ${who}`, () => {
      /** Callers on canvases on which AI is on for guests, by the first cap that is used up for them. */
      let callers: Record<"person" | "inviter" | "canvas" | "none", Caller>;
      before(async () => {
        const setup = { switches: { guestAi: true } };
        const canvas = await chatRoom(target, setup);
        if (who === "viewer") {
          const { viewer, editor } = canvas.people;
          await exhaust(target, canvas, viewer);
          const fresh = await chatRoom(target, { people: canvas.people });
          const spent = { canvas, person: editor };
          const none = { canvas: fresh, person: editor };
          callers = { person: { canvas, person: viewer }, inviter: spent, canvas: spent, none };
        } else {
          const [poor, invited] = [await guestOf(target, canvas), await guestOf(target, canvas)];
          await exhaust(target, canvas, poor);
          const other = await chatRoom(target, setup);
          await exhaust(target, other, other.people.viewer);
          const fresh = await chatRoom(target, setup);
          callers = {
            person: { canvas, person: poor },
            inviter: { canvas, person: invited },
            canvas: { canvas: other, person: await guestOf(target, other) },
            none: { canvas: fresh, person: await guestOf(target, fresh) },
          };
        }
      });

      const refusals = refusalsOf(target, who);
      /** Sends a request that has the fault at this index of `refusals` and all later faults of the list. */
      const askWith = async (index: number) => {
        const faults = refusals.slice(index).map(([fault]) => fault);
        const has = (fault: Fault) => faults.includes(fault);
        const cap = (["person", "inviter", "canvas"] as const).find((each) => has(`${each}'s cap`));
        const { canvas, person } = callers[cap ?? "none"];
        await turn(target, canvas, {
          ai: !has("switched off"),
          guestAi: !has("no guests"),
          aiAudience: has("audience") ? "editors" : "viewers",
        });
        if (has("archived")) await archive(target, canvas);
        const headers = has("another site") ? ELSEWHERE[target.urlMode] : pageHeaders(target, canvas.slug);
        const answer = await call(target, canvas.slug, person, "POST", "/ai/chat", headers, bodyWith(has));
        if (has("archived")) await unarchive(target, canvas);
        return answer;
      };

      for (const [index, [fault, [status, code, scope]]] of refusals.entries()) {
        const later = refusals.slice(index + 1).map(([each]) => each);
        it(`${fault}: ${status} ${code}${later.length > 0 ? `, before: ${later.join(", ")}` : ""}`, async () => {
          const answer = await askWith(index);
          if (code === "CAPABILITY_DISABLED") disabled(answer, "ai", "feature_off");
          else refused(answer, status, code);
          assert.equal(answer.json.scope, scope);
        });
      }

      it("no fault: 200", async () => {
        doneOf(await askWith(refusals.length));
      });
    });
  }
}
