import type { TransactionSql } from "postgres";
import { type Client, clientsOf } from "./postgres-client.ts";
import { explainedHandshake, serverOptions } from "./postgres-options.ts";

const CONNECT_MS = 10_000;

/** Calls `work` with a client of one connection without timeouts. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const server = serverOptions(url);
  const client = clientsOf(server, CONNECT_MS)(1, { settings: { statement_timeout: "0" } });
  try {
    return await work(client);
  } catch (error) {
    throw explainedHandshake(error, server);
  } finally {
    await client.end({ timeout: 0 });
  }
}

/** Returns the version of the server as a number, such as 150018, and the schema in which tables are made. */
export const versionOf = async (client: Client | TransactionSql) => {
  const [row] = await client.unsafe(
    "select current_setting('server_version_num') as version, current_schema() as schema",
  );
  return { version: Number(row?.version), schema: String(row?.schema) };
};
