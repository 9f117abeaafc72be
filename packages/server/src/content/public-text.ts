import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { encodedText } from "./encoded-text.ts";

/** A text that the service generates and that is the same for everyone, such as a schema. */
interface PublicText {
  path: string;
  /** The media type. */
  type: string;
  /** Further response headers. The default is a CORS header that allows pages of all origins to read the text. */
  headers?: Record<string, string>;
  print(env: Env): string | Promise<string>;
}

const READABLE_EVERYWHERE = { "access-control-allow-origin": "*" };

/** Mounts a text at its path, without sign-in. It is printed at the first request, because the base URL is final only then. */
export function mountPublicText(
  app: FastifyInstance,
  env: Env,
  { path, type, headers = READABLE_EVERYWHERE, print }: PublicText,
): void {
  const send = encodedText(type, async () => print(env));
  app.get(path, (request, reply) => send(request, reply.headers(headers)));
}
