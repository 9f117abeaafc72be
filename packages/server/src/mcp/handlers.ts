import type { Env } from "../env.ts";
import { answerQuestion, askPerson } from "./confirmation/confirm.ts";
import type { Handlers } from "./handler.ts";
import { serveTools } from "./serve-tools.ts";
import { receiveUpload } from "./upload/receive.ts";

/** Returns the handlers of the paths of the tools. */
export const handlersOf = (env: Env): Handlers => ({
  serve: serveTools(env),
  upload: receiveUpload(env),
  ask: askPerson(env),
  answer: answerQuestion(env),
});
