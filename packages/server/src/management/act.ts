import type { ZodType } from "zod";
import type { Env } from "../env.ts";
import { readJson } from "../http/json-body.ts";
import type { Act, Answer, Call } from "./route.ts";

/** The parts of a change to a `Subject`, such as a canvas or a team. */
interface Parts<Subject> {
  /** Checks the caller's rights; answers what is to be changed. */
  may(call: Call, env: Env): Promise<Subject>;
  /** Makes the change. */
  run(call: Call, subject: Subject, env: Env): Promise<Answer>;
}

/** The parts of a change that takes a body. */
interface PartsWithInput<Subject, Input> extends Pick<Parts<Subject>, "may"> {
  /** Reads the body, and does everything else that takes time. */
  input(call: Call, env: Env): Promise<Input>;
  run(call: Call, subject: Subject, input: Input, env: Env): Promise<Answer>;
}

/** A change without a body. `name` is what the audit log calls it. */
export const act = <Subject>(name: string, { may, run }: Parts<Subject>): Act => ({
  act: name,
  perform: async (call, _reauthenticate, env) => run(call, await may(call, env), env),
});

/**
 * A change with a body, which a client can hold back while it loses its rights. So caller and rights are checked twice: before the
 * body is read, and after it, right before the change.
 */
export const actWithInput = <Subject, Input>(
  name: string,
  { may, input, run }: PartsWithInput<Subject, Input>,
): Act => ({
  act: name,
  async perform(call, reauthenticate, env) {
    await may(call, env);
    const given = await input(call, env);
    const now = await reauthenticate();
    return run(now, await may(now, env), given, env);
  },
});

/** The same where the body is JSON of a schema. */
export const actWithJson = <Subject, Body>(
  name: string,
  schema: ZodType<Body>,
  { may, run }: Omit<PartsWithInput<Subject, Body>, "input">,
): Act => actWithInput(name, { may, input: ({ request }) => readJson(request, schema), run });

/** The rights that an act needs which is open to everyone who may call the API. */
export const anyone = async (): Promise<void> => {};
