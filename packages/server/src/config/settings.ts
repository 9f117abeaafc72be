import { BlockList, isIP } from "node:net";
import { LIMITS } from "@easel/protocol/limits";
import { oauthClients } from "./oauth-clients.ts";
import {
  amount,
  list,
  oneOf,
  onOff,
  origin,
  pattern,
  type Setting,
  type SettingType,
  text,
  url,
  whole,
} from "./setting-types.ts";

const email = pattern("an e-mail address", /^[^\s@,]+@[^\s@,]+$/);
const domain = pattern("a domain name", /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i);
const headerName = pattern("a header name", /^[!#$%&'*+.^_`|~0-9a-z-]+$/i);
const rung = oneOf("private", "specific_people", "whole_org", "public_link", "password");

const networks: SettingType<BlockList> = {
  may: "IP addresses or networks such as `10.0.0.0/8`, separated by commas",
  read(value) {
    const listed = new BlockList();
    for (const entry of list(text).read(value)) {
      const [address = "", bits, ...rest] = entry.split("/");
      const ipv6 = isIP(address) === 6;
      if (rest.length > 0 || (bits !== undefined && !/^\d+$/.test(bits))) throw new RangeError();
      listed.addSubnet(
        address,
        bits === undefined ? (ipv6 ? 128 : 32) : Number(bits),
        ipv6 ? "ipv6" : "ipv4",
      );
    }
    return listed;
  },
};

const secrets: SettingType<string[]> = {
  may: "one or more secrets of at least 32 bytes, separated by commas",
  read(value) {
    const entries = value.split(",").map((entry) => entry.trim());
    if (entries.some((entry) => Buffer.byteLength(entry) < 32)) throw new RangeError();
    return entries;
  },
};

const keys32: SettingType<Buffer[]> = {
  may: "one or more keys of 32 bytes in base64, separated by commas",
  read(value) {
    const keys = value.split(",").map((entry) => Buffer.from(entry, "base64"));
    if (keys.some(({ length }) => length !== 32)) throw new RangeError();
    return keys;
  },
};

/** The prices of an AI model in US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** The price of input that is written to the provider's prompt cache for five minutes. */
  cacheWrite: number;
  /** The price of input that is read from the provider's prompt cache. */
  cacheRead: number;
}

const prices: SettingType<Record<string, Price>> = {
  may: "JSON: `{ model: { input, output, cacheWrite, cacheRead } }`",
  read(value) {
    const table = JSON.parse(value) as Record<string, Price>;
    if (typeof table !== "object" || table === null || Array.isArray(table)) throw new RangeError();
    for (const each of Object.values(table)) {
      const numbers = [each.input, each.output, each.cacheWrite, each.cacheRead];
      if (!numbers.every((number) => Number.isFinite(number) && number >= 0)) throw new RangeError();
    }
    return table;
  },
};

function setting<Value>(
  variable: string,
  kind: SettingType<Value>,
  fallback: NoInfer<Value>,
  meaning: string,
  more: { shown?: string; secret?: true } = {},
): Setting<Value> {
  return { variable, kind, fallback, meaning, ...more };
}

/** Defines a setting without a default. */
function optional<Value>(
  variable: string,
  kind: SettingType<Value>,
  meaning: string,
  more: { shown?: string; secret?: true } = {},
): Setting<Value | null> {
  return { variable, kind, fallback: null, meaning, ...more };
}

/** Every setting of the service. `docs/settings.md` is generated from this table. */
export const SETTINGS = {
  authMode: setting("SERVICE_AUTH_MODE", oneOf("dev", "proxy", "oidc"), "dev", "The way of signing in."),
  host: optional("SERVICE_HOST", text, "Address to listen at.", {
    shown: "`127.0.0.1` in dev mode, otherwise `0.0.0.0`",
  }),
  port: setting(
    "SERVICE_PORT",
    whole(0, 65_535),
    3000,
    "Port to listen on; 0 picks a free one, which is printed at the start unless SERVICE_BASE_URL is set.",
  ),
  workers: setting(
    "SERVICE_WORKERS",
    whole(1, 128),
    1,
    "Processes that serve on this machine, at the same port, each a node of its own. More than one needs PostgreSQL and a SERVICE_BUS_URL other than `memory:`.",
  ),
  baseUrl: optional(
    "SERVICE_BASE_URL",
    url("http", "https"),
    "Public URL, which determines origins, links and `Secure` cookies; TLS is terminated by a proxy in front. https outside dev mode, unless it is a loopback address.",
    { shown: "`http://localhost:{port}`" },
  ),
  urlMode: setting(
    "SERVICE_URL_MODE",
    oneOf("path", "subdomain"),
    "path",
    "Canvases at `{base}/c/{slug}/` or at `{slug}.{base host}`.",
  ),
  frameAncestors: setting(
    "SERVICE_FRAME_ANCESTORS",
    list(origin),
    [],
    "Further origins whose pages may frame canvases; their own host and the base host always may.",
    { shown: "none" },
  ),
  dataDir: setting("SERVICE_DATA_DIR", text, "./data", "Everything that the embedded defaults store."),
  diskReserve: optional(
    "SERVICE_DISK_RESERVE_BYTES",
    whole(0),
    "Bytes to keep free on the disks of the data directory, the SQLite database and the blobs: below that, writes are refused, except for sign-in, sessions, deletions and the audit log. 0 turns it off.",
    { shown: "256 MiB, at most a tenth of the disk" },
  ),
  databaseUrl: optional("SERVICE_DATABASE_URL", url("sqlite", "postgres", "postgresql"), "The database.", {
    shown: "`sqlite:{data dir}/easel.db`",
    secret: true,
  }),
  blobsUrl: optional(
    "SERVICE_BLOBS_URL",
    url("file", "s3"),
    "The store of files and bundles: a directory, or a [bucket of S3](operating.md#s3), `s3://bucket/prefix?region=…`.",
    {
      shown: "`file:{data dir}/blobs`",
    },
  ),
  busUrl: setting(
    "SERVICE_BUS_URL",
    url("memory", "redis", "rediss"),
    "memory:",
    "Messages between all nodes, and what they count together: rate limits, connections, who is present. `memory:` for one node; `redis://user:password@host:6379/0` or `rediss://` (TLS) for several, with Redis 7 or Valkey.",
    {
      secret: true,
    },
  ),
  sessionSecret: optional(
    "SERVICE_SESSION_SECRET",
    secrets,
    "Signs cookies. With several secrets, for rotation, the first signs and all verify.",
    {
      shown: "required outside dev mode",
      secret: true,
    },
  ),
  encryptionKeys: setting(
    "SERVICE_ENCRYPTION_KEY",
    keys32,
    [],
    "Encrypts the protected headers of Connections at rest. With several keys, for rotation, the first encrypts and all decrypt.",
    { shown: "none", secret: true },
  ),

  adminEmails: setting("SERVICE_ADMIN_EMAILS", list(email), [], "Instance administrators.", {
    shown: "`dev@example.com` in dev mode",
  }),
  allowedEmailDomains: setting(
    "SERVICE_ALLOWED_EMAIL_DOMAINS",
    list(domain),
    [],
    "Sign-in is refused outside these domains.",
    { shown: "any" },
  ),
  proxyTrustedIps: setting(
    "SERVICE_PROXY_TRUSTED_IPS",
    networks,
    new BlockList(),
    "Identity headers and `X-Forwarded-For` are trusted from these peers only.",
    { shown: "none" },
  ),
  proxyEmailHeader: setting(
    "SERVICE_PROXY_EMAIL_HEADER",
    headerName,
    "X-Auth-Request-Email",
    "Header with the person's e-mail address.",
  ),
  proxyNameHeader: setting(
    "SERVICE_PROXY_NAME_HEADER",
    headerName,
    "X-Auth-Request-Preferred-Username",
    "Header with the person's name.",
  ),
  proxyJwksUrl: optional(
    "SERVICE_PROXY_JWT_JWKS_URL",
    url("http", "https"),
    "Keys of the proxy's signed token; when set, no other credential is accepted.",
  ),
  proxyJwtIssuer: optional("SERVICE_PROXY_JWT_ISSUER", text, "Issuer that the signed token must name."),
  proxyJwtAudience: optional("SERVICE_PROXY_JWT_AUDIENCE", text, "Audience that the signed token must name."),
  proxyJwtHeader: setting(
    "SERVICE_PROXY_JWT_HEADER",
    headerName,
    "Cf-Access-Jwt-Assertion",
    "Header with the signed token.",
  ),
  oidcIssuer: optional("SERVICE_OIDC_ISSUER", url("http", "https"), "OpenID Connect issuer."),
  oidcClientId: optional("SERVICE_OIDC_CLIENT_ID", text, "OpenID Connect client."),
  oidcClientSecret: optional("SERVICE_OIDC_CLIENT_SECRET", text, "OpenID Connect client secret.", {
    secret: true,
  }),
  oidcScopes: setting("SERVICE_OIDC_SCOPES", text, "openid email profile", "OpenID Connect scopes."),

  oauthRegistration: setting(
    "SERVICE_OAUTH_REGISTRATION",
    onOff,
    true,
    "Whether AI tools and other programs may register themselves to ask people for access. Some, such as Cursor, cannot connect otherwise. When it is turned off, those that have registered before cannot ask anybody any more either.",
  ),
  oauthClients: setting(
    "SERVICE_OAUTH_CLIENTS",
    oauthClients,
    { hosts: [], clients: [] },
    'Programs that may ask people for access. A host such as `"claude.ai"`: if there is any, programs that are described by a document on the web must have it at one of these hosts, and programs that register themselves may return to web addresses there. An object `{ "clientId", "name", "redirectUris" }`: a program of your own. See [AI tools](agents.md).',
    { shown: "documents of every host" },
  ),

  publicLinks: setting("SERVICE_PUBLIC_LINKS", onOff, true, "Whether canvases may be shared by Public link."),
  tenancy: setting(
    "SERVICE_TENANCY",
    onOff,
    false,
    "Whether people belong to organisations by verified e-mail domain.",
  ),
  quotaCanvases: setting(
    "SERVICE_QUOTA_CANVASES",
    whole(0),
    200,
    "Maximum of canvases that one person owns, not counting deleted ones. Administrators can change it, also for one person.",
  ),
  quotaBundleBytes: setting(
    "SERVICE_QUOTA_BUNDLE_BYTES",
    whole(0),
    5 * 1024 ** 3,
    "Maximum of bytes of the bundles of all canvases of one owner: the files with their compressed variants, the rows of all versions, and what has been removed until it is swept; files that versions of a canvas share count once. Administrators can change it, also for one person.",
  ),
  quotaFilesBytes: setting(
    "SERVICE_QUOTA_FILES_BYTES",
    whole(0),
    50 * 1024 ** 3,
    "Maximum of bytes of the files that pages upload to all canvases of one owner, including deleted canvases. Administrators can change it, also for one person.",
  ),
  versionsKept: setting(
    "SERVICE_VERSIONS_KEPT",
    whole(1),
    50,
    "Number of newest versions of a canvas that a deploy keeps, besides the published one. Administrators can change it, also for the canvases of one owner.",
  ),
  rateLimit: setting(
    "SERVICE_RATELIMIT_ENABLED",
    onOff,
    true,
    "Whether requests are rate-limited. Frames of open realtime connections and calls through Connections always are.",
  ),
  canvasPerMinute: setting(
    "SERVICE_RATELIMIT_CANVAS_API_PER_MIN",
    whole(1),
    120,
    "Runtime API, per user per canvas.",
  ),
  aiPerMinute: setting("SERVICE_RATELIMIT_AI_PER_MIN", whole(1), 10, "AI, per user."),
  managementPerMinute: setting("SERVICE_RATELIMIT_MANAGEMENT_PER_MIN", whole(1), 240, "`/api/*`, per user."),
  loginPerMinute: setting(
    "SERVICE_RATELIMIT_LOGIN_PER_MIN",
    whole(1),
    20,
    "Sign-in attempts per client address; IPv6 addresses are grouped by /64.",
  ),
  gatePerMinute: setting(
    "SERVICE_RATELIMIT_GATE_PER_MIN",
    whole(1),
    10,
    "Password attempts per client address and per signed-in user. Wrong passwords by anonymous callers are limited to five times as many per canvas.",
  ),

  realtime: setting("SERVICE_REALTIME", onOff, true, "Whether canvases may use realtime."),
  realtimePerCanvas: setting(
    "SERVICE_REALTIME_CONNECTIONS_PER_CANVAS",
    whole(1),
    LIMITS.connectionsPerCanvas.value,
    "Open realtime connections to one canvas, on all nodes together. Every open tab of a page that uses `live`, `watch` or a channel has one. Further tabs read their data every half minute.",
  ),
  realtimePerPerson: optional(
    "SERVICE_REALTIME_CONNECTIONS_PER_PERSON",
    whole(1),
    "Open realtime connections of one person to one canvas, such as 10. Without it, one person may have all connections of a canvas.",
  ),
  publishesPerMinute: setting(
    "SERVICE_REALTIME_PUBLISHES_PER_MIN",
    whole(1),
    LIMITS.publishesPerMinute.value,
    "Messages published per realtime connection. Other frames are limited to six times as many, at least 600. Below 100, the SDK's `batch` and `latest` send too many.",
  ),
  authoring: setting("SERVICE_AUTHORING", onOff, false, "Whether canvases may publish further canvases."),
  authoringScope: setting(
    "SERVICE_AUTHORING_SCOPE",
    oneOf("person", "canvas"),
    "person",
    "What a page with authoring may list, change and take offline. `person`: every canvas that the person who has the page open owns or edits, and any canvas whose id it knows while an administrator has it open; for pages that you trust as you trust these people. `canvas`: only canvases that were published from a page of the same canvas, and never by the rights of an administrator; canvases that releases without this setting published are not among them.",
  ),
  authoringRungs: setting(
    "SERVICE_AUTHORING_ALLOWED_RUNGS",
    list(rung),
    ["private", "specific_people", "whole_org", "public_link"],
    "Access values that authoring accepts. `public_link` includes `password`; `specific_people` is another name of `private`.",
  ),
  authoringMaxExpiryDays: setting(
    "SERVICE_AUTHORING_MAX_EXPIRY_DAYS",
    whole(0),
    0,
    "Maximum time to the expiry of an authored canvas; 0 means no maximum.",
  ),
  authoringRequireExpiry: setting(
    "SERVICE_AUTHORING_REQUIRE_EXPIRY",
    onOff,
    false,
    "Whether an authored canvas must expire.",
  ),
  authoringDailyMax: setting(
    "SERVICE_AUTHORING_USER_DAILY_MAX",
    whole(0),
    20,
    "Canvases that a person may author on one day (UTC).",
  ),
  authoringTotalMax: setting(
    "SERVICE_AUTHORING_USER_TOTAL_MAX",
    whole(0),
    200,
    "Canvases that a person may author in all, including deleted ones.",
  ),

  aiProvider: setting(
    "SERVICE_AI_PROVIDER",
    oneOf("anthropic", "openai"),
    "anthropic",
    "`openai` is any server that speaks its protocol.",
  ),
  aiApiKey: optional("SERVICE_AI_API_KEY", text, "Without one, AI is off for the instance.", {
    secret: true,
  }),
  aiBaseUrl: optional("SERVICE_AI_BASE_URL", url("http", "https"), "Address of the provider.", {
    shown: "the provider's own",
  }),
  aiModels: setting("SERVICE_AI_MODELS", list(text), [], "Models that canvases may use.", {
    shown: "current models of the provider",
  }),
  aiPrices: setting(
    "SERVICE_AI_PRICES",
    prices,
    {},
    "USD per million tokens; adds to and overrides the built-in table. A model without a price is not allowed.",
    { shown: "built-in table" },
  ),
  aiUserDailyUsd: setting("SERVICE_AI_USER_DAILY_USD", amount, 5, "Spend cap per person per day."),
  aiCanvasMonthlyUsd: setting("SERVICE_AI_CANVAS_MONTHLY_USD", amount, 50, "Spend cap per canvas per month."),
  aiGuestUsd: setting("SERVICE_AI_GUEST_USD", amount, 1, "Spend cap per guest."),
  aiInstanceMonthlyUsd: optional(
    "SERVICE_AI_INSTANCE_MONTHLY_USD",
    amount,
    "Spend cap of the whole instance per month. Without one, only the other caps apply.",
  ),
  callLog: setting(
    "SERVICE_CALL_LOG",
    onOff,
    true,
    "Whether the refused and failed calls to the runtime API of a canvas are logged for its owner and editors. They are kept for 7 days.",
  ),
  pageViews: setting(
    "SERVICE_PAGE_VIEWS",
    onOff,
    true,
    "Whether it is counted how often, and by how many people, the pages of canvases are opened. Owners and editors see numbers, never who it was. When it is turned off, what was counted is no longer shown, and removed as it expires.",
  ),
  connectionsPrivateCidrs: setting(
    "SERVICE_CONNECTIONS_PRIVATE_CIDRS",
    networks,
    new BlockList(),
    "Networks that Connections may reach although they are not public, such as `10.1.0.0/16`.",
    { shown: "none" },
  ),

  logLevel: setting(
    "SERVICE_LOG_LEVEL",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "info",
    "Log lines go to standard error as JSON; `debug` adds one per request.",
  ),
};
