import type { Capability } from "@easel/protocol/capabilities";
import type { Canvas } from "@easel/protocol/types";
import type { EaselJson } from "@easel/server/easel-json";
import { capabilitiesOff, changesFor, switchesOn } from "@easel/server/easel-json-changes";
import { Refusal } from "../api/refusal.ts";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";

/**
 * Applies the title, routing, policy, audiences and listing of `easel.json` to a canvas. Settings that the file lacks, and those that the
 * canvas has already, cause no request. Warns of those that the caller may not change. Returns the names of the settings that have changed.
 */
export async function applySettings(
  canvas: Canvas,
  settings: EaselJson,
  { api }: Service,
  { terminal }: Pick<Context, "terminal">,
): Promise<string[]> {
  const params = { path: { id: canvas.id } };
  // A canvas that the deploy has made has the title of `easel.json` already, and a draft that it completes gets it.
  const { page, listing, policy, audiences, ownerOnly } = changesFor(settings, canvas, false);
  const names: string[] = [];
  const warn = (refused: string[], reason: string) =>
    terminal.warn(`easel.json: ${refused.join(", ")} cannot be set: ${reason}`);

  /** Changes what a token with the scope `deploy` may not change. If it is refused, warns instead. */
  async function tryToApply(changed: string[], change: () => Promise<unknown>): Promise<void> {
    try {
      await change();
      names.push(...changed);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 403) throw error;
      warn(changed, error.message);
    }
  }

  if (page !== undefined) {
    await api.PATCH("/api/canvases/{id}", { params, body: page });
    names.push(...Object.keys(page));
  }
  if (policy !== undefined) {
    await api.PATCH("/api/canvases/{id}/capabilities", { params, body: policy });
    names.push("policy");
  }
  if (audiences !== undefined)
    await tryToApply(Object.keys(audiences), () =>
      api.PATCH("/api/canvases/{id}/capabilities", { params, body: audiences }),
    );
  if (ownerOnly.length > 0) warn(ownerOnly, "only the owner of the canvas may.");
  if (listing !== undefined)
    await tryToApply(["listed"], () => api.PATCH("/api/canvases/{id}", { params, body: listing }));
  return names;
}

/**
 * Turns on the capabilities that the page needs and that are off. Asks first, unless `--enable` or `--yes` is given, because someone may
 * have turned them off since the first deploy. If the answer is no, or nobody can be asked, warns instead. Returns those that it has turned
 * on.
 */
export async function enableCapabilities(
  canvas: Canvas,
  needed: readonly Capability[] | undefined,
  { enable = false, yes = false }: { enable?: boolean; yes?: boolean },
  { api }: Service,
  { terminal }: Pick<Context, "terminal">,
): Promise<Capability[]> {
  const off = capabilitiesOff(canvas, needed);
  if (off.length === 0) return [];
  const names = off.join(", ");
  const question = {
    message: `easel.json needs what is off on this canvas: ${names}. Turn it on?`,
    flag: "--enable",
    initial: true,
  };
  if (!enable && !yes && !(terminal.ask.possible && (await terminal.ask.confirm(question)))) {
    terminal.warn(`Off on this canvas, though easel.json needs it: ${names}. --enable turns it on.`);
    return [];
  }
  const params = { path: { id: canvas.id } };
  await api.PATCH("/api/canvases/{id}/capabilities", { params, body: switchesOn(off) });
  return off;
}
