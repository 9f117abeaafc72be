import type { AdminUser } from "@easel/protocol/management";
import { adminCommand, JSON_LINES } from "./admin-command.ts";
import { columns, jsonLine, minute } from "./terminal.ts";

const HEAD = ["ID", "STATE", "ADMIN", "LAST SEEN", "ADDRESS", "NAME"];

export const users = adminCommand({
  options: {
    search: {
      type: "string",
      value: "TEXT",
      meaning: "Only people with this text in their address or name.",
    },
    ...JSON_LINES,
  },
  async run({ shell: { perform }, terminal: { print, note }, text, has }) {
    const [q = "", isJson] = [text("search"), has("json")];
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { q, limit: "1000", ...(cursor !== undefined && { cursor }) };
      const page = await perform("user.list", { query });
      const lines = isJson ? page.users.map(jsonLine) : columns([HEAD, ...page.users.map(rowOf)]);
      // The head is printed once.
      for (const line of isJson || count === 0 ? lines : lines.slice(1)) print(line);
      count += page.users.length;
      cursor = page.nextCursor;
    }
    if (count === 0) note(q === "" ? "Nobody has signed in yet." : "Nobody matches.");
  },
});

const stateOf = ({ erasedAt, deactivatedAt }: AdminUser): string =>
  erasedAt !== null ? "erased" : deactivatedAt === null ? "active" : "deactivated";

const rowOf = (user: AdminUser): string[] => [
  user.id,
  stateOf(user).padEnd("deactivated".length),
  (user.isAdmin ? "yes" : "").padEnd("ADMIN".length),
  (user.lastSeenAt === null ? "" : minute(user.lastSeenAt)).padEnd("2026-01-31 09:05Z".length),
  user.email,
  user.name,
];
