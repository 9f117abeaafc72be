import type { Capability } from "@easel/protocol/capabilities";
import type { EaselJson } from "@easel/server/easel-json";
import { changesFor, switchesFor, switchesOn } from "@easel/server/easel-json-changes";
import { api } from "../api/client.ts";
import type { Canvas } from "../api/types.ts";

/** Turns capabilities of a canvas on. */
export async function enable(id: string, capabilities: readonly Capability[]): Promise<void> {
  if (capabilities.length === 0) return;
  const body = switchesOn(capabilities);
  await api.PATCH("/api/canvases/{id}/capabilities", { params: { path: { id } }, body });
}

/** Sets the capabilities of a new canvas: those that its `easel.json` names. Without it, the defaults. */
export async function setUp(id: string, settings: EaselJson | null): Promise<void> {
  const body = switchesFor(settings?.capabilities);
  await api.PATCH("/api/canvases/{id}/capabilities", { params: { path: { id } }, body });
}

/** Applies an `easel.json` to a canvas. What the canvas has already causes no request. */
export async function applySettings(canvas: Canvas, settings: EaselJson, isNew: boolean): Promise<void> {
  const params = { path: { id: canvas.id } };
  const { page, listing, policy, audiences } = changesFor(settings, canvas, isNew);
  if (page !== undefined || listing !== undefined)
    await api.PATCH("/api/canvases/{id}", { params, body: { ...page, ...listing } });
  for (const body of [policy, audiences])
    if (body !== undefined) await api.PATCH("/api/canvases/{id}/capabilities", { params, body });
}
