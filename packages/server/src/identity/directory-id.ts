import type { Config } from "../config/config.ts";

/** The maximum length of an id of the directory, in characters. */
export const MAX_DIRECTORY_ID = 500;

/** Returns the id of the person in the directory (`externalId` of SCIM) from the claims of a sign-in. Null without the setting or the claim. */
export function directoryIdIn(
  claims: Readonly<Record<string, unknown>>,
  { scimIdClaim }: Pick<Config, "scimIdClaim">,
): string | null {
  const id = scimIdClaim === null ? undefined : claims[scimIdClaim];
  return typeof id === "string" && id !== "" && id.length <= MAX_DIRECTORY_ID ? id : null;
}
