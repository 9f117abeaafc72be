import manifest from "../../package.json" with { type: "json" };
import { type Config, isPostgres, shownText } from "../config/config.ts";
import type { Env } from "../env.ts";

/** What a service can have and the settings of this one leave out, with the setting that changes it. */
const PARTS: { name: string; isOff: (config: Config) => boolean; why: string }[] = [
  { name: "AI", isOff: ({ aiApiKey }) => aiApiKey === null, why: "SERVICE_AI_API_KEY is not set" },
  {
    name: "protected headers of Connections",
    isOff: ({ encryptionKeys }) => encryptionKeys.length === 0,
    why: "SERVICE_ENCRYPTION_KEY is not set",
  },
  { name: "mail", isOff: ({ smtpUrl }) => smtpUrl === null, why: "SERVICE_SMTP_URL is not set" },
  { name: "realtime", isOff: ({ realtime }) => !realtime, why: "SERVICE_REALTIME is off" },
  { name: "Public links", isOff: ({ publicLinks }) => !publicLinks, why: "SERVICE_PUBLIC_LINKS is off" },
  { name: "authoring", isOff: ({ authoring }) => !authoring, why: "SERVICE_AUTHORING is off" },
  { name: "rate limits", isOff: ({ rateLimit }) => !rateLimit, why: "SERVICE_RATELIMIT_ENABLED is off" },
  { name: "call log", isOff: ({ callLog }) => !callLog, why: "SERVICE_CALL_LOG is off" },
  { name: "page views", isOff: ({ pageViews }) => !pageViews, why: "SERVICE_PAGE_VIEWS is off" },
];

/** Describes a service that has started, in the fields of a line of the log: what it is, where it stores what, and what is off and why. */
export const describeStart = ({ config, base }: Pick<Env, "config" | "base">) => ({
  version: manifest.version,
  node: process.versions.node,
  address: base.origin,
  signIn: config.authMode,
  urlMode: config.urlMode,
  // The URL of PostgreSQL is a secret, but not the host in it.
  database: isPostgres(config.databaseUrl) ? shownText({}, config.databaseUrl) : config.databaseUrl,
  blobs: shownText({}, config.blobsUrl),
  bus: shownText({}, config.busUrl),
  off: Object.fromEntries(PARTS.filter(({ isOff }) => isOff(config)).map(({ name, why }) => [name, why])),
});
