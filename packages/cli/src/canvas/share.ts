import type { Access, Canvas } from "@easel/protocol/types";
import { type CanvasOptions, canvasById, findCanvas } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime, isoTime, parseMoment } from "../terminal/format.ts";
import type { Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Guest, normalized, readGuests } from "./guests.ts";
import { accessOf } from "./list.ts";
import { isListed, whoMayEnter } from "./who-may-enter.ts";

type Entry = Pick<Canvas["people"][number], "email" | "role">;

/** The flags of `easel share`. */
export interface ShareOptions extends CanvasOptions {
  access?: Access;
  /** Whether to take the canvas off the home pages of others. */
  unlisted?: boolean;
  /** People as `a@example.com` or `a@example.com:editor`. */
  add?: string[];
  /** E-mail addresses. */
  remove?: string[];
  /** A date, a duration, or `never`. */
  expires?: string;
  /** E-mail addresses of guests. */
  invite?: string[];
}

/** Parses a person to add, such as `a@example.com:editor`. The default role is viewer. Throws a usage error for other text. */
export function parsePerson(text: string): Entry {
  const [, email, role = "viewer"] = /^([^\s@:]+@[^\s@:]+?)(?::(editor|viewer))?$/.exec(text.trim()) ?? [];
  if (email !== undefined) return { email: normalized(email), role: role as Entry["role"] };
  return fail(`--add cannot be \`${clean(text)}\`.`, {
    exit: "usage",
    hint: "Give an e-mail address, with `:editor` or `:viewer` after it.",
  });
}

/**
 * Returns the people of a canvas after `--add` and `--remove`, and the invitations of the removed guests. An added person who is listed
 * already gets the new role. Throws a `Failure` if a person to remove is neither listed nor invited.
 */
function peopleAfter(
  { add = [], remove = [] }: ShareOptions,
  { people }: Canvas,
  guests: Guest[],
): { people: Entry[]; revoked: Guest[] } {
  const entries = new Map<string, Entry>(people.map((entry) => [entry.email, entry]));
  for (const entry of add.map(parsePerson)) entries.set(entry.email, entry);
  const revoked: Guest[] = [];
  for (const email of remove.map(normalized)) {
    const invited = guests.filter((guest) => guest.email === email);
    revoked.push(...invited);
    if (!entries.delete(email) && invited.length === 0)
      fail(`\`${clean(email)}\` is not among the people of this canvas.`, { exit: "usage" });
  }
  return { people: [...entries.values()], revoked };
}

const COLUMNS: Column<{ who: string; role: string }>[] = [
  { title: "WHO", cell: ({ who }) => who, flexible: true },
  { title: "ROLE", cell: ({ role }) => role },
];

/** Prints who may open a canvas. */
function show(canvas: Canvas, guests: Guest[], terminal: Terminal): void {
  const { id, slug, url, access, hasPassword, expiresAt, owner, people, teams } = canvas;
  const listed = isListed(canvas);
  const value = {
    id,
    slug,
    url,
    access,
    listed,
    hasPassword,
    expiresAt: isoTime(expiresAt),
    owner,
    people,
    teams,
  };
  const rows = [
    { who: owner.email, role: "owner" },
    ...people.map(({ email, role }) => ({ who: email, role })),
    ...teams.map(({ name, role }) => ({ who: `team ${name}`, role })),
    ...guests.map(({ email }) => ({ who: email, role: "guest" })),
  ];
  const invites = guests.map(({ id: invite, email, url: link }) => ({
    id: invite,
    email,
    url: link ?? null,
  }));
  const expiry =
    expiresAt === null
      ? ""
      : `, until ${new Date(expiresAt).toLocaleString("sv")} (${formatTime(expiresAt)})`;
  const links = guests.flatMap(({ email, url: link }) => (link === undefined ? [] : [`${email}: ${link}`]));
  for (const line of whoMayEnter(canvas)) terminal.say(line);
  terminal.result(
    { ...value, invites },
    () =>
      `${clean(url)}\n${clean(accessOf(canvas))}${expiry}\n\n${terminal.table(rows, COLUMNS)}${links.map((link) => `\n${clean(link)}\n`).join("")}`,
  );
}

/** The number of times that a change is made anew on what others save meanwhile. */
const ATTEMPTS = 5;

/**
 * Sends the changes of the sharing settings that the flags name, if there are any. If somebody else changes the settings at the same time,
 * makes the changes anew on theirs. Returns the invitations of the removed guests.
 */
async function saveSharing(
  known: Canvas,
  options: ShareOptions,
  expiresAt: number | null | undefined,
  guests: Guest[],
  { api }: Service,
): Promise<Guest[]> {
  const { access, add, remove } = options;
  for (let attempt = 1, canvas = known; ; attempt++) {
    const { people, revoked } = peopleAfter(options, canvas, guests);
    const { sharingRevision } = canvas;
    const body = {
      ...(access === undefined ? {} : { access }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(add === undefined && remove === undefined ? {} : { people }),
    };
    if (Object.keys(body).length === 0) return revoked;
    const expected = sharingRevision === null ? {} : { expectedSharing: sharingRevision };
    try {
      const params = { path: { id: canvas.id } };
      await api.PUT("/api/canvases/{id}/sharing", { params, body: { ...body, ...expected } });
      return revoked;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "SHARE_CONFLICT" || attempt === ATTEMPTS) throw error;
      canvas = error.body.current as Canvas;
    }
  }
}

/**
 * Makes the changes that the flags name, and prints who may open the canvas. One request makes all changes except invitations and the
 * listing. A canvas that everyone who can sign in may enter is listed, unless `--unlisted` is given.
 */
export async function share(options: ShareOptions, context: Context): Promise<void> {
  const { access, unlisted, add, expires, invite = [] } = options;
  const expiresAt =
    expires === undefined
      ? undefined
      : expires === "never"
        ? null
        : parseMoment(expires, "--expires", "future");
  for (const each of add ?? []) parsePerson(each);
  const { service, canvas } = await findCanvas(options, context);
  const path = { id: canvas.id };
  const guests = await readGuests(canvas.id, service);
  const revoked = await saveSharing(canvas, options, expiresAt, guests, service);
  const listing = unlisted ? "link_only" : access === "whole_org" ? "listed" : canvas.discoverability;
  if (listing !== canvas.discoverability)
    await service.api.PATCH("/api/canvases/{id}", { params: { path }, body: { discoverability: listing } });
  for (const { id } of revoked)
    await service.api.DELETE("/api/canvases/{id}/invites/{invite}", {
      params: { path: { ...path, invite: id } },
    });
  const made: Guest[] = [];
  for (const email of invite)
    made.push(
      await bodyOf(service.api.POST("/api/canvases/{id}/invites", { params: { path }, body: { email } })),
    );
  const left = guests.filter((guest) => !revoked.includes(guest));
  show(await canvasById(canvas.id, service), [...made, ...left], context.terminal);
}
