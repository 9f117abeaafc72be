import type { Activity } from "../../api/types.ts";
import { ACCESS_NAMES } from "../../canvas/general-access.ts";
import { throughOf } from "../../canvas/through.ts";
import { dayOf } from "../../kit/time-words.ts";
import { countOf, isolated, listOf } from "../../kit/words.ts";
import type { Group } from "./search.ts";

/** An act that the activity of a canvas contains. */
export type ActivityAct = Activity["act"];

/** What a sentence needs besides the entry. */
export interface Known {
  /** The id of the caller. */
  me: string;
  /** Returns the name of a version by its id, or null if the version is not there any more. */
  versionName: (id: string) => string | null;
}

/** The details of an entry, of which nothing is certain: they were recorded by any earlier version of the service. */
type Details = Record<string, unknown>;

/** What an act needs for its words: the details and the target of the entry, and the version that it is about in words. */
interface Facts {
  details: Details;
  target: string | null;
  version: string;
}

/** How an act is told: the group in which it is found, and what the person did, after their name. */
interface Told {
  group: Group;
  words: (facts: Facts) => string;
}

const quoted = (text: string): string => `“${isolated(text)}”`;

const textIn = (details: Details, field: string): string | null => {
  const value = details[field];
  return typeof value === "string" && value !== "" ? value : null;
};

const textsIn = (details: Details, field: string): string[] => {
  const value = details[field];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

/** Returns the words for a switch in the details, or none if the act did not touch it. */
const either = (details: Details, field: string, on: string, off: string): string[] =>
  details[field] === true ? [on] : details[field] === false ? [off] : [];

/** Returns "1 editor and 2 viewers" for numbers by role, or null without any. */
function rolesIn(value: unknown, editor: string, viewer: string): string | null {
  const { editor: editors, viewer: viewers } = Object(value) as Details;
  const parts = [
    typeof editors === "number" && editors > 0 ? countOf(editors, editor) : null,
    typeof viewers === "number" && viewers > 0 ? countOf(viewers, viewer) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : listOf(parts);
}

function updated(details: Details): string {
  const [title, slug] = [textIn(details, "title"), textIn(details, "slug")];
  const tags = textsIn(details, "tags");
  const changes = [
    ...(title === null ? [] : [`renamed it to ${quoted(title)}`]),
    ...(slug === null ? [] : [`changed its address to ${quoted(slug)}`]),
    ...(details.tags === undefined
      ? []
      : [tags.length === 0 ? "removed its tags" : `set its tags to ${listOf(tags.map(quoted))}`]),
    ...either(details, "archived", "archived it", "took it out of the archive"),
    ...either(details, "galleryListed", "put it into the gallery", "took it out of the gallery"),
    ...either(details, "galleryTemplatable", "let others start from it", "stopped that others start from it"),
    ...(details.discoverability === "listed" ? ["listed it for the organisation"] : []),
    ...(details.discoverability === "link_only" ? ["took it off the list of the organisation"] : []),
    ...either(
      details,
      "spa",
      "made every path without a file open its first page",
      "stopped that paths without a file open its first page",
    ),
    ...(details.metadata === undefined ? [] : ["changed its metadata"]),
  ];
  return changes.length === 0 ? "changed its settings" : listOf(changes);
}

function shared(details: Details): string {
  const access = textIn(details, "access");
  const people = rolesIn(details.people, "editor", "viewer");
  const teams = rolesIn(details.teams, "team that may edit", "team that may view");
  const { expiresAt } = details;
  const changes = [
    ...(access !== null && Object.hasOwn(ACCESS_NAMES, access)
      ? [`general access ${ACCESS_NAMES[access as keyof typeof ACCESS_NAMES]}`]
      : []),
    ...(details.people === undefined ? [] : [people === null ? "nobody by name" : `${people} by name`]),
    ...(details.teams === undefined ? [] : [teams ?? "no team"]),
    ...either(details, "password", "a password", "no password"),
    ...(typeof expiresAt === "number" ? [`until ${dayOf(expiresAt)}`] : []),
    ...(expiresAt === null ? ["without an end"] : []),
  ];
  return changes.length === 0 ? "changed the sharing" : `changed the sharing: ${listOf(changes)}`;
}

const SWITCHES = {
  backendEnabled: "the backend",
  kv: "keys and records",
  files: "files",
  ai: "AI",
  realtime: "live messages",
  authoring: "making canvases",
  guestAi: "AI for guests",
} as const;

const AUDIENCES = {
  aiAudience: "AI",
  connectionsAudience: "Connections",
  authoringAudience: "making canvases",
} as const;

function switched(details: Details): string {
  const names = Object.keys(SWITCHES) as (keyof typeof SWITCHES)[];
  const which = (state: boolean) =>
    names.filter((name) => details[name] === state).map((name) => SWITCHES[name]);
  const [on, off] = [which(true), which(false)];
  const audiences = (Object.keys(AUDIENCES) as (keyof typeof AUDIENCES)[]).flatMap((name) =>
    details[name] === "editors"
      ? [`kept ${AUDIENCES[name]} to the owner and editors`]
      : details[name] === "viewers"
        ? [`opened ${AUDIENCES[name]} to viewers`]
        : [],
  );
  const changes = [
    ...(on.length === 0 ? [] : [`switched on ${listOf(on)}`]),
    ...(off.length === 0 ? [] : [`switched off ${listOf(off)}`]),
    ...audiences,
    ...(details.runtimePolicy === undefined ? [] : ["changed the policy"]),
  ];
  return changes.length === 0 ? "changed the backend" : listOf(changes);
}

const PARTS: Record<string, string> = {
  kv: "keys",
  collections: "records",
  submissions: "submissions",
  files: "files",
};

function exported(details: Details): string {
  const parts = textsIn(details, "what").flatMap((part) => (Object.hasOwn(PARTS, part) ? [PARTS[part]] : []));
  return parts.length === 0 ? "exported data" : `exported the ${listOf(parts as string[])}`;
}

function imported(details: Details): string {
  const parts = Object.entries(Object(details.imported) as Details).flatMap(([part, count]) =>
    Object.hasOwn(PARTS, part) && typeof count === "number" && count > 0
      ? [countOf(count, (PARTS[part] as string).replace(/s$/, ""))]
      : [],
  );
  const replaced = details.existing === "replace" ? ", in place of what was there" : "";
  return parts.length === 0
    ? "imported data, of which nothing was new"
    : `imported ${listOf(parts)}${replaced}`;
}

function written(details: Details): string {
  const parts = [
    ["keys", "keys"],
    ["ownKeys", "keys of their own"],
    ["records", "records"],
  ].flatMap(([field = "", what = ""]) => {
    const count = details[field];
    return typeof count === "number" && count > 0 ? [`${countOf(count, "change")} to ${what}`] : [];
  });
  return parts.length === 0 ? "changed data" : `made ${listOf(parts)}`;
}

function phase({ details, target }: Facts): string {
  const name = textIn(details, "phase");
  const of = target === null ? "the data" : quoted(target);
  return name === null ? `ended the phase of ${of}` : `began the phase ${quoted(name)} of ${of}`;
}

const named = (target: string | null, what: string): string =>
  target === null ? `a ${what}` : `the ${what} ${quoted(target)}`;

/** The acts in words. */
export const TOLD: Record<ActivityAct, Told> = {
  "canvas.create": { group: "settings", words: () => "made this canvas" },
  "canvas.update": { group: "settings", words: ({ details }) => updated(details) },
  "canvas.deploy": { group: "versions", words: ({ version }) => `published a new version${version}` },
  "canvas.stage-finish": {
    group: "versions",
    words: ({ details, version }) =>
      details.unchanged === true
        ? `deployed what was live already${version}`
        : details.publish === false
          ? `stored a new version without publishing it${version}`
          : `published a new version${version}`,
  },
  "canvas.publish": { group: "versions", words: ({ version }) => `went to another version${version}` },
  "canvas.unpublish": { group: "versions", words: () => "took it offline" },
  "canvas.delete-version": { group: "versions", words: () => "deleted a version" },
  "canvas.preview": {
    group: "versions",
    words: ({ details, version }) =>
      `made a link that previews a version${details.signedIn === true ? ", signed in" : ""}${version}`,
  },
  "canvas.preview-open": {
    group: "versions",
    words: ({ version }) => `opened a preview, signed in${version}`,
  },
  "canvas.share": { group: "sharing", words: ({ details }) => shared(details) },
  "canvas.invite": { group: "sharing", words: ({ target }) => `invited ${named(target, "guest")}` },
  "canvas.renew-invite": {
    group: "sharing",
    words: ({ target }) => `made another link for ${named(target, "guest")}`,
  },
  "canvas.uninvite": {
    group: "sharing",
    words: ({ target }) => `took back the invitation of ${named(target, "guest")}`,
  },
  "canvas.transfer": {
    group: "sharing",
    words: ({ target }) => `handed it over to ${target === null ? "somebody else" : quoted(target)}`,
  },
  "canvas.reassign": {
    group: "administrators",
    words: ({ target }) => `made ${target === null ? "somebody else" : quoted(target)} the owner`,
  },
  "canvas.take": {
    group: "administrators",
    words: ({ target }) => `took it over${target === null ? "" : `: ${quoted(target)} is the owner`}`,
  },
  "canvas.capabilities": { group: "backend", words: ({ details }) => switched(details) },
  "canvas.phase": { group: "backend", words: phase },
  "canvas.export": { group: "data", words: ({ details }) => exported(details) },
  "canvas.import": { group: "data", words: ({ details }) => imported(details) },
  "data.write": { group: "data", words: ({ details }) => written(details) },
  "canvas.delete": { group: "settings", words: () => "deleted it" },
  "canvas.restore-own": { group: "settings", words: () => "restored it from the trash" },
  "canvas.disable": {
    group: "administrators",
    words({ details }) {
      const reason = textIn(details, "reason");
      return reason === null ? "disabled it" : `disabled it: ${quoted(reason)}`;
    },
  },
  "canvas.enable": { group: "administrators", words: () => "enabled it again" },
  "canvas.restore": { group: "administrators", words: () => "restored it from the trash" },
  "connection.grant": {
    group: "administrators",
    words({ details, target }) {
      const wider = [
        ...(details.guests === true ? ["guests"] : []),
        ...(details.public === true ? ["visitors of a Public link"] : []),
      ];
      const also = wider.length === 0 ? "" : `, also for ${listOf(wider)}`;
      return `allowed ${named(target, "Connection")}${also}`;
    },
  },
  "connection.revoke": {
    group: "administrators",
    words: ({ target }) => `took away ${named(target, "Connection")}`,
  },
  "authoring.create": { group: "settings", words: () => "made this canvas with a page" },
  "authoring.update": { group: "settings", words: ({ details }) => byPage(details) },
  "authoring.deploy": {
    group: "versions",
    words: ({ version }) => `published a new version with a page${version}`,
  },
  "authoring.revoke": { group: "versions", words: () => "took it offline with a page" },
};

/** Returns what a page changed: its fields are those of settings and of sharing together. */
function byPage(details: Details): string {
  const ofSharing = ["access", "password", "expiresAt"].some((field) => details[field] !== undefined);
  const ofSettings = ["title", "slug", "tags", "metadata"].some((field) => details[field] !== undefined);
  const changes = [
    ...(ofSettings || !ofSharing ? [updated(details)] : []),
    ...(ofSharing ? [shared(details)] : []),
  ];
  return `${listOf(changes)}, with a page`;
}

/** Returns who did something, at the beginning of a sentence. */
export const whoOf = ({ actor }: Activity, { me }: Pick<Known, "me">): string =>
  actor === null
    ? "An administrator"
    : actor.id === me
      ? "You"
      : actor.name === null
        ? "Somebody"
        : isolated(actor.name);

/** Returns what somebody has changed in a sentence, such as "Bo published a new version: “Fix the date”." */
export function sentenceOf(entry: Activity, known: Known): string {
  const { act, target, details } = entry;
  const name = target === null ? null : known.versionName(target);
  const version = name === null ? "" : `: ${quoted(name)}`;
  const words = TOLD[act].words({ details: Object(details) as Details, target, version });
  return `${whoOf(entry, known)}${throughOf(entry.via)} ${words}.`;
}

/** Returns the acts of a group. */
export const actsOf = (group: Group): ActivityAct[] =>
  (Object.keys(TOLD) as ActivityAct[]).filter((act) => TOLD[act].group === group);
