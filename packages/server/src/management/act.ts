import type { IncomingMessage } from "node:http";
import type { ZodType, z } from "zod";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { ErrorCase } from "../http/error-case.ts";
import { firstValue, type Query } from "../http/query.ts";
import { validate } from "../http/validate.ts";
import type { Caller } from "../identity/credential.ts";
import type { BodySpec } from "./body-spec.ts";
import type { Call, Reauthenticate } from "./call.ts";
import { CALLERS, type CallerName, type Granted } from "./callers.ts";
import { requireFields, requireScope, type Scoped } from "./require-scope.ts";
import type { ResponseSpec } from "./response-spec.ts";

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
interface Description extends Scoped {
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
    requireScope(call, description);
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
