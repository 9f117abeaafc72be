import { afterEach } from "node:test";
import type { Header } from "../http.ts";
import type { Person, Target } from "../target.ts";
import { connect, type Socket } from "./socket.ts";

/** Opens the realtime connection of a canvas page. */
export type Dial = (canvas: { slug: string }, person: Person, headers?: Header[]) => Promise<Socket>;

/** Returns a function that opens realtime connections. A test hook closes these connections: `hook`, by default `afterEach`. */
export function line(target: Target, hook = afterEach): Dial {
  const opened: Socket[] = [];
  hook(async () => {
    await Promise.all(opened.splice(0).map((socket) => socket.close()));
  });
  return async ({ slug }, person, headers) => {
    const socket = await connect(target, slug, person, headers);
    opened.push(socket);
    return socket;
  };
}
