import type { TokenScope } from "@easel/protocol/management";
import type { Client } from "../clients/oauth-client.ts";

/** An authorization request of a program that wants to be connected, which has been checked. */
export interface AppRequest {
  client: Pick<Client, "id" | "kind" | "name" | "host" | "verified">;
  redirectUri: string;
  /** The PKCE code challenge. */
  challenge: string;
  state: string | null;
  /** The highest scope that the program asks for. The person can allow less. */
  scope: TokenScope;
}
