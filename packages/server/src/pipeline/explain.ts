import type { AccessExplanation, AccessRefusal, AccessRule, AccessStep } from "@easel/protocol/management";
import { type Entry, LADDER } from "../access/ladder.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { whyOff } from "../canvases/capabilities.ts";
import { gateIsOpen } from "../canvases/gate-cookie.ts";
import { admitsAnonymous, publishedVersion } from "../canvases/publication-status.ts";
import type { Env } from "../env.ts";
import { type Facts, SENTENCES } from "./sentences.ts";

type Surface = AccessStep["closes"][number];

const SURFACES: readonly Surface[] = ["pages", "api"];

/** A request to a canvas, as far as a rule examines it. */
interface RequestEntry extends Entry {
  canvas: Canvas;
  env: Env;
}

/** A rule for requests to some surfaces of a canvas. */
interface RequestRule {
  name: AccessRule;
  code: AccessRefusal;
  surfaces: readonly Surface[];
  when: (entry: RequestEntry) => boolean;
}

/**
 * Every rule that a request meets, in order: step 1 of the pipeline, the ladder (step 3), whether there is a page to serve, and step 5. Each
 * asks the function that decides about requests.
 */
const RULES: readonly RequestRule[] = [
  {
    name: "signed_in",
    code: "NOT_AUTHENTICATED",
    surfaces: SURFACES,
    when: ({ canvas, principal, now }) => principal.kind === "visitor" && !admitsAnonymous(canvas, now),
  },
  ...LADDER.map((rule) => ({ ...rule, surfaces: SURFACES })),
  {
    name: "published",
    code: "NOT_FOUND",
    surfaces: ["pages"],
    when: ({ canvas }) => publishedVersion(canvas) === null,
  },
  {
    name: "backend",
    code: "CAPABILITY_DISABLED",
    surfaces: ["api"],
    when: ({ canvas, env }) => whyOff("identity", canvas, env) !== null,
  },
];

/** The outcome of each rule for a person who has not entered the password of the canvas, or with `gateOpen` for one who has. */
function climb(
  facts: Facts,
  gateOpen: boolean,
  env: Env,
): Pick<AccessExplanation, Surface | "code" | "steps"> {
  const { canvas, principal, role, now } = facts;
  const entries = {
    pages: { canvas, principal, role, now, gateOpen, openToVisitors: true, env },
    api: { canvas, principal, role, now, gateOpen, openToVisitors: false, env },
  };
  const result = { pages: true, api: true, code: null as AccessRefusal | null };
  const steps = RULES.map(({ name, code, surfaces, when }): AccessStep => {
    const reached = surfaces.filter((surface) => result[surface]);
    if (reached.length === 0)
      return { rule: name, outcome: "not_reached", closes: [], because: "An earlier rule refuses." };
    const closes = reached.filter((surface) => when(entries[surface]));
    for (const surface of closes) result[surface] = false;
    const isRefused = closes.length > 0;
    if (isRefused) result.code ??= code;
    const because = SENTENCES[name](facts, isRefused);
    return { rule: name, outcome: isRefused ? "refused" : "passed", closes, because };
  });
  return { ...result, steps };
}

/**
 * Explains what the rules say about a person who has not entered the password of the canvas. `apiAfterPassword` is whether the API answers
 * once they have.
 */
export function explain(
  facts: Facts,
  env: Env,
): Pick<AccessExplanation, Surface | "code" | "steps"> & { apiAfterPassword: boolean } {
  const gateOpen = gateIsOpen(facts.canvas, facts.principal, [], env);
  return { ...climb(facts, gateOpen, env), apiAfterPassword: climb(facts, true, env).api };
}
