import type { Env } from "../env.ts";
import { acceptsTokens } from "../identity/tokens.ts";

const inDevMode = (base: string) => `In dev mode, this creates one:

\`\`\`sh
curl -sS -c cookies -H 'content-type: application/json' -d '{"email":"dev@example.com"}' ${base}/auth/dev/session
export EASEL_TOKEN=$(curl -sS -b cookies -H 'content-type: application/json' -d '{"name":"agent"}' ${base}/api/tokens | jq -r .token)
\`\`\`
`;

const signedIn = (base: string) =>
  `Only they can create one, while signed in: they open ${base}/tokens, choose what the token can do, and copy it. Ask them for one.`;

/** Tells how a person gets an access token of this service, which depends on its sign-in mode. */
export function howToGetToken({ base, config }: Env): string {
  if (config.authMode === "dev") return inDevMode(base.origin);
  if (!acceptsTokens(config))
    return "This service accepts no access tokens, because its proxy signs every request: ask the person how programs reach it.";
  return signedIn(base.origin);
}
