/** The access that the command line requests, as OAuth parameters. `host` is the name of this computer. */
export interface AskedAccess extends Record<string, string> {
  host: string;
  scope: string;
}

/** The token that the service issues. `expires_in` is in seconds; it is undefined for a token that does not expire. */
export interface TokenResponse {
  access_token: string;
  expires_in?: number | undefined;
}
