import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { sendStream } from "../pipeline/send-stream.ts";
import type { Act } from "./act.ts";
import type { Call } from "./call.ts";
import { perform } from "./perform.ts";
import type { Download } from "./response-spec.ts";

/** Whether the response of an act is a download. */
export const isDownload = (act: Act): act is Act<Download> => act.response.type !== undefined;

/**
 * Performs an act that returns a download, and sends the download while it is made. A limited number of downloads of a person run at once,
 * and further ones wait. A download ends when its last byte has been made or when its client has gone. Throws 503 `UNAVAILABLE` if too many
 * downloads of the person wait.
 */
export async function sendDownload(
  act: Act<Download>,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const { id } = call.user;
  await env.downloads.run(
    id,
    async () => {
      const { headers, stream } = (await perform(act, call, request.ip, env)).body;
      const closed = new Promise((resolve) => stream.once("close", resolve));
      const type = act.response.type as string;
      sendStream(stream, { headers: { "content-type": type, ...headers } }, id, reply, env);
      await closed;
    },
    call.signal(),
  );
  return reply;
}
