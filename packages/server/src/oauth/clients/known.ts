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
