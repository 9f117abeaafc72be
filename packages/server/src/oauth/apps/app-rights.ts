import { TOKEN_SCOPES, type TokenScope } from "@easel/protocol/management";
import type { User } from "../../access/principal.ts";
import { findCanvas } from "../../canvases/store.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { Form } from "../program-endpoint.ts";
import { FIRST_SCOPE } from "../resource.ts";
import type { AppRequest } from "./app-request.ts";

/** What a person allows a program. */
export interface AppRights {
  scope: TokenScope;
  /** The id of the only canvas; null for no such limit. */
  canvasId: string | null;
  /** Whether only canvases that the program makes may be used. */
  ownOnly: boolean;
  /** Whether the person is asked before a canvas is opened to more people. */
  confirms: boolean;
}

/** Which canvases a program may use. */
export type CanvasChoice = "all" | "made" | "one";

/** The choices of a person, as the form sends them. */
export interface Choices {
  scope: TokenScope;
  canvases: CanvasChoice;
  /** The id of the only canvas; empty without a choice. */
  canvas: string;
  confirms: boolean;
}

/**
 * Returns the scopes that a person can allow a program, the highest first: not more than it asks for. One that asks for what every program is
 * told to ask for at first can get everything, because many programs cannot ask again when a tool needs more.
 */
export const offeredScopes = ({ scope }: Pick<AppRequest, "scope">): readonly TokenScope[] =>
  scope === FIRST_SCOPE ? TOKEN_SCOPES : TOKEN_SCOPES.slice(TOKEN_SCOPES.indexOf(scope));

/** Returns the choices that the form shows at first. */
export const firstChoices = ({ scope }: Pick<AppRequest, "scope">): Choices => ({
  scope,
  canvases: "all",
  canvas: "",
  confirms: true,
});

/** Reads the choices of a submitted form. Throws 400 `INVALID_BODY` if it has others than the page offers. */
export function readChoices(form: Form, request: Pick<AppRequest, "scope">): Choices {
  const scope = offeredScopes(request).find((each) => each === form.get("scope"));
  const canvases = (["all", "made", "one"] as const).find((each) => each === form.get("canvases"));
  if (scope === undefined || canvases === undefined)
    return refuse("INVALID_BODY", { message: "The page does not offer this choice." });
  return { scope, canvases, canvas: form.get("canvas") ?? "", confirms: form.has("confirms") };
}

/** Returns what a person allows by their choices. Returns null if they have chosen no canvas on which they have a role. */
export async function rightsOf(
  { scope, canvases, canvas, confirms }: Choices,
  user: User,
  env: Env,
): Promise<AppRights | null> {
  const rights = { scope, canvasId: null, ownOnly: canvases === "made", confirms };
  if (canvases !== "one") return rights;
  const found = isId(canvas) ? await findCanvas(canvas, user, env) : undefined;
  return found === undefined ? null : { ...rights, canvasId: found.id };
}
