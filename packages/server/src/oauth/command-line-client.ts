import { refuseOAuth } from "./oauth-error.ts";

/** The client id of the command line, the only client of the service. It is a public client, so it has no secret (RFC 6749, section 2.1). */
export const CLIENT_ID = "easel-cli";

/** Throws the error `invalid_client` unless a form has the client id of the command line. */
export function requireClient(form: ReadonlyMap<string, string>): void {
  if (form.get("client_id") !== CLIENT_ID) refuseOAuth("invalid_client", "`client_id` is unknown.");
}
