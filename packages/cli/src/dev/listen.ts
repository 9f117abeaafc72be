import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { fail } from "../exit.ts";

/** The port that is tried first, and the number of further ports that are tried if it is in use. */
const FIRST_PORT = 4321;
const TRIED_PORTS = 20;

/** Listens on `port`, or on the first free port from `FIRST_PORT` on. Returns the port. Throws a `Failure` if no port can be used. */
export async function listen(server: Server, host: string, port: number | undefined): Promise<number> {
  for (let tried = port ?? FIRST_PORT; ; tried++) {
    try {
      server.listen(tried, host);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE") fail(`Port ${tried} cannot be used: ${message}.`);
      if (port !== undefined)
        fail(`Port ${tried} is in use.`, {
          hint: "Give another one with --port, or leave out --port to take a free one.",
        });
      if (tried >= FIRST_PORT + TRIED_PORTS)
        fail(`The ports ${FIRST_PORT} to ${tried} are in use.`, { hint: "Give one with --port." });
    }
  }
}
