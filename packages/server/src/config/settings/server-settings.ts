import {
  list,
  oneOf,
  onOff,
  optional,
  origin,
  type SettingType,
  secrets,
  setting,
  text,
  url,
  whole,
} from "../setting-types.ts";

const keys32: SettingType<Buffer[]> = {
  may: "one or more keys of 32 bytes in base64, separated by commas",
  read(value) {
    const keys = value.split(",").map((entry) => Buffer.from(entry, "base64"));
    if (keys.some(({ length }) => length !== 32)) throw new RangeError();
    return keys;
  },
};

/** Settings of the server: where it listens, what it stores where, and its secrets. */
export const SERVER = {
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
  hsts: setting(
    "SERVICE_HSTS",
    oneOf("host", "subdomains"),
    "host",
    "Which hosts browsers open by https alone for a year, once they have been there, if SERVICE_BASE_URL is https. `subdomains`: also every host below the base host.",
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
  copiesBeforeMigrations: setting(
    "SERVICE_COPY_BEFORE_MIGRATIONS",
    onOff,
    true,
    "Whether the start of a new release copies an SQLite database into the data directory before it migrates it.",
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
};
