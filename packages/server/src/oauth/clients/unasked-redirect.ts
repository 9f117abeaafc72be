import type { Env } from "../../env.ts";
import type { Client } from "./oauth-client.ts";
import { isVouched } from "./vouched-redirect.ts";

/**
 * Whether an error may be reported to a redirect URI before a person has answered a question. At one that only a stranger vouches for it may
 * not: everybody could make links to this service that lead to a page of theirs (RFC 9700, section 4.11.2).
 */
export const mayRedirectUnasked = (
  { kind }: Pick<Client, "kind">,
  redirectUri: string,
  env: Pick<Env, "config">,
): boolean => kind === "configured" || isVouched(redirectUri, env);
