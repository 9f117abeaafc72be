import { isolated } from "../kit/words.ts";

/**
 * Returns `, through Claude Code (deploy_canvas),` for what a person did through a program, after their name; otherwise nothing. Without a
 * tool, it is left out.
 */
export function throughOf(via: { client: string | null; tool?: string } | null): string {
  if (via === null) return "";
  const tool = via.tool === undefined ? "" : ` (${isolated(via.tool)})`;
  return `, through ${via.client === null ? "a program" : isolated(via.client)}${tool},`;
}
