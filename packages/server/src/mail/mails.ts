import { MAIL_SWITCHES, type MailSwitches } from "@easel/protocol/management";
import type { Env } from "../env.ts";

/** A mail that the service sends. Its text has nothing of what canvases contain. */
export interface Mail {
  kind: "invitation" | "ownership" | "token" | keyof MailSwitches;
  recipient: string;
  recipientName: string;
  subject: string;
  body: string;
  /** Whether it is to a guest, who need not be able to sign in. */
  isForGuest: boolean;
}

/** The longest title or name in a mail, in characters. */
const TEXT_MAX = 80;

/** What mail programs take for a part of a host name: a dot, also one of those that host names can have instead, between letters. */
const HOST_DOT = /(?<=\S)[.\u3002\uff0e\uff61](?=\p{L})/gu;

/**
 * Returns a text of others as one short line: control characters, and those that change the direction of text, could pose as other lines. Nothing in
 * it becomes a link: the dots of host names become dots that host names do not have, and `://` goes. Half of a surrogate pair, which no mail can
 * carry, becomes a replacement character.
 */
function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .replaceAll("://", ": ")
    .replace(HOST_DOT, "\u2024");
  const letters = [...line];
  return letters.length <= TEXT_MAX
    ? line
    : `${letters
        .slice(0, TEXT_MAX - 1)
        .join("")
        .trimEnd()}…`;
}

/** A person as mails name them: with their address, because they choose their name themselves. */
interface Sender {
  name: string;
  email: string;
}

const whole = ({ name, email }: Sender) => `${oneLine(name)} (${email})`;
/** Returns the day in UTC of a time in epoch milliseconds, such as `2026-01-31`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** What a mail says, to whom. */
interface Letter {
  kind: Mail["kind"];
  to: { email: string; name?: string };
  subject: string;
  paragraphs: string[];
}

/** Makes a mail of what it says. A mail that people can turn off ends with where they do so. */
function mail({ kind, to, subject, paragraphs }: Letter, { base }: Pick<Env, "base">): Mail {
  const sender = `-- \nSent by ${base.origin}`;
  const choice = `\nWhich mails you get, you choose in your account: ${base.origin}/account#mails`;
  const hasChoice = MAIL_SWITCHES.some((each) => each === kind);
  return {
    kind,
    recipient: to.email,
    recipientName: oneLine(to.name ?? ""),
    subject,
    body: [...paragraphs, hasChoice ? sender + choice : sender].join("\n\n"),
    isForGuest: kind === "invitation",
  };
}

/** The mail with the link of an invitation to a guest. `until` is in epoch milliseconds. */
export const invitationMail = (
  guest: { email: string; name: string },
  { title, url, until }: { title: string; url: string; until: number },
  by: Sender,
  env: Pick<Env, "base">,
): Mail =>
  mail(
    {
      kind: "invitation",
      to: guest,
      subject: `${oneLine(by.name)} invites you to “${oneLine(title)}”`,
      paragraphs: [
        `${whole(by)} invites you to the page “${oneLine(title)}” on ${env.base.host}.`,
        `Open it with this link, which is for you alone:\n${url}`,
        `The link works until ${dayOf(until)}. If you do not know who invites you, ignore this mail.`,
      ],
    },
    env,
  );

/** The mail that a canvas is shared with a person. */
export const sharedMail = (
  to: { email: string; role: "editor" | "viewer" },
  { title, slug }: { title: string; slug: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail =>
  mail(
    {
      kind: "shared",
      to,
      subject: `${oneLine(by.name)} has shared “${oneLine(title)}” with you`,
      paragraphs: [
        `${whole(by)} has shared the page “${oneLine(title)}” with you. You may ${to.role === "editor" ? "open and change" : "open"} it.`,
        env.base.canvasUrl(slug),
      ],
    },
    env,
  );

/** The mail that somebody asks for access to a canvas, to its owner. It leads to the place where the owner gives it. */
export const askedMail = (
  to: { email: string; name: string },
  { id, title }: { id: string; title: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail =>
  mail(
    {
      kind: "asked",
      to,
      subject: `${oneLine(by.name)} asks for access to “${oneLine(title)}”`,
      paragraphs: [
        `${whole(by)} asks you to share your page “${oneLine(title)}” with them. They cannot open it.`,
        `Share it, if you like:\n${env.base.origin}/canvases/${id}/sharing?add=${encodeURIComponent(by.email)}`,
        "If you do not know them, ignore this mail: nothing has changed.",
      ],
    },
    env,
  );

/** The mail that a person owns a canvas now. */
export const ownershipMail = (
  to: { email: string },
  { title, slug }: { title: string; slug: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail =>
  mail(
    {
      kind: "ownership",
      to,
      subject: `“${oneLine(title)}” is yours now`,
      paragraphs: [
        `${whole(by)} has made you the owner of the page “${oneLine(title)}”. You decide now who may open it.`,
        env.base.canvasUrl(slug),
      ],
    },
    env,
  );

/** The mail that an administrator has made a person the owner of what somebody else owned. */
export const handoverMail = (
  to: { email: string },
  from: { email: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail =>
  mail(
    {
      kind: "ownership",
      to,
      subject: `Pages of ${from.email} are yours now`,
      paragraphs: [
        `${whole(by)} has made you the owner of pages that belonged to ${from.email}. You decide now who may open them.`,
        `You find them among your canvases:\n${env.base.origin}/`,
      ],
    },
    env,
  );

/** The mail that an access token ends soon. `ends` is in epoch milliseconds. */
export const tokenMail = (
  to: { email: string; name: string },
  token: { name: string; ends: number },
  env: Pick<Env, "base">,
): Mail =>
  mail(
    {
      kind: "token",
      to,
      subject: `Your access token “${oneLine(token.name)}” ends on ${dayOf(token.ends)}`,
      paragraphs: [
        `Your access token “${oneLine(token.name)}” ends on ${dayOf(token.ends)}. What uses it stops working then.`,
        `Make a new one, and end this one, on your account:\n${env.base.origin}/tokens`,
      ],
    },
    env,
  );

const MIB = 1024 * 1024;
const mebibytes = (bytes: number) => (bytes / MIB).toLocaleString("en", { maximumFractionDigits: 1 });

/** How the quotas that are told read in a mail: what takes how much, and what happens when nothing is left. */
const QUOTAS = {
  "canvases.person": {
    what: "Your canvases",
    amount: (used: number, limit: number) => `You have ${used} canvases, and may have ${limit}.`,
    end: "At the limit you cannot make another one.",
  },
  "bundles.bytes.person": {
    what: "The files of your canvases",
    amount: (used: number, limit: number) =>
      `All versions of your canvases take ${mebibytes(used)} of ${mebibytes(limit)} MiB.`,
    end: "At the limit nothing more can be published.",
  },
  "files.bytes.person": {
    what: "Uploads to your canvases",
    amount: (used: number, limit: number) =>
      `What the pages of your canvases have uploaded takes ${mebibytes(used)} of ${mebibytes(limit)} MiB.`,
    end: "At the limit nobody can upload more to them.",
  },
  "files.bytes.canvas": {
    what: "Uploads",
    amount: (used: number, limit: number) =>
      `What this page has uploaded takes ${mebibytes(used)} of ${mebibytes(limit)} MiB.`,
    end: "At the limit nobody can upload more to it.",
  },
};

/** The use of a quota, and the canvas that it is of; without one it is of all canvases of the person. */
interface QuotaUse {
  quota: keyof typeof QUOTAS;
  canvas?: { id: string; title: string };
  used: number;
  limit: number;
}

/** The mail that a quota is nearly used up, to the owner. */
export function quotaMail(
  to: { email: string; name: string },
  { quota, canvas, used, limit }: QuotaUse,
  env: Pick<Env, "base">,
): Mail {
  const { what, amount, end } = QUOTAS[quota];
  const percent = limit === 0 ? 100 : Math.floor((used * 100) / limit);
  const place = canvas === undefined ? "/account" : `/canvases/${canvas.id}/data`;
  const of = canvas === undefined ? "" : ` of “${oneLine(canvas.title)}”`;
  return mail(
    {
      kind: "quota",
      to,
      subject: `${what}${of} use ${percent} % of their limit`,
      paragraphs: [
        `${amount(used, limit)} ${end}`,
        `Delete what is not needed, or ask an administrator for more:\n${env.base.origin}${place}`,
      ],
    },
    env,
  );
}
