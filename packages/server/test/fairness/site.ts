import { randomBytes } from "node:crypto";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { devTarget, type Person, type Target } from "@easel/conformance/target";
import { grant, putProfile } from "../primitives/connections/connected.ts";
import { zip } from "../support/zip.ts";
import type { Heavy } from "./heavy.ts";

/** A canvas, as the processes of a fairness run address it. */
export interface Place {
  id: string;
  slug: string;
}

/** The people and canvases of a fairness run. It is plain data, so that the attacker's process receives it as JSON. */
export interface Site {
  base: string;
  /** The `Cookie` header of the person who works as usual. */
  victim: string;
  /** The `Cookie` header of the person who attacks. */
  hostile: string;
  /** The victim's canvas. The whole organisation may open it, and viewers may use AI and Connections. */
  shared: Place;
  /** A canvas of the hostile person, with data to export. */
  own: Place;
  /** The Connection that is granted to `shared`. Null if no stand-in for an external API runs. */
  profile: string | null;
  /** What the hostile person has prepared for small requests with much work. Null in runs without these. */
  heavy: Heavy | null;
}

/** A text of `length` characters that compresses to about half. */
export const textOf = (length: number): string =>
  randomBytes(Math.ceil(length / 2))
    .toString("hex")
    .slice(0, length);

const PAGE = "<!doctype html><title>Page</title><p>A page.</p>";
const POLICY = {
  defaultMode: "participation",
  collections: { notes: { preset: "contributions" } },
  fileGroups: {},
  channels: {},
  connections: {},
};
const RECORDS = 300;
const RECORD_LENGTH = 20_000;

const cookieOf = (person: Person): string => person.headers[0]?.[1] ?? "";

async function publish(target: Target, person: Person, { id }: Place): Promise<void> {
  const response = await fetch(`${target.base}/api/canvases/${id}/bundle`, {
    method: "PUT",
    headers: { cookie: cookieOf(person), "content-type": "application/zip" },
    body: new Uint8Array(await zip({ "index.html": PAGE })),
  });
  if (!response.ok) throw new Error(`PUT bundle: ${response.status} ${await response.text()}`);
}

async function configure(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}/capabilities`, {
    runtimePolicy: POLICY,
    expectedRuntimePolicy: null,
    backendEnabled: true,
    aiAudience: "viewers",
    connectionsAudience: "viewers",
  });
  if (answer.status !== 200) throw new Error(`PATCH capabilities: ${answer.text}`);
}

/**
 * Creates the canvases of a fairness run. `upstream` is the origin of the stand-in for an external API, or null. `records` is how many records
 * the hostile person has.
 */
export async function openSite(base: string, upstream: string | null, records = RECORDS): Promise<Site> {
  const target = devTarget(base, "path");
  const shared = await stage(target, { access: "whole_org" });
  const own = await stage(target, { access: "whole_org" });
  const [victim, hostile] = [shared.people.owner, own.people.owner];
  for (const canvas of [shared, own]) {
    await configure(target, canvas);
    await publish(target, canvas.people.owner, canvas);
  }
  for (let index = 0; index < records; index++)
    await own.pages.owner.post("/collections/notes", { text: textOf(RECORD_LENGTH), index });
  let profile: string | null = null;
  if (upstream !== null) {
    profile = "standin";
    await putProfile(target, profile, { origin: upstream });
    await grant(target, { id: shared.id, profile });
  }
  const place = ({ id, slug }: Stage): Place => ({ id, slug });
  return {
    base,
    victim: cookieOf(victim),
    hostile: cookieOf(hostile),
    shared: place(shared),
    own: place(own),
    profile,
    heavy: null,
  };
}
