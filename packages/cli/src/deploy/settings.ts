import { isDeepStrictEqual } from "node:util";
import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import type { Canvas } from "@easel/protocol/types";
import { audiencesIn, type EaselJson } from "@easel/server/easel-json";
import type { paths } from "../../dist-types/management-api.d.ts";
import { Refusal } from "../api/refusal.ts";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";

/** The body of a request that changes capabilities or the runtime policy. */
type Changes =
  paths["/api/canvases/{id}/capabilities"]["patch"]["requestBody"]["content"]["application/json"];

/** Fields without those that are undefined. */
type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields of `wanted` that differ from those of `stored`. Fields that are undefined do not count. */
function differing<Fields extends object>(wanted: Fields, stored: object): Defined<Fields> {
  const known = new Map<string, unknown>(Object.entries(stored));
  const entries = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, known.get(name)),
  );
  return Object.fromEntries(entries) as Defined<Fields>;
}

/**
 * Applies the title, routing, policy, audiences and listing of `easel.json` to a canvas. Settings that the file lacks, and those that the
 * canvas has already, cause no request. Returns the names of the settings that have changed.
 */
export async function applySettings(
  canvas: Canvas,
  settings: EaselJson,
  { api }: Service,
  { terminal }: Pick<Context, "terminal">,
): Promise<string[]> {
  const path = { id: canvas.id };
  const { title, spa, policy, listed } = settings;
  const fields = differing({ title, spa }, canvas);
  const names = Object.keys(fields);
  if (names.length > 0) await api.PATCH("/api/canvases/{id}", { params: { path }, body: fields });

  if (policy !== undefined && Object.keys(differing(policy, canvas.runtimePolicy ?? {})).length > 0) {
    // The types differ only in whether an absent section may have the value undefined.
    const runtimePolicy = { ...canvas.runtimePolicy, ...policy } as NonNullable<Changes["runtimePolicy"]>;
    const body = { expectedRuntimePolicy: canvas.runtimePolicyRevision, runtimePolicy };
    await api.PATCH("/api/canvases/{id}/capabilities", { params: { path }, body });
    names.push("policy");
  }

  /** Changes what a token with the scope `deploy` may not change. If it is refused, warns instead. */
  async function tryToApply(changed: string[], change: () => Promise<unknown>): Promise<void> {
    if (changed.length === 0) return;
    try {
      await change();
      names.push(...changed);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 403) throw error;
      terminal.warn(`easel.json: ${changed.join(", ")} cannot be set: ${error.message}`);
    }
  }
  const audiences = differing(audiencesIn(settings), canvas.capabilities);
  await tryToApply(Object.keys(audiences), () =>
    api.PATCH("/api/canvases/{id}/capabilities", { params: { path }, body: audiences }),
  );
  const discoverability =
    listed === undefined || canvas.access !== "whole_org" ? undefined : listed ? "listed" : "link_only";
  const listing = differing({ discoverability } as const, canvas);
  await tryToApply(Object.keys(listing).length > 0 ? ["listed"] : [], () =>
    api.PATCH("/api/canvases/{id}", { params: { path }, body: listing }),
  );
  return names;
}

/** Returns the capabilities that the page needs and that are off on the canvas. */
export const capabilitiesOff = ({ capabilities }: Canvas, needed: readonly Capability[] = []): Capability[] =>
  needed.filter((name) => {
    const own = CAPABILITIES[name].switch;
    return !(capabilities.backendEnabled && (own === null || capabilities[own]));
  });

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
  const switches = off.flatMap((name) => CAPABILITIES[name].switch ?? []);
  await api.PATCH("/api/canvases/{id}/capabilities", {
    params: { path: { id: canvas.id } },
    body: { backendEnabled: true, ...Object.fromEntries(switches.map((name) => [name, true])) },
  });
  return off;
}
