import { requireEncryption } from "../api/encryption.ts";
import { send } from "../api/send.ts";
import type { Context } from "../context.ts";

/** Revokes a token at its service (RFC 7009). Throws a `Failure` if the service refuses, cannot be reached or is not encrypted. */
export async function revokeToken(url: string, token: string, { signal, terminal }: Context): Promise<void> {
  requireEncryption(url);
  const body = new URLSearchParams({ client_id: "easel-cli", token });
  const create = () => new Request(`${url}/oauth/revoke`, { method: "POST", body });
  await send(create, { url, token: undefined, signal, terminal, wasReached: false });
}
