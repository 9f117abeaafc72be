import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

/** The time within which a person must answer a question. */
const LIFETIME_MS = 10 * 60_000;

interface Ticket<Asked> {
  user: string;
  /** When the ticket expires, in epoch milliseconds. */
  expires: number;
  asked: Asked;
}

type Purpose = "authorize" | "device";

/**
 * Returns a signed text for a hidden field of the form in which a person answers a question. It contains the question, so that the answer
 * applies to exactly this question (decision 045). Only a page that the service has shown to this person contains the text.
 */
export function issueTicket<Asked>(purpose: Purpose, { id }: User, asked: Asked, env: Env): string {
  const ticket: Ticket<Asked> = { user: id, expires: env.clock() + LIFETIME_MS, asked };
  const text = Buffer.from(JSON.stringify(ticket)).toString("base64url");
  return `${text}.${env.signer.sign(`oauth.${purpose}`, text)}`;
}

/** Returns the question in the ticket of an answered form. Throws 400 `INVALID_BODY` if the ticket is not valid for this person now. */
export function readTicket<Asked>(purpose: Purpose, ticket: string, { id }: User, env: Env): Asked {
  const [text = "", signature = ""] = ticket.split(".");
  if (env.signer.verifies(signature, `oauth.${purpose}`, text)) {
    const { user, expires, asked } = JSON.parse(Buffer.from(text, "base64url").toString()) as Ticket<Asked>;
    if (user === id && expires > env.clock()) return asked;
  }
  return refuse("INVALID_BODY", { message: "This question has run out. Start again in your terminal." });
}
