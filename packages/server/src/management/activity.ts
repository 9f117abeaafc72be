import { ACTIVITY_ACTS, type Activity, type ActivityAct } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { normalEmail } from "../access/principal.ts";
import { namesOf } from "../canvases/store.ts";
import { asKeys } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { paged } from "../http/query.ts";
import { type AuditRow, listOfCanvas, viaOf } from "../organisation/audit.ts";
import { act, ok } from "./act.ts";
import { page } from "./list-query.ts";
import { activityList } from "./responses/canvas.ts";

/*
 * The audit log of a canvas as its owner and editors see it (decision 100). It shows what is listed here, and nothing else: no e-mail
 * address, no network address, no id of another canvas. Administrators have no name.
 */

type Details = Record<string, unknown>;

/** What is shown of the entries of an act. */
interface Shown {
  /** Returns what is shown of the details of an entry. */
  details(given: Details): Details;
  /** What the target of an entry is, if it is shown. An address or an id of a person is shown as a name. */
  target?: "as it is" | "person" | "guest";
  /** Whether the actor is an administrator, as such. */
  byAdministrator?: true;
}

/** Shows these fields of the details. */
const only = (...fields: string[]): Pick<Shown, "details"> => ({
  details: (given) => Object.fromEntries(Object.entries(given).filter(([name]) => fields.includes(name))),
});

/** Returns how many entries of a list of people or teams have each role. */
function numbersOf(list: unknown): Record<"editor" | "viewer", number> {
  const roles = Array.isArray(list) ? list.map((entry) => (entry as { role?: unknown } | null)?.role) : [];
  const count = (role: string) => roles.filter((each) => each === role).length;
  return { editor: count("editor"), viewer: count("viewer") };
}

const OF_CANVAS = ["title", "slug", "tags", "metadata"];
const OF_SHARING = ["access", "password", "expiresAt"];

const sharing: Pick<Shown, "details"> = {
  details: (given) => ({
    ...only(...OF_SHARING).details(given),
    ...(given.people !== undefined && { people: numbersOf(given.people) }),
    ...(given.teams !== undefined && { teams: numbersOf(given.teams) }),
  }),
};

const version = { ...only("publish", "unchanged", "signedIn"), target: "as it is" } as const;

const byPage = only(...OF_CANVAS, ...OF_SHARING);

const SHOWN: Record<ActivityAct, Shown> = {
  "canvas.create": only("slug"),
  "canvas.update": only(
    ...OF_CANVAS,
    ...["archived", "galleryListed", "galleryTemplatable", "discoverability", "spa"],
  ),
  "canvas.deploy": version,
  "canvas.stage-finish": version,
  "canvas.publish": version,
  "canvas.unpublish": only(),
  "canvas.delete-version": version,
  "canvas.preview": version,
  "canvas.preview-open": version,
  "canvas.share": sharing,
  "canvas.invite": { ...only(), target: "guest" },
  "canvas.renew-invite": { ...only(), target: "guest" },
  "canvas.uninvite": { ...only(), target: "guest" },
  "canvas.transfer": { ...only(), target: "person" },
  "canvas.reassign": { ...only(), target: "person", byAdministrator: true },
  "canvas.take": { ...only(), target: "person", byAdministrator: true },
  "canvas.capabilities": only(
    ...["backendEnabled", "kv", "files", "ai", "realtime", "authoring", "guestAi", "runtimePolicy"],
    ...["aiAudience", "connectionsAudience", "authoringAudience"],
  ),
  "canvas.phase": { ...only("section", "phase"), target: "as it is" },
  "canvas.export": only("what"),
  "canvas.import": only("existing", "imported"),
  "canvas.delete": only("slug"),
  "canvas.restore-own": only("slug"),
  "canvas.disable": { ...only("reason"), byAdministrator: true },
  "canvas.enable": { ...only(), byAdministrator: true },
  "canvas.restore": { ...only(), byAdministrator: true },
  "connection.grant": { ...only("public", "guests"), target: "as it is", byAdministrator: true },
  "connection.revoke": { ...only(), target: "as it is", byAdministrator: true },
  "authoring.create": byPage,
  "authoring.update": byPage,
  "authoring.deploy": version,
  "authoring.revoke": only(),
  "data.write": only("keys", "ownKeys", "records"),
};

/** An entry of the audit log that is shown. */
interface ShownRow extends AuditRow {
  act: ActivityAct;
}

/** Returns the program of an entry without an address: people name the tokens that they create for AI tools as they like. */
function programOf(row: AuditRow): Activity["via"] {
  const via = viaOf(row);
  return via && { client: via.client.includes("@") ? null : via.client, tool: via.tool };
}

const isShown = (row: AuditRow): row is ShownRow => Object.hasOwn(SHOWN, row.act);

/** Returns the id by which the name of the target of an entry is found: that of a guest. */
const guestOf = ({ act, target }: ShownRow): string[] =>
  target !== null && SHOWN[act].target === "guest" ? [`guest:${target}`] : [];

/** Returns the names of people by their e-mail addresses. Those of nobody are missing. */
async function namesByAddress(addresses: string[], { db }: Env): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db.all<{ email: string; name: string }>`
    select email, name from users where email in (select key from json_each(${asKeys([...new Set(addresses)])}))`;
  return new Map(rows.map(({ email, name }) => [email, name]));
}

/** Converts entries of the audit log of a canvas to what its owner and editors see. Other entries than those of `ACTIVITY_ACTS` are left out. */
async function viewsOf(canvas: string, rows: AuditRow[], env: Env): Promise<Activity[]> {
  const shown = rows.filter(isShown);
  const people = shown.flatMap((row) => [row.actor_id, ...guestOf(row)]);
  const addresses = shown.flatMap(({ act, target }) =>
    target !== null && SHOWN[act].target === "person" ? [target] : [],
  );
  const [names, byAddress] = await Promise.all([
    namesOf(people, canvas, env.db),
    namesByAddress(addresses, env),
  ]);
  // Some people have no other name than their address.
  const nameIn = (found: Map<string, string>, key: string | undefined): string | null => {
    const name = found.get(key ?? "") ?? null;
    return name === null || normalEmail(name) !== null ? null : name;
  };
  return shown.map((row) => {
    const { id, at, act, actor_id, target } = row;
    const { details, target: kind, byAdministrator } = SHOWN[act];
    const fields = details(row.details === null ? {} : (JSON.parse(row.details) as Details));
    return {
      id,
      at,
      actor: byAdministrator ? null : { id: actor_id, name: nameIn(names, actor_id) },
      act,
      via: programOf(row),
      target: {
        "as it is": target,
        guest: nameIn(names, guestOf(row)[0]),
        person: nameIn(byAddress, target ?? undefined),
        none: null,
      }[kind ?? "none"],
      details: Object.keys(fields).length === 0 ? null : (fields as Json),
    };
  });
}

const isAct = (name: string): name is ActivityAct => (ACTIVITY_ACTS as readonly string[]).includes(name);

const Query = z.object({
  act: z
    .string()
    .meta({ description: "Only these acts, separated by commas, such as `canvas.publish`." })
    .optional()
    .transform((acts) => (acts === undefined ? null : [...new Set(acts.split(","))]))
    .refine((acts) => acts?.every(isAct) ?? true, {
      message: "may name acts of the response, separated by commas",
    }),
  ...page.shape,
});

/** The endpoint that returns what people have changed on a canvas (docs/dashboard.md). */
export const activity = [
  act({
    name: "canvas.activity",
    method: "GET",
    path: "/api/canvases/{id}/activity",
    summary: "Returns what people have changed on a canvas, newest first.",
    details:
      "These are the entries that the [audit log](../operating.md#audit-log) has of the canvas, without addresses: people have names, and lists of people are numbers by role. `actor` is null where an administrator did it. A page can have fewer entries than `limit` before the last one.",
    allow: "editor",
    query: Query,
    response: ok(activityList),
    async run({ canvas: { id }, query: { act: acts, cursor, limit } }, env) {
      const rows = await listOfCanvas({ canvas: id, acts, cursor, limit: limit + 1 }, env);
      const { entries, nextCursor } = paged(rows, limit, (row) => row.id);
      return { body: { entries: await viewsOf(id, entries, env), nextCursor } };
    },
  }),
];
