import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { EaselJson } from "@easel/server/easel-json";
import { api } from "../api/client.ts";
import type { Canvas } from "../api/types.ts";

/** The entries of `wanted` that differ from those of `stored`. Entries that are undefined do not count. */
function differing(wanted: object, stored: object): Record<string, unknown> {
  const known = new Map<string, unknown>(Object.entries(stored));
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(known.get(name)),
    ),
  );
}

const hasAny = (fields: object): boolean => Object.keys(fields).length > 0;

/** Returns the capabilities that an `easel.json` needs and that are off on a canvas. */
export const capabilitiesOff = (
  { capabilities }: Pick<Canvas, "capabilities">,
  needed: readonly Capability[] = [],
): Capability[] =>
  needed.filter((name) => {
    const own = CAPABILITIES[name].switch;
    return !(capabilities.backendEnabled && (own === null || capabilities[own]));
  });

/** Turns capabilities of a canvas on. */
export async function enable(id: string, capabilities: readonly Capability[]): Promise<void> {
  if (capabilities.length === 0) return;
  const switches = capabilities.flatMap((name) => CAPABILITIES[name].switch ?? []);
  const body = { backendEnabled: true, ...Object.fromEntries(switches.map((name) => [name, true])) };
  await api.PATCH("/api/canvases/{id}/capabilities", { params: { path: { id } }, body });
}

/** Sets the capabilities of a new canvas: those that its `easel.json` names. Without it, the defaults. */
export async function setUp(id: string, settings: EaselJson | null): Promise<void> {
  const body =
    settings === null
      ? { backendEnabled: true }
      : (await import("./easel-json.ts")).switchesFor(settings.capabilities);
  await api.PATCH("/api/canvases/{id}/capabilities", { params: { path: { id } }, body });
}

/**
 * Applies the title, routing, policy, audiences and listing of an `easel.json` to a canvas. What it lacks, or the canvas has already, causes no
 * request. The title of a new canvas is the person's choice.
 */
export async function applySettings(canvas: Canvas, settings: EaselJson, isNew: boolean): Promise<void> {
  const { audiencesIn } = await import("./easel-json.ts");
  const params = { path: { id: canvas.id } };
  const { title, spa, policy, listed } = settings;
  const discoverability =
    listed === undefined || canvas.access !== "whole_org" ? undefined : listed ? "listed" : "link_only";
  const fields = differing({ ...(isNew ? {} : { title }), spa, discoverability }, canvas);
  if (hasAny(fields)) await api.PATCH("/api/canvases/{id}", { params, body: fields });
  if (policy !== undefined && hasAny(differing(policy, canvas.runtimePolicy ?? {}))) {
    const body = {
      expectedRuntimePolicy: canvas.runtimePolicyRevision,
      runtimePolicy: { ...canvas.runtimePolicy, ...policy },
    };
    await api.PATCH("/api/canvases/{id}/capabilities", { params, body });
  }
  const { guestAi, ...audiences } = audiencesIn(settings);
  // Only the owner may set it.
  const own = canvas.viewerRole === "owner" ? { guestAi } : {};
  const body = differing({ ...audiences, ...own }, canvas.capabilities);
  if (hasAny(body)) await api.PATCH("/api/canvases/{id}/capabilities", { params, body });
}
