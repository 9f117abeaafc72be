import type { TokenScope } from "./account.ts";

/** A connected tool: what a person has allowed one program to do through the tools of `/mcp`. */
export interface AppInfo {
  id: string;
  /**
   * The program. `host` is that of the document that describes it, null if there is none. `verified` is whether the document or the
   * configuration of the service vouches for the program; otherwise the name is what the program calls itself.
   */
  client: { name: string; host: string | null; verified: boolean };
  /** The host to which the program has sent the person back; null if there is none. */
  redirectHost: string | null;
  /** Whether it is an access token that the person has created; `client.name` is then the name of the token. */
  isToken: boolean;
  scope: TokenScope;
  /** The only canvas that it may use; null for all. `title` and `slug` are as those of an access token. */
  canvas: { id: string; title: string | null; slug: string | null } | null;
  /** Whether it may use only canvases that it has made itself. */
  ownOnly: boolean;
  /** Whether the person is asked before a canvas is opened to more people or deleted. */
  confirms: boolean;
  createdAt: number;
  usedAt: number | null;
  expiresAt: number | null;
}

/** Connected tools, newest first. Those that have expired are left out. */
export interface AppList {
  apps: AppInfo[];
  nextCursor: string | null;
}

/** The response of `GET /api/apps`. */
export interface OwnAppList extends AppList {
  /** The address to which tools connect; null if the service accepts no access tokens. */
  url: string | null;
}

/** A program of which people have connected tools. */
export interface ClientInUse {
  id: string;
  name: string;
  host: string | null;
  verified: boolean;
  /** The number of people who have connected it. */
  people: number;
  /** The number of connected tools, of which one person can have several. */
  tools: number;
  /** When one of them was last used; null if none ever was. */
  usedAt: number | null;
}

/** The access tokens for AI tools that people have created themselves. */
export type TokensInUse = Pick<ClientInUse, "people" | "tools" | "usedAt">;

/** The response of `GET /api/admin/apps`, by the ids of the programs. */
export interface ClientList {
  clients: ClientInUse[];
  tokens: TokensInUse;
  nextCursor: string | null;
}

/** How many connected tools have ended. */
export interface EndedApps {
  ended: number;
}

/** What a connected tool may do, in words: each scope adds to the one below it. */
export const TOOL_RIGHTS: Record<TokenScope, { label: string; explanation: string }> = {
  full: { label: "Everything", explanation: "Also shares and deletes canvases, and changes their data." },
  deploy: {
    label: "Make and change",
    explanation: "Also makes canvases, publishes versions and changes settings.",
  },
  read: {
    label: "Look",
    explanation: "Reads canvases, their files and their data, and changes nothing.",
  },
};
