import type { Env } from "../env.ts";
import type { Answer, Call, Handler } from "./primitive.ts";

/** The steps of a handler that takes a body. */
interface Parts<Subject> {
  /** Checks the caller's rights and the parameters. Returns what `run` needs of them. */
  may(call: Call, env: Env): Subject | Promise<Subject>;
  /** Reads the body. */
  read(call: Call, env: Env): Promise<Buffer>;
  run(call: Call, subject: Subject, body: Buffer, env: Env): Promise<Answer>;
}

/**
 * Builds a handler that takes a body. A client could delay its body until it has lost its rights, so access and rights are checked again
 * after the body, in the turn of the event loop in which `run` starts. The second check is skipped if the body arrived before the first one
 * or in the same turn.
 */
export const withBody =
  <Subject>({ may, read, run }: Parts<Subject>): Handler =>
  async (call, env) => {
    const { complete } = call.request;
    const turn = env.turns.current;
    const checked = may(call, env);
    const subject = checked instanceof Promise ? await checked : checked;
    const body = await read(call, env);
    if (complete || env.turns.current === turn) return await run(call, subject, body, env);
    const now = await call.readmit();
    return await run(now, await may(now, env), body, env);
  };
