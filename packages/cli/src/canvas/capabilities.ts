import {
  CAPABILITIES,
  type Capability,
  type DisabledReason,
  type Switch,
} from "@easel/protocol/capabilities";
import type { Audience } from "@easel/protocol/policy";
import type { Canvas } from "@easel/protocol/types";
import { type CanvasOptions, canvasById, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import type { Column } from "../terminal/table.ts";

/** The flags of `easel capabilities`. */
export interface CapabilitiesOptions extends CanvasOptions {
  enable?: string[];
  disable?: string[];
  aiAudience?: Audience;
  connectionsAudience?: Audience;
  authoringAudience?: Audience;
  guestAi?: "on" | "off";
}

type Settings = Canvas["capabilities"];

/** The state of a capability: whether it works, why not, and who may use it; null where the runtime policy says who. */
interface State {
  name: Capability;
  on: boolean;
  reason: DisabledReason | null;
  audience: Audience | null;
}

const NAMES = Object.keys(CAPABILITIES) as Capability[];
const SWITCHES: readonly Switch[] = NAMES.flatMap((name) => CAPABILITIES[name].switch ?? []);
const BACKEND = "backend";

/** Returns the names of switches that a flag lists. Throws a usage error for other names. */
function switchesIn(names: readonly string[], flag: string): (keyof Settings)[] {
  return names.map((name) => {
    if (name === BACKEND) return "backendEnabled";
    const known = SWITCHES.find((each) => each === name);
    return (
      known ??
      fail(`${flag} cannot be \`${clean(name)}\`.`, {
        exit: "usage",
        hint: `Names are ${SWITCHES.join(", ")} and ${BACKEND}. The other capabilities are on with the backend.`,
      })
    );
  });
}

/** Returns the settings to change. A capability that is turned on turns the backend on, without which it does not work. */
function changesOf({
  enable = [],
  disable = [],
  guestAi,
  ...audiences
}: CapabilitiesOptions): Partial<Settings> {
  const on = switchesIn(enable, "--enable");
  const off = switchesIn(disable, "--disable");
  const both = [...(on.length > 0 ? (["backendEnabled"] as const) : []), ...on].find((name) =>
    off.includes(name),
  );
  if (both !== undefined)
    fail("What --enable turns on cannot be turned off by --disable.", { exit: "usage" });
  const { aiAudience, connectionsAudience, authoringAudience } = audiences;
  return {
    ...(on.length > 0 && { backendEnabled: true }),
    ...Object.fromEntries([...on.map((name) => [name, true]), ...off.map((name) => [name, false])]),
    ...(aiAudience && { aiAudience }),
    ...(connectionsAudience && { connectionsAudience }),
    ...(authoringAudience && { authoringAudience }),
    ...(guestAi && { guestAi: guestAi === "on" }),
  };
}

/** Returns the effective state of each capability. */
function statesOf({ capabilities: settings, capabilitiesOff = {} }: Canvas): State[] {
  const audiences: Partial<Record<Capability, Audience>> = {
    ai: settings.aiAudience,
    connections: settings.connectionsAudience,
    authoring: settings.authoringAudience,
  };
  return NAMES.map((name) => {
    const reason = capabilitiesOff[name] ?? null;
    return { name, on: reason === null, reason, audience: audiences[name] ?? null };
  });
}

/** Says in a few words why a capability is off, and what to do about it. */
function reasonOf({ name, reason }: State): string {
  if (reason === "backend_off") return "the backend is off: --enable backend";
  if (reason === "feature_off") return `off for this canvas: --enable ${name}`;
  const { operatorHint, operatorRemedy } = CAPABILITIES[name];
  return reason === null || operatorHint === null ? "" : `${operatorHint} Setting: ${operatorRemedy}`;
}

const WHO: Record<Audience, string> = { editors: "owner, editors", viewers: "everyone who enters" };

const columnsFor = ({ guestAi }: Settings): Column<State>[] => [
  { title: "CAPABILITY", cell: ({ name }) => name },
  { title: "STATE", cell: ({ on }) => (on ? "on" : "off") },
  {
    title: "WHO",
    cell: ({ name, audience }) =>
      audience === null ? "" : `${WHO[audience]}${name === "ai" && guestAi ? ", guests" : ""}`,
  },
  { title: "WHY", cell: reasonOf },
];

/** Makes the changes that the flags name, and prints which capabilities work on a canvas, why the others do not, and who may use them. */
export async function capabilities(options: CapabilitiesOptions, context: Context): Promise<void> {
  const body = changesOf(options);
  const { service, canvas } = await findCanvas(options, context);
  if (Object.keys(body).length > 0)
    await service.api.PATCH("/api/canvases/{id}/capabilities", {
      params: { path: { id: canvas.id } },
      body,
    });
  const now = await canvasById(canvas.id, service);
  const { id, slug, url } = now;
  const { backendEnabled, guestAi } = now.capabilities;
  const states = statesOf(now);
  context.terminal.result(
    { id, slug, url, backendEnabled, capabilities: states, guestAi },
    () => `${clean(url)}\n\n${context.terminal.table(states, columnsFor(now.capabilities))}`,
  );
}
