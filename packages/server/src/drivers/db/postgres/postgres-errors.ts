import connect from "postgres";
import { isHandshakeError } from "./postgres-options.ts";

/**
 * Matches the error codes of a connection that was lost or could not be made: codes of the `postgres` package, of the system, and of
 * PostgreSQL (class 08, shutdown, start-up).
 */
const LOST = /^(CONNECT\w+|E(?!RR_)[A-Z_]+|08\w{3}|57P0[123])$/;

/**
 * Matches the error codes of a server that responds but cannot run queries: out of resources, read-only after a failover, access denied.
 */
const DENIED = /^(53\w{3}|25006|28\w{3}|3D000)$/;

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** Whether an error says that the connection was lost or could not be made. */
export const isLost = (error: unknown): boolean => LOST.test(codeOf(error)) || isHandshakeError(error);

/** Whether an error says that the server responds, but cannot run queries. */
export const isDenied = (error: unknown): boolean => DENIED.test(codeOf(error));

/** Whether the server has refused a statement and undone all that it did, so that the same connection can run others. */
export const isRefusal = (error: unknown): error is connect.PostgresError =>
  error instanceof connect.PostgresError && !isLost(error) && !isDenied(error);

/** The error codes of a serialization failure and a deadlock. The server has rolled the transaction back, so it can be retried. */
const RETRYABLE = new Set(["40001", "40P01"]);

/** The maximum number of times that a write is tried. */
const MAX_TRIES = 5;

/** Runs a statement or a batch, each a transaction of its own, and retries it after a retryable error. */
export async function retried<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (tries === MAX_TRIES || !RETRYABLE.has(codeOf(error))) throw error;
    }
  }
}
