import { redirectKind } from "../access/redirect-uri.ts";
import type { SettingType } from "./setting-types.ts";

/** A client that the operator has configured. */
export interface ConfiguredClient {
  clientId: string;
  name: string;
  redirectUris: string[];
}

/** The clients that the operator allows besides the command line. */
export interface OAuthClients {
  /** The hosts, with a port unless it is 443, whose documents of clients are accepted. If there is none, those of every host are. */
  hosts: string[];
  /** Redirect URIs with the scheme of an application, to which every client may return. */
  applications: string[];
  clients: ConfiguredClient[];
}

const CLIENT_ID = /^[A-Za-z0-9._-]{1,100}$/;
const NAME = /^(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u;
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[1-9]\d{0,4})?$/i;

const isApplication = (given: string): boolean => redirectKind(given) === "private";

function readHost(given: string): string {
  const url = HOST.test(given) ? URL.parse(`https://${given}`) : null;
  if (url === null)
    throw new RangeError(
      `\`${given}\` is no host such as \`claude.ai\`, and no address of an application such as \`acme://oauth/callback\``,
    );
  return url.host;
}

function readClient(given: unknown): ConfiguredClient {
  const { clientId, name, redirectUris, ...others } = (given ?? {}) as Partial<Record<string, unknown>>;
  if (typeof clientId !== "string" || !CLIENT_ID.test(clientId) || clientId === "easel-cli")
    throw new RangeError(
      "a `clientId` has 1 to 100 letters, digits, `-`, `.` or `_`, and is not `easel-cli`",
    );
  if (typeof name !== "string" || !NAME.test(name))
    throw new RangeError(`the \`name\` of \`${clientId}\` has 1 to 60 printable characters`);
  if (!Array.isArray(redirectUris) || redirectUris.length === 0)
    throw new RangeError(`\`${clientId}\` needs \`redirectUris\``);
  const bad = redirectUris.find((uri) => typeof uri !== "string" || redirectKind(uri) === null);
  if (bad !== undefined)
    throw new RangeError(
      `\`${bad}\` of \`${clientId}\` is no redirect URI: it is https, http to \`localhost\`, \`127.0.0.1\` or \`[::1]\`, or the scheme of an application`,
    );
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new RangeError(`\`${clientId}\` has an unknown field \`${unknown}\``);
  return { clientId, name: name.trim(), redirectUris };
}

/** The setting SERVICE_OAUTH_CLIENTS. */
export const oauthClients: SettingType<OAuthClients> = {
  may: 'JSON: an array of hosts such as `"claude.ai"`, of addresses of applications such as `"acme://oauth/callback"`, and of clients `{ "clientId", "name", "redirectUris" }`',
  read(value) {
    const entries: unknown = JSON.parse(value);
    if (!Array.isArray(entries)) throw new RangeError();
    const texts = entries.filter((entry) => typeof entry === "string");
    const applications = texts.filter(isApplication);
    const hosts = texts.filter((text) => !isApplication(text)).map(readHost);
    const clients = entries.filter((entry) => typeof entry !== "string").map(readClient);
    const ids = clients.map(({ clientId }) => clientId);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw new RangeError(`\`${twice}\` is there twice`);
    return { hosts, applications, clients };
  },
};
