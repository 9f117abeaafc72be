import { type AddressInfo, Socket } from "node:net";
import { type Config, isLoopback } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";

/** The file descriptor of the first socket that systemd gives a service (sd_listen_fds(3)). */
export const GIVEN_SOCKET = 3;

/**
 * Returns the file descriptor of the socket that systemd has given this process, or undefined if there is none. Removes the variables that say
 * so, because they are not for the processes that this one starts. Throws a `SetupError` for several sockets.
 */
export function takeSocket(environment: Record<string, string | undefined>): number | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: sockets = "0" } = environment;
  for (const name of ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]) delete environment[name];
  if (pid !== String(process.pid) || sockets === "0") return undefined;
  if (sockets === "1") return GIVEN_SOCKET;
  throw new SetupError(
    `The socket unit gives the service ${sockets} sockets (LISTEN_FDS), and it serves at one: keep one ListenStream.`,
  );
}

/**
 * Returns the port of a socket that listens or will. Connections wait in its queue until the service accepts them. Throws a `SetupError` if it is no
 * TCP socket, or if others could reach it in dev mode.
 */
export function portOfSocket(
  fd: number,
  { authMode }: Pick<Config, "authMode">,
  addressOf: (fd: number) => Partial<AddressInfo> = askAddress,
): number {
  const { address, port } = addressOf(fd);
  if (port === undefined)
    throw new SetupError(
      "The socket unit gives the service something else than a TCP socket: use an address with a port, such as ListenStream=127.0.0.1:3000.",
    );
  if (authMode === "dev" && !isLoopback(address ?? ""))
    throw new SetupError(
      `The socket unit listens at ${address}, which must be a loopback address in dev mode, where anyone may sign in as anyone: use ListenStream=127.0.0.1:${port}, or set SERVICE_AUTH_MODE.`,
    );
  return port;
}

/** Returns the address of a socket; an empty object if it has none, or is none. */
function askAddress(fd: number): Partial<AddressInfo> {
  try {
    // Only asks for the address. It is never closed, which would close the socket.
    return new Socket({ fd, readable: false, writable: false, manualStart: true } as object).address();
  } catch {
    return {};
  }
}
