import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { Canvas } from "@easel/protocol/types";
import type { EaselJson } from "@easel/server/canvases/publishing/easel-json";
import type { paths } from "../../dist-types/management-api.d.ts";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";

/** The body of a request that changes capabilities or the runtime policy. */
type Changes =
  paths["/api/canvases/{id}/capabilities"]["patch"]["requestBody"]["content"]["application/json"];

/** Applies the title, the routing and the policy of `easel.json` to a canvas. Settings that the file lacks stay unchanged. */
export async function applySettings(
  canvas: Canvas,
  { title, spa, policy }: EaselJson,
  { api }: Service,
): Promise<void> {
  const path = { id: canvas.id };
  const changes = {
    ...(title === undefined || title === canvas.title ? {} : { title }),
    ...(spa === undefined || spa === canvas.spa ? {} : { spa }),
  };
  if (Object.keys(changes).length > 0)
    await api.PATCH("/api/canvases/{id}", { params: { path }, body: changes });
  if (policy === undefined) return;
  // The types differ only in whether an absent section may have the value undefined.
  const runtimePolicy = { ...canvas.runtimePolicy, ...policy } as NonNullable<Changes["runtimePolicy"]>;
  const expectedRuntimePolicy = canvas.runtimePolicyRevision;
  await api.PATCH("/api/canvases/{id}/capabilities", {
    params: { path },
    body: { expectedRuntimePolicy, runtimePolicy },
  });
}

/** Returns the capabilities that the page needs and that are off on the canvas. */
export const capabilitiesOff = ({ capabilities }: Canvas, needed: readonly Capability[] = []): Capability[] =>
  needed.filter((name) => {
    const own = CAPABILITIES[name].switch;
    return !(capabilities.backendEnabled && (own === null || capabilities[own]));
  });

/**
 * Turns on the capabilities that the page needs and that are off. Asks first, unless `--enable` or `--yes` is given, because someone may
 * have turned them off since the first deploy. If the answer is no, or nobody can be asked, warns instead.
 */
export async function enableCapabilities(
  canvas: Canvas,
  needed: readonly Capability[] | undefined,
  { enable = false, yes = false }: { enable?: boolean; yes?: boolean },
  { api }: Service,
  { terminal }: Pick<Context, "terminal">,
): Promise<void> {
  const off = capabilitiesOff(canvas, needed);
  if (off.length === 0) return;
  const names = off.join(", ");
  const question = {
    message: `easel.json needs what is off on this canvas: ${names}. Turn it on?`,
    flag: "--enable",
    initial: true,
  };
  if (!enable && !yes && !(terminal.ask.possible && (await terminal.ask.confirm(question))))
    return terminal.warn(`Off on this canvas, though easel.json needs it: ${names}. --enable turns it on.`);
  const switches = off.flatMap((name) => CAPABILITIES[name].switch ?? []);
  await api.PATCH("/api/canvases/{id}/capabilities", {
    params: { path: { id: canvas.id } },
    body: { backendEnabled: true, ...Object.fromEntries(switches.map((name) => [name, true])) },
  });
}
