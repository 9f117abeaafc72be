/** The access that the command line asks for, as parameters of OAuth. */
export interface AskedAccess extends Record<string, string> {
  host: string;
  scope: string;
}

/** The token that the service gives. `expires_in` is in seconds. */
export interface TokenResponse {
  access_token: string;
  expires_in?: number | undefined;
}
