import type { IncomingMessage } from "node:http";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { Method } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { bearerToken } from "../identity/tokens.ts";

/** A request of someone signed in, on its way to a handler. */
export interface Call {
  user: User;
  params: Record<string, string>;
  query: Query;
  /** The request whose body is still to be read. */
  request: IncomingMessage;
}

/** What is answered: a status and a JSON body, or none; and of a change what the audit log keeps besides. */
export interface Answer {
  status: number;
  body?: unknown;
  audit?: Note;
}

/** What a change was made to. No secrets. */
export interface Note {
  /** Id of the canvas, where the path does not name it as `:id` below `/canvases`. */
  canvas?: string;
  /** Id or address of whatever else was changed. */
  target?: string;
  /** Kept as JSON. */
  details?: object;
}

export type Handler = (call: Call, env: Env) => Promise<Answer>;

/** Authenticates the caller again; answers the call in their name, or refuses as the API does without a session. */
export type Reauthenticate = () => Promise<Call>;

/** A change: what the audit log calls it, and what makes it (act.ts). */
export interface Act {
  act: string;
  perform(call: Call, reauthenticate: Reauthenticate, env: Env): Promise<Answer>;
}

/** Paths below `/api`, each with its methods. What changes something has a name for the audit log. */
export type Routes = Record<string, { GET?: Handler } & Partial<Record<Exclude<Method, "GET">, Act>>>;

/** Refuses a program: what makes or ends other credentials is for people who have signed in. */
export function requireBrowser({ request }: Call): void {
  if (bearerToken(request) === undefined) return;
  refuse("PERMISSION_DENIED", { message: "An access token cannot do this: sign in." });
}

export const ok = (body: unknown, audit: Note = {}): Answer => ({ status: 200, body, audit });
export const created = (body: unknown, audit: Note = {}): Answer => ({ status: 201, body, audit });
export const done = (audit: Note = {}): Answer => ({ status: 204, audit });
