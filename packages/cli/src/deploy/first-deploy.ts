import type { Access, Canvas } from "@easel/protocol/types";
import { type EaselJson, switchesFor } from "@easel/server/canvases/publishing/easel-json";
import { isDraft } from "../api/draft.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service, serviceAt } from "../api/service.ts";
import { PUBLIC_LINK_LIMIT } from "../canvas/who-may-enter.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";

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
