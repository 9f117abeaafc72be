/** The fixed addresses at web servers to which known clients return that register themselves. */
export const KNOWN_CALLBACKS: readonly string[] = [
  "https://www.cursor.com/agents/mcp/oauth/callback", // Cursor
];
