import type { TokenScope } from "@easel/protocol/management";
import type { Client } from "../clients/oauth-client.ts";
import type { WayBack } from "../way-back.ts";

/** An authorization request of a program that wants to be connected, which has been checked. */
export interface AppRequest extends WayBack {
  client: Pick<Client, "id" | "kind" | "name" | "host" | "verified">;
  /** The PKCE code challenge. */
  challenge: string;
  /** The highest scope that the program asks for. The person can allow less. */
  scope: TokenScope;
}
