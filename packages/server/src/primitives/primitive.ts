import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Capability } from "@easel/protocol/capabilities";
import type { Env } from "../env.ts";
import type { Method } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import type { Admitted } from "../pipeline/visit.ts";

/** An admitted request on its way to a handler. */
export interface Call extends Admitted {
  /** Path parameters, decoded once. */
  params: Record<string, string>;
  query: Query;
  /** The request whose body is still to be read. */
  request: IncomingMessage;
  /** Checks access again; answers the call as it stands now, or refuses as the pipeline does. */
  readmit(): Promise<Call>;
}

/** JSON text, whole or as it is read, or with a status of its own. */
export type Answer = string | Readable | { status: number; body: string };

/** Answers with 200 unless it says otherwise; throws a Refusal to say no. */
export type Handler = (call: Call, env: Env) => Promise<Answer>;

/** One capability's part of the runtime API: paths below `/v1/c/{slug}`, each with its methods. */
export interface Primitive {
  capability: Capability;
  routes: Record<string, Partial<Record<Method, Handler>>>;
}
