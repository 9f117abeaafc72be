import type { DataSummary, VersionList } from "@easel/protocol/management";
import type { Canvas } from "@easel/protocol/types";
import { findDeleted, RETENTION_MS } from "../../canvases/deletion.ts";
import { listShared } from "../../canvases/sharing.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { hasInvites } from "../../identity/guests.ts";
import { actNamed } from "../../management/acts.ts";
import { audienceOf } from "../canvas-words.ts";
import type { Proposal, Propose } from "../confirmation/proposal.ts";
import { requireMay } from "../confirmation/require-may.ts";
import { needOfPerson, type Openness } from "../sharing/widening.ts";
import { type Performer, perform } from "../tool-call.ts";

const readAct = actNamed<Canvas>("canvas.read");
const dataAct = actNamed<DataSummary>("canvas.data");
const versionsAct = actNamed<VersionList>("canvas.versions");
const deleteAct = actNamed<undefined>("canvas.delete");
const restoreAct = actNamed<Canvas>("canvas.restore-own");

/** What the tool is asked to do. */
export interface DeletionChange {
  restore: boolean;
}

/** Returns the day (UTC), such as `26 Dec 2026`. */
const dayOf = (time: number): string => new Date(time).toUTCString().slice(5, 16);

const count = (number: number, what: string): string[] =>
  number === 0 ? [] : [`${number} ${what}${number === 1 ? "" : "s"}`];

/** Says what is in a canvas. */
async function contentOf(id: string, by: Performer): Promise<string> {
  const [data, { versions }] = await Promise.all([
    perform(by, dataAct, { params: { id } }),
    perform(by, versionsAct, { params: { id } }),
  ]);
  const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);
  const parts = [
    ...count(versions.length, "version"),
    ...count(data.kv + data.kvUser, "key"),
    ...count(sum(data.collections.map(({ records }) => records)), "record"),
    ...count(sum(data.submissions.map(({ entries }) => entries)), "submission"),
    ...count(data.files.count, "uploaded file"),
  ];
  return parts.length === 0 ? "It is empty." : `It has ${parts.join(", ")}.`;
}

async function deletion(id: string, by: Performer): Promise<Proposal> {
  const canvas = await perform(by, readAct, { params: { id } });
  await requireMay(deleteAct, id, by);
  const until = dayOf(by.env.clock() + RETENTION_MS);
  return {
    canvas,
    heading: "Delete this canvas?",
    changes: [
      {
        what: "The canvas",
        from: `open to: ${audienceOf(canvas)}`,
        to: `in your trash: it opens for nobody, and you can bring it back until ${until}`,
      },
    ],
    notes: [
      await contentOf(id, by),
      `All of it is removed for good on ${until}.`,
      ...(canvas.version === null
        ? ["It never had a version, so others may take its address at once."]
        : ["Its address stays reserved for you."]),
    ],
    revision: JSON.stringify([canvas.sharingRevision, canvas.version]),
    async perform() {
      await perform(by, deleteAct, { params: { id } });
      return null;
    },
  };
}

/** The settings of a canvas that opens for nobody but its owner. */
const CLOSED: Openness = {
  access: "private",
  password: "none",
  expiresAt: null,
  people: new Map(),
  teams: new Map(),
  guests: new Set(),
  listed: false,
  gallery: false,
  template: false,
};

/** Returns whether it needs the person to bring a deleted canvas of theirs back: if that opens it to others again. */
export async function needToRestore(
  id: string,
  ownerId: string,
  env: Env,
): Promise<ReturnType<typeof needOfPerson>> {
  const row = (await findDeleted(id, ownerId, env)) ?? refuse("NOT_FOUND");
  const shared = (await listShared([id], env)).get(id);
  return needOfPerson(CLOSED, {
    ...CLOSED,
    access: row.access,
    people: new Map(shared?.people.map(({ email, role }) => [email, role])),
    teams: new Map(shared?.teams.map((team) => [team.id, team.role])),
    guests: new Set((await hasInvites(id, env)) ? ["invited"] : []),
  });
}

async function restoring(id: string, by: Performer): Promise<Proposal> {
  const { env, caller } = by;
  const row = (await findDeleted(id, caller.user.id, env)) ?? refuse("NOT_FOUND");
  const shared = (await listShared([id], env)).get(id);
  const number = (shared?.people.length ?? 0) + (shared?.teams.length ?? 0);
  const audience = audienceOf({
    ...row,
    hasPassword: row.password_hash !== null,
    audienceSummary: { count: number, names: [] },
    expiresAt: row.expires_at,
    publicationStatus: "published",
  });
  const guests = (await hasInvites(id, env)) ? ", and its guests" : "";
  return {
    canvas: { title: row.title, url: env.base.canvasUrl(row.slug) },
    heading: "Bring this canvas back?",
    changes: [{ what: "The canvas", from: "in your trash", to: `open to: ${audience}${guests}` }],
    notes: ["It comes back as it was, with its versions, data and files."],
    revision: String(row.deleted_at),
    async perform() {
      await perform(by, restoreAct, { params: { id } });
      return null;
    },
  };
}

/** What a person is asked before a tool deletes a canvas, or brings one back that others can open. */
export const proposeDeletion: Propose = async ({ canvas, args }, by) => {
  const { restore } = args as DeletionChange;
  const inTrash = (await findDeleted(canvas, by.caller.user.id, by.env)) !== undefined;
  if (restore) return inTrash ? restoring(canvas, by) : null;
  return inTrash ? null : deletion(canvas, by);
};
