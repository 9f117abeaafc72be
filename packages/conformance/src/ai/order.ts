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
  "canvas's cap",
  "switched off",
] as const;
type Fault = (typeof FAULTS)[number];

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
 * refused for the first one. A guest's own spending cap is checked before the AI audience, that of a viewer after it.
 */
export function order(target: Target): void {
  for (const who of ["guest", "viewer"] as const) {
    describe(`the order of the refusals of a ${who}`, () => {
      /**
       * A canvas whose monthly spending cap is used up. `poor` is a caller whose own cap is used up, too; `rich` is one whose own cap is
       * not.
       */
      let spent: { canvas: Stage; poor: Person; rich: Person };
      let open: { canvas: Stage; rich: Person };
      before(async () => {
        const canvas = await chatRoom(target, { switches: { guestAi: true } });
        const fresh = await chatRoom(target, { people: canvas.people });
        const { viewer, editor } = canvas.people;
        if (who === "viewer") {
          spent = { canvas, poor: viewer, rich: editor };
          open = { canvas: fresh, rich: editor };
          await turn(target, fresh, { aiAudience: "viewers" });
        } else {
          spent = { canvas, poor: await guestOf(target, canvas), rich: await guestOf(target, canvas) };
          open = { canvas: fresh, rich: await guestOf(target, fresh) };
        }
        await exhaust(target, canvas, spent.poor);
      });

      const refusals = refusalsOf(target, who);
      /** Sends a request that has the fault at this index of `refusals` and all later faults of the list. */
      const askWith = async (index: number) => {
        const faults = refusals.slice(index).map(([fault]) => fault);
        const has = (fault: Fault) => faults.includes(fault);
        const canvas = has("canvas's cap") ? spent.canvas : open.canvas;
        const person = has("canvas's cap") ? (has("person's cap") ? spent.poor : spent.rich) : open.rich;
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
