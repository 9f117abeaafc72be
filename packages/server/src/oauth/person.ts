import type { FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { findCanvas } from "../canvases/store.ts";
import type { Env } from "../env.ts";
import { destinationOf } from "../http/fetch-metadata.ts";
import { refuse } from "../http/refusal.ts";
import { identify } from "../identity/identify.ts";
import { challenge } from "../sign-in/challenge.ts";

/**
 * Returns the person who sent a request, by their session or the assertion of a proxy; access tokens do not count. Sends a browser that
 * requests a page to the sign-in if nobody is signed in. Throws 403 `PERMISSION_DENIED` for a guest, and for a request that does not load a
 * page in a tab. In path mode, the pages of canvases have the origin of the service, so their scripts could otherwise read a question and
 * answer it.
 */
export async function requirePerson(
  request: FastifyRequest,
  reply: FastifyReply,
  expects: "api" | "page",
  env: Env,
): Promise<User> {
  if (!["document", "unknown"].includes(destinationOf(request.headers)))
    refuse("PERMISSION_DENIED", { message: "This page can only be opened in a tab." });
  const { user } = await identify(request.raw, reply, env);
  if (user === null) return challenge(request.raw, expects, env);
  if (user.guestOf !== null)
    refuse("PERMISSION_DENIED", { message: "Guests of a canvas cannot let a program act for them." });
  return user;
}

/**
 * Returns the title of the only canvas of the requested access, or null if the access is not limited to one. Throws 404 `NOT_FOUND` if the
 * person has no role on the canvas.
 */
export async function titleOfAsked(canvasId: string | null, user: User, env: Env): Promise<string | null> {
  if (canvasId === null) return null;
  const canvas = await findCanvas(canvasId, user, env);
  return (
    canvas?.title ??
    refuse("NOT_FOUND", { message: "You have no canvas of the kind that the program asks for." })
  );
}
