import type { TokenScope } from "@easel/protocol/management";
import type { Member, Restriction } from "../access/principal.ts";
import type { Work } from "../async/work.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { App } from "../identity/apps.ts";
import type { Act } from "../management/act.ts";
import type { ActCaller } from "../management/callers.ts";
import { type Input, inputOf, type Message } from "../operations/operation.ts";
import type { ByteSource } from "../operations/operation-body.ts";
import { readmit } from "../pipeline/admit.ts";
import { callerOf } from "../primitives/caller.ts";
import { operationNamed } from "../primitives/index.ts";
import type { Answer } from "../primitives/primitive.ts";
import type { Docs } from "./docs.ts";
import { includesScope } from "./scope-order.ts";

/** What the program has answered to a question of an earlier call of the same tool, and what it can be asked. */
export interface Dialogue {
  /** The answers by the names of the questions; undefined for a first call. */
  responses: Record<string, unknown> | undefined;
  /** The state that the earlier call has returned. The program can have changed it. */
  state: string | undefined;
  /** Whether the program can show a form, and open a page, to ask its person. */
  asksByForm: boolean;
  asksByPage: boolean;
}

/** A caller of acts. */
export interface Performer {
  caller: ActCaller;
  env: Env;
  /** What counts the work of the call, which has a place of the person already; undefined if each act takes a place of its own. */
  work: Work | undefined;
}

/** A connected tool that acts for its person, who is the caller, with the scope of the tool. */
export interface Acting extends Performer {
  /** The connected tool. */
  app: App;
}

/** A call of a tool: who calls, for whom, and how the tool reaches the operations of the service. */
export interface ToolCall extends Acting {
  work: Work;
  dialogue: Dialogue;
  docs: Docs;
}

/** Returns the restriction of a call: the scope of the tool, and the canvases of the connected tool. */
const restrictionOf = ({ canvasId, ownOnly, clientId }: App, scope: TokenScope): Restriction | null =>
  scope === "full" && canvasId === null && !ownOnly
    ? null
    : { scope, canvasId, ...(ownOnly && { madeBy: clientId }) };

/** Returns a person as the caller of a tool, whose rights are those of its scope. */
export const withScope = (member: Member, app: App, scope: TokenScope): Member => ({
  ...member,
  restriction: restrictionOf(app, scope),
});

/** Returns a call with another scope than that of its tool. What it does must be within what the person has allowed. */
export function withOtherScope<Call extends Acting>(call: Call, scope: TokenScope): Call {
  const { app, caller } = call;
  if (caller.user.kind !== "member") throw new TypeError("a guest has no connected tools");
  return { ...call, caller: { ...caller, user: withScope(caller.user, app, scope) } };
}

/**
 * Returns a call with a higher scope than that of its tool, for an argument that needs it. Throws 403 `PERMISSION_DENIED` if the connected tool
 * has a lower scope. `what` is what the argument asks for, as in "To change tags".
 */
export function withMore<Call extends Acting>(call: Call, scope: TokenScope, what: string): Call {
  if (!includesScope(call.app.scope, scope))
    refuse("PERMISSION_DENIED", {
      message: `To ${what} needs the scope \`${scope}\`, and this connection has \`${call.app.scope}\`.`,
      hint: "Nothing was changed. Ask your person to do it, or to connect again and allow more.",
    });
  return withOtherScope(call, scope);
}

/** The maximum length of what a tool passes on that a request would have in its URL, in UTF-16 code units: as much as fits into a URL. */
const MAX_URL_LENGTH = 16 * 1024;

/** Throws 400 `INVALID_BODY` if parameters or a query are longer than those of a request can be, which is what operations are made for. */
function requireUrlLength(...parts: readonly Partial<Record<string, string | string[]>>[]): void {
  let length = 0;
  for (const part of parts) for (const name in part) length += String(part[name] ?? "").length;
  if (length > MAX_URL_LENGTH)
    refuse("INVALID_BODY", {
      message: `The arguments are too long: together at most ${MAX_URL_LENGTH} characters, besides files and values.`,
    });
}

/** Returns what makes an operation part of a call. */
const partOf = (work: Work | undefined): Partial<Input> =>
  work === undefined ? {} : { work, signal: work.signal };

/** Performs an act of the management API for the caller of a tool, and returns its response body. */
export async function perform<Body>(
  { caller, env, work }: Performer,
  act: Act<Body>,
  {
    params = {},
    query = {},
    headers = {},
    body,
  }: {
    params?: Record<string, string>;
    query?: Input["query"];
    headers?: Message["headers"];
    body?: unknown;
  },
): Promise<Body> {
  requireUrlLength(params, query);
  const message = { method: act.method, target: "", headers, rawHeaders: [] };
  const given = inputOf({
    params,
    query,
    message,
    ...partOf(work),
    ...(body !== undefined && { body: { value: body } }),
  });
  return (await act.perform(caller, given, env)).body;
}

/** Performs an act whose body is bytes for the caller of a tool, and returns its response body. */
export async function performWithBytes<Body>(
  { caller, env, work }: Acting,
  act: Act<Body>,
  params: Record<string, string>,
  body: ByteSource,
): Promise<Body> {
  return (await act.perform(caller, inputOf({ params, body, ...partOf(work) }), env)).body;
}

/**
 * Performs an operation of the runtime API by its name, such as `kv.get`, for the caller of a tool. The person enters the canvas by the same
 * rules as by a request. Throws the same refusals.
 */
export async function performRuntime(
  { caller: { user, credential, passes, address }, env, work }: ToolCall,
  { id, slug }: Pick<Canvas, "id" | "slug">,
  name: string,
  given: Partial<Input>,
): Promise<Answer> {
  requireUrlLength(given.params ?? {}, given.query ?? {});
  const { operation, primitive } = operationNamed(name);
  const gate = primitive.checksCapability ? null : primitive.capability;
  const use = { reads: ["GET", "HEAD"].includes(operation.method), leavesCanvas: false };
  const admitted = await readmit({ user, credential, passes, canvas: { id, slug }, use }, gate, env);
  const visit = { use, admitsVisitors: undefined, address };
  return operation.perform(
    callerOf({ ...admitted, user }, visit, gate, env),
    inputOf({ ...given, ...partOf(work) }),
    env,
  );
}
