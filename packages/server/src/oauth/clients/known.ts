/** A client that publishes a document, and what its document says. */
interface KnownClient {
  /** The address of the document. */
  id: string;
  name: string;
  redirectUris: readonly string[];
}

const LOCAL_CALLBACKS = ["http://127.0.0.1/callback", "http://localhost/callback"];

/**
 * Clients whose documents need not be fetched: networks without internet access cannot, and some servers refuse requests from data centers. As
 * their documents were in autumn 2026; a document that can be fetched counts instead.
 */
const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    id: "https://claude.ai/oauth/claude-code-client-metadata",
    name: "Claude Code",
    redirectUris: LOCAL_CALLBACKS,
  },
  {
    id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    name: "Claude",
    redirectUris: ["https://claude.ai/api/mcp/auth_callback"],
  },
  {
    id: "https://chatgpt.com/oauth/client.json",
    name: "ChatGPT",
    redirectUris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
  },
  {
    id: "https://chatgpt.com/oauth/codex/client.json",
    name: "Codex",
    redirectUris: LOCAL_CALLBACKS,
  },
  {
    id: "https://vscode.dev/oauth/client-metadata.json",
    name: "Visual Studio Code",
    redirectUris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
  },
  {
    id: "https://opencode.ai/oauth/opencode/client.json",
    name: "opencode",
    redirectUris: LOCAL_CALLBACKS,
  },
  {
    id: "https://zed.dev/oauth/client-metadata.json",
    name: "Zed",
    redirectUris: ["http://127.0.0.1/callback"],
  },
  {
    id: "https://cursor.com/oauth/mcp-client.json",
    name: "Cursor",
    redirectUris: [
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "https://www.cursor.com/bot/mcp/oauth/callback",
      "http://localhost:8787/callback",
      "http://127.0.0.1:8787/callback",
    ],
  },
];

/** Returns the known client with an id, or undefined. */
export const knownClient = (id: string): KnownClient | undefined =>
  KNOWN_CLIENTS.find((each) => each.id === id);

/**
 * The fixed addresses at web servers to which known clients return, also if they register themselves: some do so at services that they do not
 * know. Only the maker of the client receives the code there.
 */
export const KNOWN_CALLBACKS: readonly string[] = KNOWN_CLIENTS.flatMap(({ redirectUris }) =>
  redirectUris.filter((uri) => uri.startsWith("https:")),
);

/** An application to which clients return by its URI scheme: its addresses have this authority and a path that matches. */
interface KnownApplication {
  schemes: readonly string[];
  authority: string;
  path: RegExp;
}

/** Visual Studio Code and editors made of it, in which extensions have addresses by their names. */
const EDITORS = ["vscode", "vscode-insiders", "cursor", "windsurf"];

/**
 * The addresses of applications whose schemes are no domains, as they were in autumn 2026. At other addresses the same applications do other
 * things, such as installing an extension.
 */
const KNOWN_APPLICATIONS: readonly KnownApplication[] = [
  { schemes: ["cursor"], authority: "anysphere.cursor-mcp", path: /^\/oauth\/callback$/ },
  { schemes: ["claude"], authority: "claude.ai", path: /^\/mcp-auth-callback\/sdk$/ },
  { schemes: ["warp"], authority: "mcp", path: /^\/oauth2callback$/ },
  { schemes: ["mcpjam"], authority: "oauth", path: /^\/callback$/ },
  // Cline, which adds a hash of the address of the service.
  { schemes: EDITORS, authority: "saoudrizwan.claude-dev", path: /^\/mcp-auth\/callback\/[\w-]{1,64}$/ },
];

/** Whether a redirect URI with the scheme of an application is the one of a known application. */
export function isKnownApplication(uri: string): boolean {
  const { protocol, host, pathname, search } = new URL(uri);
  return KNOWN_APPLICATIONS.some(
    ({ schemes, authority, path }) =>
      schemes.includes(protocol.slice(0, -1)) && host === authority && path.test(pathname) && search === "",
  );
}
