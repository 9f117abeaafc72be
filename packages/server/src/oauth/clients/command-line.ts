import { leadsToService, redirectKind } from "../../access/redirect-uri.ts";
import type { Base } from "../../config/addresses.ts";
import type { Client } from "./oauth-client.ts";

/** The client id of the command line. */
export const CLIENT_ID = "easel-cli";

/**
 * Matches the redirect URIs of the command line (RFC 8252, section 7.3). Excludes `localhost`, which could resolve to another computer
 * (decision 045).
 */
const LOOPBACK_URI = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{1,4}\/[\w.~/-]{0,200}$/;

/** Returns the client that is the command line. */
export const commandLine = (base: Base): Client => ({
  id: CLIENT_ID,
  kind: "builtin",
  name: "Easel command line",
  host: null,
  verified: true,
  redirectUris: [],
  matches: (uri) => LOOPBACK_URI.test(uri) && redirectKind(uri) === "loopback" && !leadsToService(uri, base),
});
