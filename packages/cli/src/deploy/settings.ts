import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { Canvas } from "@easel/protocol/types";
import type { EaselJson } from "@easel/server/canvases/publishing/easel-json";
import type { paths } from "../../dist-types/management-api.d.ts";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";

/** The body of a change of capabilities. */
type Changes =
  paths["/api/canvases/{id}/capabilities"]["patch"]["requestBody"]["content"]["application/json"];

/** Applies the settings of `easel.json` that every deploy sets. A setting that the file does not name stays as it is. */
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
  // The two types differ only in whether a missing section may be present as undefined.
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
 * Turns on the capabilities that the page needs and that are off, if `--enable` or the person says so; otherwise warns about them. Only the
 * first deploy turns capabilities on by itself, because someone may have turned one off since.
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
