import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { ZodType, z } from "zod";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { firstValue, type Query } from "../http/query.ts";
import type { ErrorCase } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";
import type { Caller } from "../identity/credential.ts";
import {
  CALLERS,
  type Call,
  type CallerName,
  type Granted,
  type Reauthenticate,
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
  /** The media type of the body, if the body is a `Download`. */
  type?: string;
}

/** A response body that is streamed to the client, with its headers. */
export class Download {
  readonly headers: Record<string, string>;
  readonly stream: Readable;

  constructor(headers: Record<string, string>, stream: Readable) {
    this.headers = headers;
    this.stream = stream;
  }
}

export const ok = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 200, schema });
export const created = <Body>(schema: ZodType<Body>): ResponseSpec<Body> => ({ status: 201, schema });
export const noContent: ResponseSpec<undefined> = { status: 204, schema: null };
export const download = (type: string): ResponseSpec<Download> => ({ status: 200, schema: null, type });

/** Describes the request body of an act (an operation of the management API), and reads it. */
export interface BodySpec<Body> {
  /** The accepted media types, for the docs. */
  type: "application/json" | "application/zip" | "application/zip, text/html" | "application/octet-stream";
  optional: boolean;
  /** The schema of a JSON body; null for other types. */
  schema: ZodType | null;
  /** The error of a body that is too large, if it is not 400 `INVALID_BODY`. */
  tooLarge?: ErrorCase | undefined;
  /** Reads and parses the body, and does other slow work, such as storing an upload. Throws 400 `INVALID_BODY` for an invalid body. */
  read(call: Call, env: Env): Promise<Body>;
}

/** Returns the body of a call, which is validated; reads it unless `given` has its value already. */
const read = async <Body>(
  { request, given }: Call,
  schema: ZodType<Body>,
  env: Env,
  limit?: number,
): Promise<Body> => (given === undefined ? readJson(request, schema, env, limit) : validate(given, schema));

/** Describes a JSON body that must match a schema and have at most `limit` bytes. */
export const json = <Body>(schema: ZodType<Body>, limit?: number): BodySpec<Body> => ({
  type: "application/json",
  optional: false,
  schema,
  tooLarge: "BODY_TOO_LARGE",
  read: (call, env) => read(call, schema, env, limit),
});

/** Describes a JSON body that must match a schema. `prepare` then does slow work on the parsed body, such as hashing a password. */
export const preparedJson = <Given, Body>(
  schema: ZodType<Given>,
  prepare: (given: Given, user: User, env: Env) => Promise<Body>,
): BodySpec<Body> => ({
  ...json(schema),
  read: async (call, env) => prepare(await read(call, schema, env), call.user, env),
});

/**
 * Describes a body that `read` stores while it arrives. A limited number of such bodies of a person are read at once; further ones wait
 * unread. `tooLarge` is the error that `read` throws for a body that is too large.
 */
export const upload = <Body>(
  type: BodySpec<Body>["type"],
  read: BodySpec<Body>["read"],
  tooLarge?: ErrorCase,
): BodySpec<Body> => ({
  type,
  optional: false,
  schema: null,
  tooLarge,
  read: (call, env) => env.uploads.run(call.user.id, () => read(call, env), call.signal()),
});

const isAbsent = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** Describes an optional JSON body that must match a schema. An absent body counts as `{}`. */
export const optionalJson = <Body>(schema: ZodType<Body>): BodySpec<Body> => ({
  ...json(schema),
  optional: true,
  read: async (call, env) =>
    call.given === undefined && isAbsent(call.request) ? schema.parse({}) : read(call, schema, env),
});

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

type EmptyQuery = z.ZodObject<Record<never, ZodType>>;

/** The path parameters as an object type: `{id}` becomes the field `id`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : unknown;

/** Describes an act (an operation of the management API). The routes, the docs and the OpenAPI document are derived from it. */
interface Description extends TokenScoped {
  /** The unique name of the act, which the audit log records. */
  name: string;
  /** A sentence for the docs. */
  summary: string;
  /** Further sentences for the docs. */
  details?: string;
  /** The schema of the path parameters, if their format must be checked before the act runs. */
  params?: ZodType;
  query?: z.ZodObject;
  body?: BodySpec<unknown>;
  response: ResponseSpec<unknown>;
  /**
   * The errors of this act alone. Others, such as `NOT_FOUND` for a path with parameters, are derived from `method`, `path`, `body` and
   * `allow`.
   */
  errors?: readonly ErrorCase[];
  /** The connections whose access is rechecked after the act. If absent, none are rechecked. */
  affects?: Affects;
  /** Whether the act uploads one file of a deploy, which may have many files. Such acts have a higher rate limit. */
  uploads?: boolean;
  /** Whether the audit log records the act. By default it records all acts except GET. */
  audited?: boolean;
}

/** An operation of the management API. `Body` is the type of its response. */
export interface Act<Body = unknown> extends Description {
  audited: boolean;
  /** Checks caller and input, and returns a function that runs the act. Throws a `Refusal` if it must not run. */
  prepare(call: Call, reauthenticate: Reauthenticate, env: Env): Promise<() => Promise<Result<Body>>>;
}

/** The caller of an act, and the checked and parsed input. */
interface Input<Params, Parameters, Body> extends Caller<User> {
  request: IncomingMessage;
  signal: Call["signal"];
  params: Params;
  query: Parameters;
  body: Body;
}

/** The definition of an act, with the types of its path, callers, query, body and response. */
interface Definition<
  Path extends string,
  Who extends CallerName,
  Parameters extends z.ZodObject,
  Body,
  Response,
> extends Description {
  path: Path;
  allow: Who;
  query?: Parameters;
  body?: BodySpec<Body>;
  response: ResponseSpec<Response>;
  run(
    call: Input<ParamsOf<Path>, z.output<Parameters>, Body> & Granted<Who>,
    env: Env,
  ): Promise<Result<NoInfer<Response>>>;
}

/**
 * Parses the query parameters that the schema names, and ignores others. Uses the first value of a repeated parameter. An empty value
 * counts as absent.
 */
function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: Query): z.output<Schema> {
  const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, firstValue(query, name)]));
  return validate(given, schema, "The query");
}

/**
 * Defines an act (an operation of the management API) that checks the caller and the parameters before it runs. An act with a body
 * authenticates and checks the caller again after it has read the body, because a client could delay the body until the caller has lost its
 * rights.
 */
export const act = <
  Path extends string,
  Who extends CallerName,
  Response,
  Body = undefined,
  Parameters extends z.ZodObject = EmptyQuery,
>({
  run,
  ...description
}: Definition<Path, Who, Parameters, Body, Response>): Act<Response> => {
  const { method, allow, params, query, body, audited = method !== "GET" } = description;
  const changes = method !== "GET";
  const authorize = (call: Call, env: Env) => {
    requireTokenScope(call, description);
    return CALLERS[allow].authorize(call, env, changes) as Promise<Granted<Who>>;
  };
  return {
    ...description,
    audited,
    async prepare(call, reauthenticate, env) {
      const granted = await authorize(call, env);
      if (params !== undefined) validate(call.params, params, "The path");
      const parsed = {
        params: call.params as ParamsOf<Path>,
        query: (query === undefined ? {} : parseQuery(query, call.query)) as z.output<Parameters>,
      };
      const { user, credential, passes, request, signal } = call;
      const caller = { user, credential, passes };
      if (body === undefined)
        return () => run({ ...caller, request, signal, ...parsed, body: undefined as Body, ...granted }, env);
      const given = await body.read(call, env);
      const now = await reauthenticate();
      requireFields(now, description, given);
      const still = await authorize(now, env);
      return () =>
        run(
          {
            ...caller,
            user: now.user,
            credential: now.credential,
            request,
            signal,
            ...parsed,
            body: given,
            ...still,
          },
          env,
        );
    },
  };
};
