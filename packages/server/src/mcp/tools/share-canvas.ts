import { LIMITS } from "@easel/protocol/limits";
import type { Canvas } from "@easel/protocol/types";
import { z } from "zod";
import { checkSharing } from "../../canvases/publishing/sharing-settings.ts";
import type { CanvasRow } from "../../canvases/store.ts";
import { refuse } from "../../http/refusal.ts";
import { findMeantRow } from "../canvas-reference.ts";
import { audienceOf } from "../canvas-words.ts";
import { askPerson } from "../confirmation/ask.ts";
import { isHarmless } from "../sharing/harmless.ts";
import {
  changes,
  openedBy,
  readSharingNow,
  requireMayInvite,
  type SharingChange,
  type SharingNow,
  saveChange,
  teamNamesFor,
} from "../sharing/sharing-change.ts";
import { changesInWords } from "../sharing/sharing-words.ts";
import { narrowedBy, needOfPerson, type Openness } from "../sharing/widening.ts";
import { Asked, tool } from "../tool.ts";
import type { ToolCall } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

const role = z.enum(["viewer", "editor", "none"]);

/** How many people or teams one call may name, so that the person can read what they allow. */
const MAX_NAMED = 20;

const Input = z.strictObject({
  canvas: z.string(),
  access: z.enum(["private", "whole_org", "public_link"]).optional(),
  password: z.string().nullable().optional(),
  until: z.string().nullable().optional().describe("ISO 8601"),
  people: z
    .array(z.strictObject({ email: z.string(), role: z.enum([...role.options, "guest"]) }))
    .max(MAX_NAMED)
    .optional(),
  teams: z
    .array(z.strictObject({ team: z.string(), role }))
    .max(MAX_NAMED)
    .optional(),
  listed: z.boolean().optional(),
  gallery: z.boolean().optional(),
  template: z.boolean().optional(),
});

/** Returns the time in epoch milliseconds. Throws 400 `INVALID_BODY` if it is none. */
function timeOf(until: string | null | undefined): number | null | undefined {
  if (typeof until !== "string") return until;
  const time = Date.parse(until);
  if (Number.isNaN(time))
    refuse("INVALID_BODY", { message: "`until` must be a time such as `2026-12-31T18:00:00Z`." });
  return time;
}

/** Returns the ids of teams that are named by their ids or names. Throws 400 `INVALID_BODY` for one that the person cannot name. */
async function idsOf(
  given: NonNullable<z.output<typeof Input>["teams"]>,
  now: SharingNow,
  call: ToolCall,
): Promise<NonNullable<SharingChange["teams"]>> {
  if (given.length === 0) return [];
  const names = await teamNamesFor(now, call);
  return given.map(({ team, role }) => {
    const named = names.has(team) ? [team] : [...names].flatMap(([id, name]) => (name === team ? [id] : []));
    const [id] = named;
    if (id === undefined || named.length > 1) {
      const known = [...names.values()].map(quoted).join(", ");
      return refuse("INVALID_BODY", {
        message: `There is ${id === undefined ? "no" : "more than one"} team ${quoted(team)}.`,
        hint: `Teams of your person: ${known === "" ? "none" : known}. An id is always unique.`,
      });
    }
    return { id, role };
  });
}

/**
 * Returns the password to set: undefined if it is the one that the canvas has, as in a call that is sent again. Throws 400 `INVALID_BODY` if the
 * canvas has another one, because a ticket cannot have a password.
 */
async function newPasswordOf(
  password: string | null | undefined,
  { id, password_hash: hash }: CanvasRow,
  { caller: { user }, env }: ToolCall,
): Promise<string | null | undefined> {
  if (typeof password !== "string" || hash === null) return password;
  const isShort = password.length <= LIMITS.passwordLength.value;
  if (isShort && (await env.passwords.verify(password, hash, user.id))) return undefined;
  return refuse("INVALID_BODY", {
    message: "This canvas has another password already, and only your person can replace it.",
    hint: `They do it at ${env.base.origin}/canvases/${id}/sharing.`,
  });
}

/** Throws what the acts would throw for settings that the person cannot save, so that nobody is asked in vain. */
async function requireAllowed(
  row: CanvasRow,
  now: SharingNow,
  after: Openness,
  change: SharingChange,
  call: ToolCall,
): Promise<void> {
  const { caller, env } = call;
  await requireMayInvite(now, after, call);
  const { expiresAt, teams } = change;
  const access = after.access === now.openness.access ? undefined : after.access;
  const named = teams?.flatMap(({ id, role }) => (role === "none" ? [] : [{ id, role }]));
  await checkSharing(row, caller.user, { access, expiresAt, teams: named }, env);
}

/** Describes the settings of a canvas for a program. */
function answerFor({ canvas, openness }: { canvas: Canvas; openness: Openness }, changed: string[]) {
  const { slug, url, access, hasPassword, expiresAt } = canvas;
  const lists = {
    people: Object.fromEntries(openness.people),
    teams: canvas.teams.map(({ id, name, role }) => ({ id, name, role })),
    guests: [...openness.guests],
  };
  const until = expiresAt === null ? null : new Date(expiresAt).toISOString();
  const done = changed.length === 0 ? "Nothing to change." : `Changed: ${changed.join("; ")}.`;
  return {
    text: `${done}\n${url} is open to: ${audienceOf(canvas)}.`,
    content: { changed, sharing: { canvas: slug, url, access, hasPassword, until, ...lists } },
  };
}

/** Returns what changes in lines for a model. */
const linesOf = (before: Openness, after: Openness, now: SharingNow): string[] =>
  changesInWords(before, after, now.teamNames).map(
    ({ what, from, to }) => `${quoted(what)}: ${from} → ${to}`,
  );

export const shareCanvas = tool({
  name: "share_canvas",
  title: "Share a canvas",
  description:
    "Sets who may open a canvas; what is left out stays. `guest` invites, `none` removes. Your person must confirm most of what gives more access.",
  scope: "full",
  hints: { destructiveHint: true, openWorldHint: true },
  input: Input,
  output: z.object({ changed: z.array(z.string()), sharing: z.unknown() }),
  async run(call, { canvas: reference, password, until, teams, ...given }) {
    const { app, env } = call;
    const row = await findMeantRow(call, reference);
    const read = async () => {
      const settings = await readSharingNow(row.id, call);
      return {
        ...settings,
        teamNames: teams === undefined ? settings.teamNames : await teamNamesFor(settings, call),
      };
    };
    let now = await read();
    const change: SharingChange = {
      ...given,
      ...(until !== undefined && { expiresAt: timeOf(until) }),
      ...(teams !== undefined && { teams: await idsOf(teams, now, call) }),
      ...(password === null && { password }),
    };
    const newPassword = await newPasswordOf(password, row, call);
    const wanted = openedBy({ ...change, password: newPassword }, now);
    await requireAllowed(row, now, wanted, change, call);

    const need = needOfPerson(now.openness, wanted);
    const asks = need === "always" || (need === "unless waived" && app.confirms);
    const first = asks ? narrowedBy(now.openness, wanted) : wanted;
    const changed = linesOf(now.openness, first, now);
    if (changes(now.openness, first)) {
      await saveChange(now, first, newPassword, call);
      now = await read();
    }
    if (!asks) return answerFor(now, changed);

    const after = openedBy(change, now);
    const lines = linesOf(now.openness, after, now);
    const outcome = await askPerson(call, {
      tool: "share_canvas",
      canvas: row.id,
      args: change,
      sentence: `${quoted(app.clientName)} asks to share the canvas ${quoted(row.title)}. ${lines.join("; ")}.`,
      done: changed.length === 0 ? "" : `Done already: ${changed.join("; ")}. `,
      formFor: (await isHarmless(now.openness, after, now.canvas.owner, env))
        ? now.canvas.sharingRevision
        : null,
    });
    if (outcome instanceof Asked) return outcome;
    await saveChange(now, after, undefined, call);
    return answerFor(await read(), [...changed, ...lines]);
  },
});
