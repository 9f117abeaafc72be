import { optional, pattern, url } from "../setting-types.ts";

/** Settings of the mails that the service sends. */
export const MAIL = {
  smtpUrl: optional(
    "SERVICE_SMTP_URL",
    url("smtp", "smtps"),
    "The server that sends mails: `smtps://user:password@host:465`, or `smtp://user:password@host:587` with STARTTLS, which is required unless the server is on this machine or the URL ends with `?requireTLS=false`. Without it no mail is sent. See [mail](mail.md).",
    { secret: true },
  ),
  mailFrom: optional(
    "SERVICE_MAIL_FROM",
    pattern(
      "an address, or a name and an address as in `Easel <easel@example.com>`",
      /^([^<>\r\n"]*<[^\s@<>,]+@[^\s@<>,]+>|[^\s@<>,]+@[^\s@<>,]+)$/,
    ),
    "The sender of the mails.",
  ),
};
