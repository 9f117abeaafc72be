import type { ListedCanvas } from "@easel/protocol/management";
import type { Canvas } from "@easel/protocol/types";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { remember } from "../project/remembered.ts";
import { clean } from "../terminal/clean.ts";
import { Refusal } from "./refusal.ts";
import { bodyOf, type Service } from "./service.ts";

/** Whether a canvas has never been published. One that was unpublished has no published version either, but it is no draft. */
export const isDraft = ({ version, revokedAt }: Pick<Canvas, "version" | "revokedAt">): boolean =>
  version === null && revokedAt === null;

/** Returns the id of the only canvas that the token of a service is for. Returns undefined for a token for every canvas. */
async function canvasOfToken({ api }: Service): Promise<string | undefined> {
  try {
    return (await bodyOf(api.GET("/api/token"))).canvas?.id;
  } catch (error) {
    // Older services have no `/api/token`.
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

/** A canvas that a folder names. `deletedAt` is only defined for a deleted one. */
type Claimed = Pick<ListedCanvas, "id" | "slug" | "title" | "viewerRole" | "version" | "revokedAt"> & {
  deletedAt?: number | undefined;
};

function stateOf(canvas: Claimed): string {
  if (canvas.deletedAt !== undefined) return "is deleted";
  if (isDraft(canvas)) return "has no version";
  return canvas.version === null ? "is unpublished" : "is published";
}

/** What a command does with a canvas, as a question, and the flag by which the person names the canvas. */
export interface Purpose {
  question: string;
  flag: string;
  /** Whether `--yes` is given: nothing is asked, and it names no canvas. */
  yes?: boolean | undefined;
  /** Whether the command goes on with `--force`. */
  canForce?: boolean;
}

/**
 * Makes sure that the person means a canvas that only the folder names, by `.easel/project.json`, by the slug in `easel.json` or by its own
 * name: the folder may be a clone of a repository of somebody else. Asks once, and remembers the answer. A token for this canvas alone
 * needs no question. Throws a `Failure` if the answer is no, and a conflict if nobody can be asked.
 */
export async function requireAgreement(
  folder: string,
  claimed: Claimed,
  { question, flag, yes = false, canForce = false }: Purpose,
  service: Service,
  context: Context,
): Promise<void> {
  const { id, slug, title, viewerRole } = claimed;
  if ((await canvasOfToken(service)) === id) return;
  const { ask } = context.terminal;
  const name = clean(slug);
  const rights = viewerRole === "owner" ? "which you own" : "which is shared with you";
  const claim = `This folder says that it belongs to \`${name}\` (“${clean(title)}”), ${rights} and which ${stateOf(claimed)}. It was not used from here before.`;
  const hint = `Give ${flag} ${name}${canForce ? " or --force" : ""} if you mean this canvas, or ${flag} for another one.`;
  if (yes || !ask.possible) fail(claim, { exit: "conflict", hint });
  const isMeant = await ask.confirm({ message: `${claim} ${question}`, flag: `${flag} ${name}` });
  if (!isMeant) fail("Nothing was changed.", { hint: `Give ${flag} for another canvas.` });
  await remember(folder, service.url, { canvasId: id, slug }, context);
}
