import type { Env } from "../env.ts";
import type { Answer, Call, Handler } from "./primitive.ts";

/** The steps of a handler that reads a request body. */
interface Parts<Subject> {
  /** Checks the caller's rights and the parameters. Returns the value that `run` receives as `subject`, for example the key to write. */
  may(call: Call, env: Env): Subject | Promise<Subject>;
  /** Reads the body. */
  read(call: Call, env: Env): Promise<Buffer>;
  run(call: Call, subject: Subject, body: Buffer, env: Env): Promise<Answer>;
}

/**
 * Builds a handler that reads a request body. Access and rights are checked before the body and again after it, because a client could
 * delay the body until it has lost its rights (decision 020). The second check is skipped if the whole body arrived before the first check
 * or in the same turn of the event loop.
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
