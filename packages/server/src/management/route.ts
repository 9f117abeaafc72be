import type { IncomingMessage } from "node:http";
import type { Person } from "../auth/people.ts";
import type { Env } from "../env.ts";
import type { Method } from "../kit/methods.ts";
import type { Query } from "../kit/page.ts";

/** A request of someone signed in, on its way to a handler. */
export interface Call {
  person: Person;
  params: Record<string, string>;
  query: Query;
  /** The request whose body is still to be read. */
  request: IncomingMessage;
}

/** What is answered: a status and a JSON body, or none. */
export interface Answer {
  status: number;
  body?: unknown;
}

export type Handler = (call: Call, env: Env) => Promise<Answer>;

/** Paths below `/api`, each with its methods. */
export type Routes = Record<string, Partial<Record<Method, Handler>>>;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
