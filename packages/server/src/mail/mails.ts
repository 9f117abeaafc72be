import type { MailSwitches } from "@easel/protocol/management";
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

/**
 * Returns a text of others as one short line: control characters, and those that change the direction of text, could pose as other lines. Half of a
 * surrogate pair, which no mail can carry, becomes a replacement character.
 */
function oneLine(text: string): string {
  const line = [
    ...text
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
      .trim(),
  ];
  return line.length <= TEXT_MAX
    ? line.join("")
    : `${line
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
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const textOf = (paragraphs: string[], { base }: Pick<Env, "base">, footer = "") =>
  [...paragraphs, `-- \nSent by ${base.origin}${footer}`].join("\n\n");

/** The last line of the mails that people can turn off. */
const choice = ({ base }: Pick<Env, "base">) =>
  `\nWhich mails you get, you choose in your account: ${base.origin}/account#mails`;

/** The mail with the link of an invitation to a guest. `until` is in epoch milliseconds. */
export const invitationMail = (
  guest: { email: string; name: string },
  { title, url, until }: { title: string; url: string; until: number },
  by: Sender,
  env: Pick<Env, "base">,
): Mail => ({
  kind: "invitation",
  recipient: guest.email,
  recipientName: oneLine(guest.name),
  subject: `${oneLine(by.name)} invites you to “${oneLine(title)}”`,
  body: textOf(
    [
      `${whole(by)} invites you to the page “${oneLine(title)}” on ${env.base.host}.`,
      `Open it with this link, which is for you alone:\n${url}`,
      `The link works until ${dayOf(until)}. If you do not know who invites you, ignore this mail.`,
    ],
    env,
  ),
  isForGuest: true,
});

/** The mail that a canvas is shared with a person. */
export const sharedMail = (
  to: { email: string; role: "editor" | "viewer" },
  { title, slug }: { title: string; slug: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail => ({
  kind: "shared",
  recipient: to.email,
  recipientName: "",
  subject: `${oneLine(by.name)} has shared “${oneLine(title)}” with you`,
  body: textOf(
    [
      `${whole(by)} has shared the page “${oneLine(title)}” with you. You may ${to.role === "editor" ? "open and change" : "open"} it.`,
      env.base.canvasUrl(slug),
    ],
    env,
    choice(env),
  ),
  isForGuest: false,
});

/** The mail that a person owns a canvas now. */
export const ownershipMail = (
  to: { email: string },
  { title, slug }: { title: string; slug: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail => ({
  kind: "ownership",
  recipient: to.email,
  recipientName: "",
  subject: `“${oneLine(title)}” is yours now`,
  body: textOf(
    [
      `${whole(by)} has made you the owner of the page “${oneLine(title)}”. You decide now who may open it.`,
      env.base.canvasUrl(slug),
    ],
    env,
  ),
  isForGuest: false,
});

/** The mail that an administrator has made a person the owner of what somebody else owned. */
export const handoverMail = (
  to: { email: string },
  from: { email: string },
  by: Sender,
  env: Pick<Env, "base">,
): Mail => ({
  kind: "ownership",
  recipient: to.email,
  recipientName: "",
  subject: `Pages of ${from.email} are yours now`,
  body: textOf(
    [
      `${whole(by)} has made you the owner of pages that belonged to ${from.email}. You decide now who may open them.`,
      `You find them among your canvases:\n${env.base.origin}/`,
    ],
    env,
  ),
  isForGuest: false,
});

/** The mail that an access token ends soon. `ends` is in epoch milliseconds. */
export const tokenMail = (
  to: { email: string; name: string },
  token: { name: string; ends: number },
  env: Pick<Env, "base">,
): Mail => ({
  kind: "token",
  recipient: to.email,
  recipientName: oneLine(to.name),
  subject: `Your access token “${oneLine(token.name)}” ends on ${dayOf(token.ends)}`,
  body: textOf(
    [
      `Your access token “${oneLine(token.name)}” ends on ${dayOf(token.ends)}. What uses it stops working then.`,
      `Make a new one, and end this one, on your account:\n${env.base.origin}/tokens`,
    ],
    env,
  ),
  isForGuest: false,
});
