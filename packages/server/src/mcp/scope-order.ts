import type { TokenScope } from "@easel/protocol/management";

const RANK: Record<TokenScope, number> = { read: 0, deploy: 1, full: 2 };

/** Whether a connected tool with the scope `granted` may do what needs `needed`. For connected tools, each scope includes those below it. */
export const includesScope = (granted: TokenScope, needed: TokenScope): boolean =>
  RANK[granted] >= RANK[needed];
