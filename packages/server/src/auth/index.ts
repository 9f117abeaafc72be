import type { IncomingMessage } from "node:http";
import type { Env } from "../env.ts";
import type { Person } from "./people.ts";
import { proxyPerson } from "./proxy.ts";
import { sessionPerson, sessionToken } from "./session.ts";

type Identify = (request: IncomingMessage, env: Env) => Promise<Person | null>;

const bySession: Identify = (request, env) => {
  const token = sessionToken(request.headers.cookie, env.base.secure);
  return token === undefined ? Promise.resolve(null) : sessionPerson(token, env);
};

const MODES: Record<Env["config"]["authMode"], Identify> = {
  dev: bySession,
  proxy: proxyPerson,
  oidc: bySession,
};

/** Who sent this request, by what the sign-in mode trusts and by nothing else; null for nobody (specification 5). */
export const identify: Identify = (request, env) => MODES[env.config.authMode](request, env);

/** Whether someone is an administrator of this instance. It never gives a role on a canvas. */
export const isAdmin = (person: Person, env: Env): boolean => env.config.adminEmails.includes(person.email);
