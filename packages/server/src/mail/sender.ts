import type { Transporter } from "nodemailer";
import { isLoopback } from "../config/config.ts";
import type { Env } from "../env.ts";
import { alone } from "../instance/jobs.ts";
import { mailSteps, sendsMail } from "./mail-queue.ts";
import { tokenMail } from "./mails.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time between two looks into the outbox, in milliseconds. */
const INTERVAL_MS = 5_000;
/** The time between two looks at tokens that end soon. */
const TOKENS_MS = 6 * HOUR_MS;
/** How long before its end a token is told. */
const TOKEN_NOTICE_MS = 7 * DAY_MS;
/** For how long a mail is tried, and the longest wait between two tries. */
const GIVEN_UP_MS = 3 * DAY_MS;
const WAIT_MAX_MS = 6 * HOUR_MS;
/** The number of mails that are read at once. */
const BATCH = 20;

interface Row {
  id: string;
  recipient: string;
  recipient_name: string;
  subject: string;
  body: string;
  created_at: number;
  tries: number;
}

/** The state of the SMTP connection of a process: made by the first mail. */
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
  });
};

/** Starts to send what is in the outbox, on one process of the instance at a time. Does nothing if mail is off. Returns a function that ends it. */
export function startMail(env: Env, intervalMs = INTERVAL_MS): () => Promise<void> {
  if (!sendsMail(env)) return async () => {};
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let tokensAt = 0;
  const look = () => {
    running ??= (async () => {
      if (Math.abs(env.clock() - tokensAt) >= TOKENS_MS) {
        tokensAt = env.clock();
        await tellTokens(env);
      }
      await sendDue(env, stop.signal);
    })()
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

/** Sends the mails that are due. A process that dies between sending a mail and writing it down sends it again, with the same Message-ID. */
async function sendDue(env: Env, stop: AbortSignal): Promise<void> {
  const due = () => env.db.all<Row>`
    select id, recipient, recipient_name, subject, body, created_at, tries from outbox
    where due_at <= ${env.clock()} order by due_at limit ${BATCH}`;
  if ((await due()).length === 0) return;
  const send = async (lost: AbortSignal) => {
    const transport = await newTransport(env);
    try {
      for (let rows = await due(); rows.length > 0; rows = await due())
        for (const row of rows) {
          if (lost.aborted || stop.aborted) return;
          await sendOne(row, transport, env);
        }
    } finally {
      transport.close();
    }
  };
  await alone("mail", send, env, { stop });
}

async function sendOne(row: Row, transport: Transporter, env: Env): Promise<void> {
  const { id, recipient, recipient_name, subject, body, created_at } = row;
  const tries = row.tries + 1;
  const message = {
    from: env.config.mailFrom ?? "",
    to: { name: recipient_name, address: recipient },
    subject,
    text: body,
    messageId: `<${id.replace(/[^\w-]/g, "-")}@${env.base.hostname}>`,
    headers: { "Auto-Submitted": "auto-generated" },
  };
  const error = await transport.sendMail(message).then(
    () => null,
    (reason: Error & { responseCode?: number; code?: string }) => reason,
  );
  if (error === null) {
    await env.db.withReserve.run`
      update outbox set due_at = null, tries = ${tries}, subject = '', body = '', error = null where id = ${id}`;
    return;
  }
  const { responseCode = 0, code = "", message: why } = error;
  // A server that refuses this service, such as its password, may take the mail later.
  const isRefused = responseCode >= 500 && ["EENVELOPE", "EMESSAGE"].includes(code);
  const isDead = isRefused || env.clock() - created_at > GIVEN_UP_MS;
  // The text of the server may contain the address, which is not for the log.
  const fields = { mail: id, tries, responseCode, code };
  env.log.warn(fields, isDead ? "a mail is given up" : "a mail could not be sent and is tried again");
  if (isDead)
    await env.db.withReserve.run`
      update outbox set due_at = null, tries = ${tries}, subject = '', body = '', error = ${why.slice(0, 500)} where id = ${id}`;
  else {
    const dueAt = env.clock() + Math.min(MINUTE_MS * 2 ** (tries - 1), WAIT_MAX_MS);
    await env.db.withReserve.run`
      update outbox set due_at = ${dueAt}, tries = ${tries}, error = ${why.slice(0, 500)} where id = ${id}`;
  }
}

/** Puts a mail into the outbox for each access token that ends within a week, once for each token. */
async function tellTokens(env: Env): Promise<void> {
  const now = env.clock();
  const rows = await env.db.all<{ id: string; token: string; ends: number; email: string; name: string }>`
    select tokens.id, tokens.name as token, tokens.expires_at as ends, users.email, users.name from tokens
    join users on users.id = user_id
    where expires_at > ${now} and expires_at <= ${now + TOKEN_NOTICE_MS} and tokens.created_at <= expires_at - ${TOKEN_NOTICE_MS}
      and deactivated_at is null`;
  for (const { id, token, ends, email, name } of rows) {
    const mail = tokenMail({ email, name }, { name: token, ends: Number(ends) }, env);
    for (const step of mailSteps(`token-${id}`, mail, null, env)) await env.db.batch([step]);
  }
}
