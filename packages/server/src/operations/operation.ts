import type { IncomingHttpHeaders } from "node:http";
import type { ZodObject, ZodType, z } from "zod";
import { Work } from "../async/work.ts";
import type { Env } from "../env.ts";
import { LARGE_BYTES } from "../http/body.ts";
import type { Method } from "../http/methods.ts";
import { firstValue, type Query } from "../http/query.ts";
import { type ErrorCase, Refusal } from "../http/refusal.ts";
import { validate } from "../http/validate.ts";
import type { Body, BodyDescription, ByteSource, GivenBody } from "./operation-body.ts";

/** A successful response of an operation. */
export interface Response {
  description: string;
  /** The media type of the body; undefined if there is no body. */
  type?: string;
  /** The schema of the body; undefined if it is not JSON. */
  schema?: ZodType;
  /** Maps the name of each response header to a sentence about its meaning. */
  headers?: Record<string, string>;
}

/** Describes an operation for the docs and the OpenAPI document. */
export interface Description {
  /** The unique name, such as `kv.get`. */
  name: string;
  summary: string;
  /** Sentences that follow the summary, in Markdown. */
  details?: string;
  query?: { schema: ZodObject };
  /** Maps the name of each request header that the operation reads to a sentence about its meaning. */
  headers?: Record<string, string>;
  body?: BodyDescription;
  /** The successful responses by status, such as 200 or 2XX. */
  responses: Record<string, Response>;
  /** The errors, in addition to those of every request to the same API. */
  errors?: readonly ErrorCase[];
  /**
   * `cheap` if a call looks at a bounded number of indexed rows, or takes a place of a pool of its own. By default a call is work, which takes
   * one of the places of its person (`Pools.calls`).
   */
  cost?: "cheap";
}

/**
 * The parts of an HTTP message that an operation passes on, or that select what it returns, such as a range of a file. Most operations
 * ignore them.
 */
export interface Message {
  readonly method: string;
  /** The path below that of the API, percent-encoded as it was sent, and the query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The names and values of all headers, one after the other. */
  readonly rawHeaders: readonly string[];
}

/** What only a caller in the same process can ask for. No request contains it. */
export interface LocalOptions {
  /** The id of what is created. */
  id?: string;
  /** Whether what exists already is kept. The operation then refuses with the code `EXISTS` instead of replacing it. */
  keep?: boolean;
}

/** Throws 409 with the code `EXISTS`, which no request can get. */
export function refuseExisting(): never {
  throw new Refusal(409, { code: "EXISTS", message: "This exists already." });
}

/** What a caller passes to an operation, before it is checked. */
export interface Input {
  params: Record<string, string>;
  query: Query;
  body: GivenBody;
  message: Message;
  local?: LocalOptions;
  /** The work of the call of which this one is a part, which has a place already. Absent for a call of its own. */
  work?: Work;
  /** Returns the signal that aborts when the caller no longer waits for the result. Work that takes long stops then. */
  signal(): AbortSignal;
}

/** Whether bytes are still to come that can be many. */
const isLate = ({ complete, absent, size }: ByteSource): boolean =>
  !complete && !absent && (size === 0 || size > LARGE_BYTES);

const NO_OPTIONS: LocalOptions = {};
const NO_MESSAGE: Message = { method: "", target: "", headers: {}, rawHeaders: [] };

/** Returns the input of a caller in the same process. What is left out is empty, and the signal never aborts. */
export const inputOf = (given: Partial<Input>): Input => ({
  params: {},
  query: {},
  body: { value: undefined },
  message: NO_MESSAGE,
  signal: () => new AbortController().signal,
  ...given,
});

/** The path parameters as an object type: `{id}` becomes the field `id`. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : unknown;

/** The query parameters of an operation: their schema, and the function that parses and checks them. */
export interface Parameters<Values> {
  schema: ZodObject;
  parse(query: Query): Values;
}

/**
 * Returns query parameters that are validated with a schema. Parameters that it does not name are ignored. The first value of a repeated
 * parameter counts, and an empty one counts as absent.
 */
export const parameters = <Schema extends ZodObject>(schema: Schema): Parameters<z.output<Schema>> => {
  const names = Object.keys(schema.shape);
  return {
    schema,
    parse: (query) =>
      validate(Object.fromEntries(names.map((name) => [name, firstValue(query, name)])), schema, "The query"),
  };
};

/** What the rights of a caller are checked for. */
interface Asked<Path extends string> {
  params: ParamsOf<Path>;
  message: Message;
}

/** What an operation runs with, after the checks. */
export interface CheckedInput<Path extends string, Subject, Values, Value> {
  params: ParamsOf<Path>;
  /** What `may` has returned. */
  subject: Subject;
  query: Values;
  body: Value;
  message: Message;
  local: LocalOptions;
  signal: Input["signal"];
  /** What counts the work of the call. */
  work: Work;
}

/**
 * Defines an operation by its checks, in the order in which they run: `may`, `query`, `body`, and after a body that arrived late `may`
 * again (decision 074).
 */
interface Definition<Caller, Result, Path extends string, Subject, Values, Value> extends Description {
  method: Method | "HEAD";
  /** The path below that of the API, with the parameters in braces, such as `/kv/{key}`. A last `{path}` stands for the rest of a path. */
  path: Path;
  /** Checks the rights of the caller and the path parameters. Throws a `Refusal`, or returns the value that `run` gets as `subject`. */
  may?(caller: Caller, asked: Asked<Path>, env: Env): Subject | Promise<Subject>;
  query?: Parameters<Values>;
  body?: Body<Value, Caller>;
  run(caller: Caller, given: CheckedInput<Path, Subject, Values, Value>, env: Env): Promise<Result>;
}

/** An operation of an API: what a caller can ask of the service. HTTP is one way to ask; a caller in the same process is another. */
export interface Operation<Caller, Result> extends Description {
  /** The operation of GET also answers HEAD, unless there is one of HEAD. */
  method: Method | "HEAD";
  path: string;
  /** Makes the checks of the operation and runs it. Throws a `Refusal` if a check fails. */
  perform(caller: Caller, input: Input, env: Env): Promise<Result>;
}

/** A caller whose access can be checked again. Work is done for `user`. */
export interface Readmittable {
  user: { id: string };
  /** Checks access again. Returns the caller with their current rights, or throws a `Refusal` if they have lost access. */
  readmit(): Promise<this>;
}

/**
 * Returns the function that defines operations for callers of one type.
 *
 * An operation with a body checks access and rights before the body and again after it, because a client could delay the body until it has
 * lost its rights (decision 020). The second check is skipped if the whole body had arrived before the first check or arrived in the same
 * turn of the event loop, unless receiving it can take long.
 *
 * An operation that is not cheap takes one of the places of its person, once its body is there (decision 146). A caller who has waited for it is checked again.
 */
export const definer =
  <Caller extends Readmittable, Result>() =>
  <const Path extends string, Subject = undefined, Values = Query, Value = undefined>(
    definition: Definition<Caller, Result, Path, Subject, Values, Value>,
  ): Operation<Caller, Result> => {
    const { run, may, ...description } = definition;
    const { query, body, cost } = definition;
    type Checked = CheckedInput<Path, Subject, Values, Value>;

    const checkedInputOf = (
      { params, message, signal, query: given, local = NO_OPTIONS, work }: Input,
      subject: Subject,
      { user }: Caller,
      env: Env,
    ) => ({
      params: params as ParamsOf<Path>,
      subject,
      query: (query === undefined ? given : query.parse(given)) as Values,
      body: undefined as Value,
      message,
      local,
      signal,
      work: work ?? new Work(user.id, signal, env),
    });

    const subjectOf = (caller: Caller, input: Input, env: Env): Subject | Promise<Subject> =>
      may === undefined ? (undefined as Subject) : may(caller, input as unknown as Asked<Path>, env);

    /**
     * Calls `call` once the caller has a place, if the operation needs one, and behind other calls of theirs, a turn that other work has not used.
     * `hasWaited`: the caller has to be checked again.
     */
    function inPlace(
      { user: { id } }: Caller,
      { work, signal }: Input,
      { calls, turns }: Env,
      call: (hasWaited: boolean) => Promise<Result>,
    ): Promise<Result> {
      if (cost === "cheap" || work !== undefined) return call(false);
      const [isFree, isOnly] = [calls.hasPlace(id), calls.isIdle(id)];
      const inTurn = async () => {
        const turn = isOnly ? undefined : turns.give(id, signal);
        await turn;
        return call(!isFree || turn !== undefined);
      };
      return calls.run(id, inTurn, isFree ? undefined : signal());
    }

    /** Is no async function, because a second promise for each read of a key can be measured (decision 074). */
    function performWithoutBody(caller: Caller, input: Input, env: Env): Promise<Result> {
      try {
        const subject = subjectOf(caller, input, env);
        return subject instanceof Promise
          ? subject.then((found) => run(caller, checkedInputOf(input, found, caller, env), env))
          : run(caller, checkedInputOf(input, subject, caller, env), env);
      } catch (error) {
        return Promise.reject(error);
      }
    }

    /** A large body of work that arrives late counts until the call is over, so that those of one person do not fill the memory. */
    function performWithBody(
      specified: Body<Value, Caller>,
      caller: Caller,
      input: Input,
      env: Env,
    ): Promise<Result> {
      const { body: given, work, signal } = input;
      const isHeld = cost !== "cheap" && work === undefined && !("value" in given) && isLate(given);
      const perform = () => receiveAndRun(specified, caller, input, env);
      return isHeld ? env.lateBodies.run(caller.user.id, perform, signal()) : perform();
    }

    async function receiveAndRun(
      { receive, slow }: Body<Value, Caller>,
      caller: Caller,
      input: Input,
      env: Env,
    ): Promise<Result> {
      const given = input.body;
      const complete = "value" in given || given.complete;
      const turn = env.turns.current;
      const subject = subjectOf(caller, input, env);
      const checked: Checked = checkedInputOf(
        input,
        subject instanceof Promise ? await subject : subject,
        caller,
        env,
      );
      const { params, query: asked, signal } = input;
      return await receive(given, { caller, params, query: asked, signal }, env, (parse) =>
        inPlace(caller, input, env, async (hasWaited) => {
          if (!hasWaited && ((complete && slow !== true) || env.turns.current === turn)) {
            checked.body = parse();
            return run(caller, checked, env);
          }
          const current = await caller.readmit();
          checked.subject = await subjectOf(current, input, env);
          checked.body = parse();
          return run(current, checked, env);
        }),
      );
    }

    return {
      ...description,
      perform(caller, input, env) {
        if (body !== undefined) return performWithBody(body, caller, input, env);
        if (cost === "cheap") return performWithoutBody(caller, input, env);
        return inPlace(caller, input, env, async (hasWaited) =>
          performWithoutBody(hasWaited ? await caller.readmit() : caller, input, env),
        );
      },
    };
  };
