import type { Env } from "../env.ts";
import type { Answer, Call, Handler } from "./primitive.ts";

/** The parts of a handler that takes a body. */
interface Parts<Subject, Body> {
  /** Checks the caller's rights and the parameters; answers what the rest needs to know. */
  may(call: Call, env: Env): Subject | Promise<Subject>;
  read(call: Call): Promise<Body>;
  run(call: Call, subject: Subject, body: Body, env: Env): Promise<Answer>;
}

/**
 * A handler that takes a body. A client can hold a body back while it loses its rights: unless the body arrived with the head, access
 * and rights are checked again after it, in the turn of the event loop in which `run` begins.
 */
export const withBody =
  <Subject, Body>({ may, read, run }: Parts<Subject, Body>): Handler =>
  async (call, env) => {
    const subject = await may(call, env);
    const body = await read(call);
    if (call.complete) return run(call, subject, body, env);
    const now = await call.readmit();
    return run(now, await may(now, env), body, env);
  };
