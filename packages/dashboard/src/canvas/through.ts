import { isolated } from "../kit/words.ts";

/** Returns `, through Claude Code (deploy_canvas),` for what a person did through a program, after their name; otherwise nothing. */
export const throughOf = (via: { client: string | null; tool: string } | null): string =>
  via === null
    ? ""
    : `, through ${via.client === null ? "a program" : isolated(via.client)} (${isolated(via.tool)}),`;
