import type { Env } from "../../src/env.ts";

/** The context of a running service, of which tests may replace parts, such as the clock. The service itself never does. */
export type TestEnv = { -readonly [Part in keyof Env]: Env[Part] };
