import type { Env } from "../env.ts";
import { acceptsTokens } from "../identity/tokens.ts";

const inDevMode = (base: string) => `In dev mode, this creates one:

\`\`\`sh
curl -sS -c cookies -H 'content-type: application/json' -d '{"email":"dev@example.com"}' ${base}/auth/dev/session
export EASEL_TOKEN=$(curl -sS -b cookies -H 'content-type: application/json' -d '{"name":"agent"}' ${base}/api/tokens | jq -r .token)
\`\`\`
`;

const signedIn = (base: string) =>
  `Only they can give you one: they open ${base}/tokens, choose what the token can do, and copy it. Or begin a sign-in, and tell them
the address and the code:

\`\`\`sh
STARTED=$(curl -sS -d 'client_id=easel-cli&host=agent' ${base}/oauth/device_authorization)
echo "$STARTED" | jq -r '"Open \\(.verification_uri) and enter \\(.user_code)"'
\`\`\`

After they have agreed, this fetches the token. Before, it is \`null\`: ask again every five seconds.

\`\`\`sh
GRANT="client_id=easel-cli&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=$(echo "$STARTED" | jq -r .device_code)"
export EASEL_TOKEN=$(curl -sS -d "$GRANT" ${base}/oauth/token | jq -r .access_token)
\`\`\`
`;

/** Tells how a person gets an access token of this service, which depends on its sign-in mode. */
export function howToGetToken({ base, config }: Env): string {
  if (config.authMode === "dev") return inDevMode(base.origin);
  if (!acceptsTokens(config))
    return "This service accepts no access tokens, because its proxy signs every request: ask the person how programs reach it.";
  return signedIn(base.origin);
}
