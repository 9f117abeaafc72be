import { issueTicket, readTicket, type Ticket } from "../../crypto/tickets.ts";
import { refuse } from "../../http/refusal.ts";
import { answerTo, recordAnswer } from "../../identity/used-tickets.ts";
import { Asked } from "../tool.ts";
import type { ToolCall } from "../tool-call.ts";
import type { Question } from "./proposal.ts";

/** A question of a connected tool, as a ticket contains it. */
export interface AskedQuestion extends Question {
  /** The id of the connected tool. */
  app: string;
}

/** A question that the program may show itself, with the revision of the settings to which the answer applies. */
interface FormQuestion extends AskedQuestion {
  revision: string;
}

/** How long the link of a question may be. The sign-in, which may come between, cannot return to a much longer one. */
const MAX_TICKET_LENGTH = 1_400;

/** The name of the question in the answers of programs. */
const CONFIRM = "confirm";

/** Returns a text that is the same whenever a connected tool asks the same. */
const sameQuestion = ({ app, tool, canvas, args }: AskedQuestion): string =>
  JSON.stringify([app, tool, canvas, args]);

/** Records that the person has refused: the ticket, and the same question until the ticket would have expired. */
export async function recordRefusal(ticket: Ticket<AskedQuestion>, env: ToolCall["env"]): Promise<boolean> {
  const recorded = await recordAnswer(ticket, "refused", env);
  if (recorded)
    await recordAnswer({ id: sameQuestion(ticket.asked), expires: ticket.expires }, "refused", env);
  return recorded;
}

function refuseForPerson(): never {
  return refuse("PERMISSION_DENIED", {
    message: "Your person did not allow this.",
    hint: "Do not ask again and do not try another way, unless they tell you to.",
  });
}

const refuseState = (): never =>
  refuse("INVALID_BODY", {
    message: "`requestState` is not valid for this call: it is for another one, was used, or has run out.",
    hint: "Call the tool again without it.",
  });

/** What the program has answered to the question: undefined if it has sent no answer. */
function responseOf({
  dialogue: { responses },
}: ToolCall): { action?: unknown; allow?: unknown } | undefined {
  const response = responses?.[CONFIRM];
  if (typeof response !== "object" || response === null) return undefined;
  const { action, content } = response as { action?: unknown; content?: { allow?: unknown } | null };
  return { action, allow: content?.allow };
}

/** Returns the result of a call that asks the program to ask its person. */
const question = (params: object, requestState: string): Asked =>
  new Asked({
    resultType: "input_required",
    inputRequests: { [CONFIRM]: { method: "elicitation/create", params } },
    requestState,
  });

/** Throws `CONFIRMATION_REQUIRED` with the link that the person must open. */
function refuseUntilConfirmed(url: string, before: string): never {
  return refuse("CONFIRMATION_REQUIRED", {
    message: `${before}This needs your person. Ask them to open ${url} within 10 minutes and to answer there.`,
    hint: "When they have answered, call `get_canvas` to see what holds. Do not try another way.",
  });
}

/** What is asked, and how. */
export interface Asking extends Question {
  /** What would happen, in one sentence for the person. */
  sentence: string;
  /** What has been done already, in a sentence for the model; empty for nothing. */
  done?: string;
  /** The revision of the settings to which an answer by a form applies; null if only the page of the service may be answered. */
  formFor: string | null;
}

/**
 * Asks the person whether a tool may do something: by a form of the program if that suffices and the program has one, otherwise by a page of
 * the service, to which the program or a link leads. Returns "allowed" if the call contains the answer of the person to the form; it can be
 * used only once. Otherwise returns the result that asks, or throws 403 `CONFIRMATION_REQUIRED`, or `PERMISSION_DENIED` if the person refused.
 */
export async function askPerson(
  call: ToolCall,
  { tool, canvas, args, sentence, done = "", formFor }: Asking,
): Promise<Asked | "allowed"> {
  const { app, caller, env, dialogue } = call;
  const asked: AskedQuestion = { app: app.id, tool, canvas, args };
  const linkTo = (ticket: string) => `${env.base.origin}/confirm/${ticket}`;
  if (dialogue.state !== undefined) {
    const answer = responseOf(call);
    const form = readTicket<FormQuestion>("elicit", dialogue.state, caller.user, env);
    const link = form ?? readTicket<AskedQuestion>("confirm", dialogue.state, caller.user, env);
    if (link === null || sameQuestion(link.asked) !== sameQuestion(asked)) return refuseState();
    const known = await answerTo(link.id, env);
    if (known === "refused") return refuseForPerson();
    if (known === "allowed") return refuseState();
    if (answer?.action === "decline") {
      await recordRefusal(link, env);
      return refuseForPerson();
    }
    if (form === null) return refuseUntilConfirmed(linkTo(dialogue.state), done);
    if (formFor === null || form.asked.revision !== formFor) return refuseState();
    if (answer?.action !== "accept") return refuseForPerson();
    if (answer.allow !== true) {
      await recordRefusal(form, env);
      return refuseForPerson();
    }
    return (await recordAnswer(form, "allowed", env)) ? "allowed" : refuseState();
  }
  if ((await answerTo(sameQuestion(asked), env)) === "refused") return refuseForPerson();
  if (formFor !== null && dialogue.asksByForm) {
    const allow = { type: "boolean", title: "Allow", default: false };
    const requestedSchema = { type: "object", properties: { allow }, required: ["allow"] };
    const state = issueTicket<FormQuestion>("elicit", caller.user, { ...asked, revision: formFor }, env);
    return question({ mode: "form", message: sentence, requestedSchema }, state);
  }
  const ticket = issueTicket("confirm", caller.user, asked, env);
  if (ticket.length > MAX_TICKET_LENGTH)
    refuse("INVALID_BODY", {
      message: `${done}This is too much for one question to your person.`,
      hint: "Share with fewer people or teams in one call.",
    });
  if (dialogue.asksByPage) return question({ mode: "url", message: sentence, url: linkTo(ticket) }, ticket);
  return refuseUntilConfirmed(linkTo(ticket), done);
}

/** Asks the person on the page of the service, as `askPerson` does where no form suffices. */
export async function askOnPage(call: ToolCall, asking: Omit<Asking, "formFor">): Promise<Asked> {
  const outcome = await askPerson(call, { ...asking, formFor: null });
  return outcome === "allowed" ? refuseState() : outcome;
}
