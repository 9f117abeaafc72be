import type { Readable } from "node:stream";
import type { ZodType, z } from "zod";
import type { Work } from "../async/work.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import type { Env } from "../env.ts";
import type { Method } from "../http/methods.ts";
import { type ErrorCase, Refusal } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";
import {
  definer,
  type Input,
  type Message,
  type Operation,
  type ParamsOf,
  parameters,
} from "../operations/operation.ts";
import { writeAudit } from "../organisation/audit.ts";
import type { ActBody } from "./bodies.ts";
import {
  type ActCaller,
  CALLERS,
  type CallerName,
  type Granted,
  requireFields,
  requireTokenScope,
  type TokenScoped,
} from "./callers.ts";

/**
 * What an act (an operation of the management API) returns on success. `schema` is the schema of the JSON body, or null if the response has
 * no JSON body.
 */
interface ResponseSpec<Body> {
  status: 200 | 201 | 204;
  schema: ZodType<Body> | null;
  /** The media type of the body, if the body is a `Download` or `StoredBytes`. */
  type?: string;
  /** Whether the body is made while it is sent, so that it waits for its turn. */
  queued?: boolean;
}

/** A response body that is made and streamed to the client, with its headers. */
export class Download {
  readonly headers: Record<string, string>;
  readonly stream: Readable;

  constructor(headers: Record<string, string>, stream: Readable) {
    this.headers = headers;
    this.stream = stream;
  }
}

/** The response to a request for bytes that are stored: all of them, a range of them, or none because the client has them already. */
export interface StoredBytes {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** The number of bytes to send. */
  size: number;
  /** Opens these bytes. Null if none are sent. */
  open: (() => Promise<Readable>) | null;
}

export const ok = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 200, schema });
export const created = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 201, schema });
export const noContent: ResponseSpec<undefined> = { status: 204, schema: null };
export const download = (type: string): ResponseSpec<Download> => ({
  status: 200,
  schema: null,
  type,
  queued: true,
});
export const storedBytes: ResponseSpec<StoredBytes> = {
  status: 200,
  schema: null,
  type: "application/octet-stream",
};

/** The part of an audit entry that an act (an operation of the management API) supplies. Contains no secrets. */
export interface AuditNote {
  /** Id of the canvas, if the path does not contain it. */
  canvas?: string;
  /** Id or e-mail address of a changed object other than the canvas. */
  target?: string;
  details?: object;
}

/** The result of an act. `body` is undefined for status 204. */
export interface Result<Body> {
  body: Body;
  audit?: AuditNote;
}

/**
 * Which open connections are rechecked after an act. "canvas": the connections to the canvas of the act. "people": all connections,
 * beginning with those of the caller and of the user in the path.
 */
export type Affects = "canvas" | "people";

/** What an act has in addition to any operation. The routes, the docs and the OpenAPI document are derived from it. */
interface Description extends TokenScoped {
  /** The schema of the path parameters, if their format must be checked before the act runs. */
  params?: ZodType;
  /** The connections whose access is rechecked after the act. If absent, none are rechecked. */
  affects?: Affects;
  /** Whether the act uploads files of a deploy, which may have many. Such acts have a higher rate limit. */
  uploads?: boolean;
  cost?: "cheap";
}

/**
 * An operation of the management API. `Body` is the type of its response. The errors of the act alone are in `errors`; others, such as
 * `NOT_FOUND` for a path with parameters, are derived from `method`, `path`, `body` and `allow`.
 */
export interface Act<Body = unknown> extends Operation<ActCaller, Result<Body>>, Description {
  method: Method;
  path: string;
  body?: ActBody<unknown>;
  response: ResponseSpec<unknown>;
  /** Whether the audit log records the act. */
  audited: boolean;
}

/** The caller of an act, and the checked and parsed input. */
interface Call<Params, Parameters, Body> extends Omit<ActCaller, "readmit" | "via" | "recordedAs"> {
  params: Params;
  query: Parameters;
  body: Body;
  message: Message;
  signal: Input["signal"];
  work: Work;
}

/** The definition of an act, with the types of its path, callers, query, body and response. */
interface Definition<Path extends string, Who extends CallerName, Query extends z.ZodObject, Body, Response>
  extends Description {
  /** The unique name of the act, which the audit log records. */
  name: string;
  /** A sentence for the docs. */
  summary: string;
  /** Further sentences for the docs. */
  details?: string;
  path: Path;
  allow: Who;
  query?: Query;
  body?: ActBody<Body>;
  response: ResponseSpec<Response>;
  errors?: readonly ErrorCase[];
  /** By default the audit log records all acts except GET. */
  audited?: boolean;
  run(
    call: Call<ParamsOf<Path>, z.output<Query>, Body> & Granted<Who>,
    env: Env,
  ): Promise<Result<NoInfer<Response>>>;
}

/** Describes the response of an act as that of any operation. */
const responsesOf = ({
  status,
  schema,
  type,
  queued = false,
}: ResponseSpec<unknown>): Operation<never, never>["responses"] => ({
  [status]: {
    description: schema === null && type === undefined ? "Done." : "The result.",
    ...(type !== undefined && { type }),
    ...(schema !== null && { type: "application/json", schema }),
  },
  ...(type !== undefined &&
    !queued && {
      206: { description: "The requested range.", type },
      304: { description: "The client has the bytes already." },
    }),
});

/**
 * Defines an act: an operation that checks the access token and the group of its caller, and that is announced and recorded once it has
 * run.
 */
export const act = <
  const Path extends string,
  Who extends CallerName,
  Response,
  Body = undefined,
  Query extends z.ZodObject = z.ZodObject<Record<never, ZodType>>,
>({
  run,
  query,
  body,
  ...given
}: Definition<Path, Who, Query, Body, Response>): Act<Response> => {
  const { method, allow, params, response, audited = method !== "GET" } = given;
  // A download takes a place of a pool of its own (`mount.ts`).
  const cost = response.queued === true ? "cheap" : given.cost;
  const description = {
    ...given,
    audited,
    responses: responsesOf(response),
    ...(cost !== undefined && { cost }),
  };
  const inputs = {
    ...(query !== undefined && { query: parameters(query) }),
    ...(body !== undefined && { body }),
  };
  const { perform } = definer<ActCaller, Result<Response>>()({
    ...description,
    ...inputs,
    async may(caller, { params: asked }, env) {
      const call = { ...caller, params: asked as Record<string, string> };
      requireTokenScope(call, given);
      const granted = await CALLERS[allow].authorize(call, env, method !== "GET");
      if (params !== undefined) validate(asked, params, "The path");
      return granted as Granted<Who>;
    },
    run(caller, { params: asked, query: parsed, body: value, subject, message, signal, work }, env) {
      requireFields(caller, given, value);
      const { user, credential, passes, address } = caller;
      const call = {
        user,
        credential,
        passes,
        address,
        params: asked,
        query: parsed,
        body: value,
        message,
        signal,
        work,
        ...subject,
      };
      return recorded(description, caller, asked as Record<string, string>, () => run(call, env), env);
    },
  });
  return { ...description, ...inputs, perform };
};

/** Announces that an act may have changed who has access, so that the open connections that it affects are checked again. */
async function announce(
  { affects }: Description,
  canvas: string | undefined,
  people: string[],
  env: Env,
): Promise<void> {
  if (affects !== undefined) await announceAccess(canvas === undefined ? { people } : { canvas }, env);
}

/**
 * Runs an act that has passed its checks, and records it in the audit log (decision 012). If the act can change who has access, announces
 * this once it has run. A refused act has changed nothing and announces nothing.
 */
async function recorded<Body>(
  act: Description & { name: string; audited: boolean },
  { user, address, via, recordedAs }: ActCaller,
  { id }: Record<string, string>,
  run: () => Promise<Result<Body>>,
  env: Env,
): Promise<Result<Body>> {
  const inPath = act.affects === "canvas" ? id : undefined;
  const people = [user.id, id ?? ""];
  let result: Result<Body>;
  try {
    result = await run();
  } catch (error) {
    // Any other error than a Refusal leaves open whether the act has been done, for example if the database did not answer in time.
    if (!(error instanceof Refusal)) await announce(act, inPath, people, env);
    throw error;
  }
  const canvas = result.audit?.canvas ?? inPath;
  await announce(act, canvas, people, env);
  if (act.audited) {
    const { target = null, details: noted } = result.audit ?? {};
    const details = recordedAs === undefined ? (noted ?? null) : { ...noted, ...recordedAs.details };
    const entry = { act: act.name, canvas: canvas ?? null, target, details };
    await writeAudit({ actor: recordedAs?.actor ?? user, address, via, ...entry }, env);
  }
  return result;
}
