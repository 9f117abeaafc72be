import { startMail } from "../../src/mail/sender.ts";
import { startDev } from "../support/engines.ts";
import { atEnd, type Scope } from "../support/service.ts";
import { startSmtp } from "./smtp-server.ts";

/** Starts a service that sends mails at once, to a server of the test. */
export async function startMailing(scope: Scope, settings: Record<string, string> = {}) {
  const smtp = await startSmtp(scope);
  const { target, env } = await startDev(scope, {
    SERVICE_SMTP_URL: smtp.url,
    SERVICE_MAIL_FROM: "Easel <easel@acme.test>",
    SERVICE_LOG_LEVEL: "silent",
    ...settings,
  });
  const stop = startMail(env, 10);
  atEnd(scope, stop);
  return { smtp, target, env };
}

/** Returns the text of a message with soft line breaks and encoded characters of quoted-printable resolved. */
export const plain = (message: string) =>
  Buffer.from(
    message
      .replace(/=\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString();
