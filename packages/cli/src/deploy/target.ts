import type { Access, Canvas } from "@easel/protocol/types";
import { isSlug } from "@easel/server/canvas-path";
import type { EaselJson } from "@easel/server/easel-json";
import { switchesFor } from "@easel/server/easel-json-changes";
import { isAllowedSlug } from "@easel/server/slugs";
import { isDraft } from "../api/agreement.ts";
import { canvasById, canvasBySlug } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service, serviceAt } from "../api/service.ts";
import { PUBLIC_LINK_LIMIT } from "../canvas/who-may-enter.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import type { FolderCanvas } from "../project/folder-canvas.ts";
import { nameOfFolder } from "../project/folder-name.ts";
import { clean } from "../terminal/clean.ts";

/** Returns who may enter a new canvas: the value of `--access`, or the person's answer. Without a person to ask, only the owner. */
export async function chooseAccess(
  { access, yes = false }: { access?: Access; yes?: boolean },
  { terminal }: Pick<Context, "terminal">,
): Promise<Access> {
  if (access !== undefined) return access;
  if (!terminal.ask.possible || yes) return "private";
  return terminal.ask.choose<Access>({
    message: "Who may enter?",
    flag: "--access private",
    initial: "private",
    choices: [
      { value: "private", label: "Only you", hint: "and the people whom you add with `easel share`" },
      { value: "whole_org", label: "Everyone who can sign in", hint: "and finds it on the home page" },
      {
        value: "public_link",
        label: "Everyone who has the address",
        hint: `without a sign-in. ${PUBLIC_LINK_LIMIT}`,
      },
    ],
  });
}

/**
 * Sets up a new canvas before its first version is published: the capabilities that the page needs, and who may enter. Lists it if everyone
 * who can sign in may enter, unless `listed` is false.
 */
export async function setUp(
  { id }: Canvas,
  { capabilities, listed = true }: EaselJson,
  access: Access,
  { api }: Service,
): Promise<void> {
  const path = { id };
  await api.PATCH("/api/canvases/{id}/capabilities", { params: { path }, body: switchesFor(capabilities) });
  if (access === "private") return;
  try {
    await api.PUT("/api/canvases/{id}/sharing", { params: { path }, body: { access } });
    if (access === "whole_org" && listed)
      await api.PATCH("/api/canvases/{id}", { params: { path }, body: { discoverability: "listed" } });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403) throw error;
    fail(`--access ${access} is refused: ${error.message}`, {
      exit: "denied",
      hint: error.hint ?? "Deploy with --access private; `easel share` with a full token changes it.",
    });
  }
}

/** The time limit for deleting the canvas of a failed first deploy. */
const DISCARD_TIMEOUT_MS = 10_000;

/** Deletes a canvas whose first deploy failed, unless its version was published nevertheless. */
export async function discard(
  { id, slug }: Canvas,
  { url, token }: Service,
  { terminal }: Pick<Context, "terminal">,
): Promise<void> {
  // The signal of the run may already be aborted, so deleting the canvas needs another one.
  const signal = AbortSignal.timeout(DISCARD_TIMEOUT_MS);
  const { api } = serviceAt(url, token, { signal, terminal });
  try {
    const path = { id };
    const canvas = await bodyOf(api.GET("/api/canvases/{id}", { params: { path } }));
    if (isDraft(canvas)) await api.DELETE("/api/canvases/{id}", { params: { path } });
  } catch {
    terminal.warn(
      `The canvas ${slug} was made and could not be removed. It has no version; the next deploy completes it.`,
    );
  }
}

/** The slug that a folder is deployed to, and where it comes from: `--slug`, `easel.json` or the name of the folder. */
export interface Slug {
  slug: string;
  source: "flag" | "easel.json" | "name";
  /** The title of the canvas if the deploy creates it. */
  title: string;
}

const HINT = "Give --slug, with 3 to 63 lower-case letters, digits and inner hyphens.";

/**
 * Returns the slug of a folder's canvas: `flag`, the slug in `easel.json`, or one derived from the folder. Throws a usage error if it is
 * malformed, or if the folder makes none.
 */
export async function slugFor(
  folder: string,
  flag: string | undefined,
  { slug: own, title }: EaselJson,
): Promise<Slug> {
  const named = await nameOfFolder(folder);
  const source = flag !== undefined ? "flag" : own !== undefined ? "easel.json" : "name";
  const slug =
    flag ?? own ?? named.slug ?? fail("The folder's name makes no slug.", { exit: "usage", hint: HINT });
  return isSlug(slug) ? { slug, source, title: title ?? named.title } : failWith(slug);
}

const failWith = (slug: string): never =>
  fail(`The slug \`${clean(slug)}\` is too short, malformed or reserved.`, { exit: "usage", hint: HINT });

/**
 * Returns the canvas that a folder is deployed to. This is the known canvas of the folder, if it still exists and no other slug is given.
 * Otherwise it is the canvas with the slug, or undefined if there is none. Throws a usage error if there is none and the slug is reserved
 * for the service.
 */
export async function findTarget(
  slug: Slug,
  known: FolderCanvas | undefined,
  service: Service,
): Promise<Canvas | undefined> {
  const found = await findCanvas(slug, known, service);
  return found === undefined && !isAllowedSlug(slug.slug) ? failWith(slug.slug) : found;
}

async function findCanvas({ slug, source }: Slug, known: FolderCanvas | undefined, service: Service) {
  // With `--slug`, a canvas that only the folder names does not count, because it may have another slug than the folder says.
  const isOther = known?.slug !== slug || !known.isAgreed;
  if (
    known === undefined ||
    (source === "easel.json" && known.slug !== slug) ||
    (source === "flag" && isOther)
  )
    return canvasBySlug(slug, service);
  try {
    return await canvasById(known.canvasId, service);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return canvasBySlug(slug, service);
    throw error;
  }
}

/** Makes a canvas without a version. Throws a `Failure` with advice if the slug is taken. */
export async function makeCanvas({ slug, title }: Slug, service: Service): Promise<Canvas> {
  try {
    return (await bodyOf(service.api.POST("/api/canvases", { body: { title, slug } }))) as Canvas;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 403)
      return fail(`You have no canvas \`${slug}\`, and may not create one: ${error.message}`, {
        exit: "denied",
        hint: "To deploy to another canvas, give its slug with --slug, or in easel.json.",
      });
    if (error.code !== "SLUG_TAKEN") throw error;
    const isOwn = (await canvasBySlug(slug, service)) !== undefined;
    return fail(
      isOwn
        ? `Another deploy is making \`${slug}\` at this moment.`
        : `The address \`${slug}\` belongs to a canvas of someone else, or once did.`,
      { exit: "conflict", hint: isOwn ? "Try again." : "Give another one with --slug, or in easel.json." },
    );
  }
}
