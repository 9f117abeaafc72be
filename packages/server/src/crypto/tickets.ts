import { newId } from "./ids.ts";
import type { Signer } from "./secrets.ts";

/** What a ticket is for: most ask a person something on a page of the service, with everything that the answer applies to. */
export type TicketPurpose = "oauth.authorize" | "oauth.device" | "confirm" | "elicit" | "upload" | "check";

/** The time within which a person must answer a question. */
const LIFETIME_MS = 10 * 60_000;

interface Context {
  signer: Signer;
  clock(): number;
}

/** A question to one person. */
export interface Ticket<Asked> {
  /** The id of the ticket, by which its use is recorded. */
  id: string;
  /** The id of the person. */
  user: string;
  /** When the ticket expires, in epoch milliseconds. */
  expires: number;
  asked: Asked;
}

/**
 * Returns a signed text that contains a question to a person, so that the answer applies to exactly this question (decision 045). The
 * question can be read by everybody who has the text.
 */
export function issueTicket<Asked>(
  purpose: TicketPurpose,
  { id: user }: { id: string },
  asked: Asked,
  { signer, clock }: Context,
  lifetime: number = LIFETIME_MS,
): string {
  const ticket: Ticket<Asked> = { id: newId(), user, expires: clock() + lifetime, asked };
  const text = Buffer.from(JSON.stringify(ticket)).toString("base64url");
  return `${text}.${signer.sign(purpose, text)}`;
}

/**
 * Returns what `issueTicket` has signed for any person, for tickets that stand for their person themselves. Returns null if the text is not a
 * ticket for this purpose, or has expired.
 */
export function openTicket<Asked>(
  purpose: TicketPurpose,
  text: string,
  { signer, clock }: Context,
): Ticket<Asked> | null {
  const [content = "", signature = ""] = text.split(".");
  if (!signer.verifies(signature, purpose, content)) return null;
  const ticket = JSON.parse(Buffer.from(content, "base64url").toString()) as Ticket<Asked>;
  return ticket.expires > clock() ? ticket : null;
}

/** Returns what `issueTicket` has signed. Returns null if the text is not a ticket for this purpose and person, or has expired. */
export function readTicket<Asked>(
  purpose: TicketPurpose,
  text: string,
  { id }: { id: string },
  context: Context,
): Ticket<Asked> | null {
  const ticket = openTicket<Asked>(purpose, text, context);
  return ticket?.user === id ? ticket : null;
}
