import type { FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { findCanvas } from "../canvases/store.ts";
import type { Env } from "../env.ts";
import { destinationOf } from "../http/fetch-metadata.ts";
import { refuse } from "../http/refusal.ts";
import { identify } from "../identity/identify.ts";
import { challenge } from "../sign-in/challenge.ts";

/**
 * Returns the person who has sent a request, by session or by the assertion of a proxy, and not by a token. Sends a browser that requests a
 * page to the sign-in if there is none. Throws 403 `PERMISSION_DENIED` for a guest, and unless the browser shows the response in a tab: in path
 * mode, scripts of canvases could otherwise read a question and answer it, because their pages have the origin of the service.
 */
export async function requirePerson(
  request: FastifyRequest,
  reply: FastifyReply,
  expects: "api" | "page",
  env: Env,
): Promise<User> {
  if (!["document", "unknown"].includes(destinationOf(request.headers)))
    refuse("PERMISSION_DENIED", { message: "This page can only be opened in a tab." });
  const user = await identify(request.raw, reply, env);
  if (user === null) return challenge(request.raw, expects, env);
  if (user.guestOf !== null)
    refuse("PERMISSION_DENIED", { message: "Guests of a canvas cannot let a program act for them." });
  return user;
}

/** Returns the title of the canvas that an asked access is limited to, or null. Throws 404 if the person has no role on the canvas. */
export async function titleOfAsked(canvasId: string | null, user: User, env: Env): Promise<string | null> {
  if (canvasId === null) return null;
  const canvas = await findCanvas(canvasId, user, env);
  return (
    canvas?.title ??
    refuse("NOT_FOUND", { message: "You have no canvas of the kind that the program asks for." })
  );
}
