import type { Transporter } from "nodemailer";
import { isLoopback } from "../config/config.ts";
import type { Env } from "../env.ts";
import { alone } from "../instance/jobs.ts";
import { sendsMail } from "./mail-queue.ts";
import { type DueMail, isMailDue, nextTurns, readMail } from "./mail-turns.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time between two looks into the outbox, in milliseconds. */
const INTERVAL_MS = 5_000;
/** For how long a mail is tried, and the longest wait between two tries. */
const GIVEN_UP_MS = 3 * DAY_MS;
const WAIT_MAX_MS = 6 * HOUR_MS;
/** The time after which a mail that the server is still taking has failed: a slow server would hold up all others. */
const MAIL_MS = MINUTE_MS;
/** How long nothing is sent after the server has failed as a whole. */
const PAUSE_MS = MINUTE_MS;

/** The SMTP connections of a process: none until the first mail. */
const newTransport = async ({ config }: Pick<Env, "config">): Promise<Transporter> => {
  const { createTransport } = await import("nodemailer");
  const url = config.smtpUrl ?? "";
  return createTransport({
    url,
    requireTLS: !isLoopback(new URL(url).hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // For how long a server that does not close its side keeps the process from ending.
    socketCloseTimeout: 500,
  });
};

/** Where the sender of a process is: the person who had the last turn, and until when nothing is sent, in epoch milliseconds. */
interface Place {
  person: string;
  pausedUntil: number;
}

/** Starts to send what is in the outbox, on one process of the instance at a time. Does nothing if mail is off. Returns a function that ends it. */
export function startMail(env: Env, intervalMs = INTERVAL_MS): () => Promise<void> {
  if (!sendsMail(env)) return async () => {};
  const stop = new AbortController();
  const place: Place = { person: "", pausedUntil: 0 };
  let running: Promise<void> | null = null;
  const look = () => {
    if (env.clock() < place.pausedUntil) return;
    running ??= sendDue(place, env, stop.signal)
      .catch((err) => env.log.warn({ err }, "mails wait for the database"))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(look, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    stop.abort();
    await running;
  };
}

/**
 * Sends the mails that are due: people take turns, one mail each. Ends when the server fails as a whole, so that it is not asked for every mail. A
 * process that dies between sending a mail and writing it down sends it again, with the same Message-ID.
 */
async function sendDue(place: Place, env: Env, stop: AbortSignal): Promise<void> {
  if (!(await isMailDue(env))) return;
  const send = async (lost: AbortSignal) => {
    const ended = AbortSignal.any([lost, stop]);
    const transport = await newTransport(env);
    try {
      while (!ended.aborted && (await isMailDue(env))) {
        const { turns, last } = await nextTurns(place.person, env);
        for (const { person, mail: id } of turns) {
          const mail = id === null ? undefined : await readMail(id, env);
          if (mail === undefined) continue;
          const { outcome, error } = await deliver(mail, transport, env, ended);
          if (outcome === "ended") return;
          await writeDown(mail, outcome, error, env);
          place.person = person;
          if (outcome === "failed") {
            place.pausedUntil = env.clock() + PAUSE_MS;
            return;
          }
        }
        place.person = last;
      }
    } finally {
      transport.close();
    }
  };
  await alone("mail", send, env, { stop });
}

/**
 * What became of a mail: the server has taken it; has refused it for good; or does not take it now; or the server has failed as a whole, or refuses
 * this service. `void`: it is not to be sent any more. `ended`: it was broken off.
 */
type Outcome = "sent" | "refused" | "later" | "failed" | "void" | "ended";

/** An error of the package that speaks SMTP: the reply of the server, if there was one, and the command that it replied to. */
interface SmtpError extends Error {
  responseCode?: number;
  code?: string;
  command?: string;
}

async function deliver(
  { id, recipient, recipient_name, subject, body, created_at, is_void }: DueMail,
  transport: Transporter,
  env: Env,
  ended: AbortSignal,
): Promise<{ outcome: Outcome; error: SmtpError | null }> {
  if (is_void === 1) return { outcome: "void", error: null };
  const message = {
    from: env.config.mailFrom ?? "",
    to: { name: recipient_name, address: recipient },
    subject,
    text: body,
    // An id can come again once its row has been removed.
    messageId: `<${id.replace(/[^\w-]/g, "-")}.${created_at}@${env.base.hostname}>`,
    headers: { "Auto-Submitted": "auto-generated" },
    signal: AbortSignal.any([ended, AbortSignal.timeout(MAIL_MS)]),
  };
  try {
    await transport.sendMail(message);
    return { outcome: "sent", error: null };
  } catch (error) {
    return { outcome: ended.aborted ? "ended" : outcomeOf(error as SmtpError), error: error as SmtpError };
  }
}

/** Tells whether an error is about one mail. What the server says to the sender's address and before is about this service. */
function outcomeOf({ code = "", command = "", responseCode }: SmtpError): Outcome {
  const isOfMail = ["EENVELOPE", "EMESSAGE"].includes(code) && command !== "MAIL FROM";
  if (!isOfMail) return "failed";
  // Without a reply, the package has not even asked: it is no address that SMTP can carry.
  return responseCode === undefined || responseCode >= 500 ? "refused" : "later";
}

/** Writes down what became of a mail. Its text, which can contain the link of an invitation, goes with the last try. */
async function writeDown(
  { id, created_at, tries: before }: DueMail,
  outcome: Outcome,
  error: SmtpError | null,
  env: Env,
): Promise<void> {
  const db = env.db.withReserve;
  const tries = before + (outcome === "void" ? 0 : 1);
  const why =
    outcome === "void" ? "deactivated" : (error?.message.replaceAll("\0", "").slice(0, 500) ?? null);
  const isOver = ["sent", "refused", "void"].includes(outcome) || env.clock() - created_at > GIVEN_UP_MS;
  if (error !== null) {
    // The text of the server may contain the address, which is not for the log.
    const fields = { mail: id, tries, responseCode: error.responseCode ?? 0, code: error.code ?? "" };
    env.log.warn(fields, isOver ? "a mail is given up" : "a mail could not be sent and is tried again");
  }
  if (isOver)
    await db.run`update outbox set due_at = null, tries = ${tries}, subject = '', body = '', error = ${why} where id = ${id}`;
  else {
    const dueAt = env.clock() + Math.min(MINUTE_MS * 2 ** (tries - 1), WAIT_MAX_MS);
    await db.run`update outbox set due_at = ${dueAt}, tries = ${tries}, error = ${why} where id = ${id}`;
  }
}
