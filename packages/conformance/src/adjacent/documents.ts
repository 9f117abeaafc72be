/** A policy document. The type is loose because the tests also send invalid documents. */
export type Document = Record<string, unknown>;

const CHANNEL = {
  subscribe: "viewers",
  publish: "editors",
  seePresence: "viewers",
  participatePresence: "none",
};

/** Returns a valid policy document that uses every field of the format: collections with overrides, file groups, channels and so on. */
export function complete(): Document {
  return {
    defaultMode: "participation",
    collections: {
      notes: { preset: "personal" },
      votes: { preset: "submissions", aggregateCount: "viewers" },
      "guest.book:2024_a-b": {
        preset: "contributions",
        overrides: {
          read: "viewers",
          create: "viewers",
          update: "own",
          delete: "own_and_editors",
          increment: "none",
        },
        aggregateCount: "editors",
      },
      "0": { preset: "managed" },
      [name(80)]: { preset: "collaborative", overrides: {} },
    },
    fileGroups: {
      photos: { preset: "contributions", overrides: { delete: "editors" } },
      forms: { preset: "submissions" },
    },
    channels: { chat: CHANNEL, "participants:wall": { ...CHANNEL, publish: "viewers" } },
    connections: {
      weather: { audience: "viewers", methods: ["GET", "HEAD"] },
      tickets: { audience: "editors" },
      nobody: { audience: "none" },
      closed: { audience: "viewers", methods: [] },
      "7.Tickets:EU_a-b": { audience: "viewers" },
      [name(80)]: { audience: "editors" },
    },
  };
}

/** Returns a valid policy document with `entries` collections, and as many file groups, channels and connections. */
export function full(entries: number): Document {
  const names = Array.from({ length: entries }, (_, index) => `name-${index}`);
  const each = (value: object) => Object.fromEntries(names.map((key) => [key, value]));
  return {
    defaultMode: "read_only",
    collections: each({ preset: "personal" }),
    fileGroups: each({ preset: "managed" }),
    channels: each(CHANNEL),
    connections: each({ audience: "editors" }),
  };
}

/** Returns a valid empty document. */
export const empty = (): Document => full(0);

const KINDS: [kind: string, entry: Document][] = [
  ["collections", { preset: "personal" }],
  ["fileGroups", { preset: "personal" }],
  ["channels", CHANNEL],
  ["connections", { audience: "viewers" }],
];
const BAD_NAMES = ["", "-a", ".a", "_a", ":a", "a b", "a/b", "ä", "a\u0000", "a\n", name(81)];
const RESERVED = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf"];

const collection = (entry: unknown): Document => ({ ...empty(), collections: { notes: entry } });
const group = (entry: unknown): Document => ({ ...empty(), fileGroups: { photos: entry } });
const channel = (entry: unknown): Document => ({ ...empty(), channels: { chat: entry } });
const connection = (entry: unknown): Document => ({ ...empty(), connections: { weather: entry } });

/** Invalid policy documents. Each row has a description of the fault and the document (specification 2, runtime policy document). */
export const WRONG: [what: string, document: unknown][] = [
  ...KINDS.flatMap(([kind, entry]): [string, unknown][] => [
    [`51 ${kind}`, { ...empty(), [kind]: (full(51) as Record<string, unknown>)[kind] }],
    [`${kind} as a list`, { ...empty(), [kind]: [entry] }],
    [`${kind} as null`, { ...empty(), [kind]: null }],
    [`an entry of ${kind} as null`, { ...empty(), [kind]: { a: null } }],
    [`an entry of ${kind} as a word`, { ...empty(), [kind]: { a: "personal" } }],
    [`an unknown field in ${kind}`, { ...empty(), [kind]: { a: { ...entry, more: true } } }],
    ...[...BAD_NAMES, ...RESERVED].map((bad): [string, unknown] => [
      `${JSON.stringify(bad.slice(0, 20))}${bad.length > 20 ? "…" : ""} as a name in ${kind}`,
      { ...empty(), [kind]: own(bad, entry) },
    ]),
  ]),
  ["an unknown kind", { ...empty(), more: {} }],
  ["an unknown default mode", { ...empty(), defaultMode: "everything" }],
  ["a word", "participation"],
  ["a list", []],
  ["a number", 1],
  ["an unknown preset", collection({ preset: "public" })],
  ["no preset", collection({})],
  ["a preset of an object's own", collection({ preset: "constructor" })],
  ["create: own", collection({ preset: "managed", overrides: { create: "own" } })],
  ["create: own_and_editors", collection({ preset: "managed", overrides: { create: "own_and_editors" } })],
  ["an unknown right", collection({ preset: "managed", overrides: { read: "everyone" } })],
  ["a right that is no word", collection({ preset: "managed", overrides: { read: true } })],
  ["an unknown operation", collection({ preset: "managed", overrides: { export: "editors" } })],
  [
    "an operation of an object's own",
    collection({ preset: "managed", overrides: own("__proto__", "editors") }),
  ],
  ["overrides as a list", collection({ preset: "managed", overrides: ["editors"] })],
  ["aggregateCount: own", collection({ preset: "personal", aggregateCount: "own" })],
  ["aggregateCount: true", collection({ preset: "personal", aggregateCount: true })],
  ["aggregateCount: everyone", collection({ preset: "personal", aggregateCount: "everyone" })],
  ["aggregateCount of a file group", group({ preset: "personal", aggregateCount: "editors" })],
  ["create: own for files", group({ preset: "managed", overrides: { create: "own" } })],
  ["an unknown right for files", group({ preset: "managed", overrides: { delete: "everyone" } })],
  ["a channel right of own", channel({ ...CHANNEL, publish: "own" })],
  ["a channel right of own_and_editors", channel({ ...CHANNEL, publish: "own_and_editors" })],
  ["a channel right that is no word", channel({ ...CHANNEL, publish: true })],
  [
    "a channel without one of its rights",
    channel({ subscribe: "viewers", publish: "viewers", seePresence: "none" }),
  ],
  ["an unknown channel right", channel({ ...CHANNEL, moderate: "editors" })],
  ["an unknown audience", connection({ audience: "everyone" })],
  ["no audience", connection({ methods: ["GET"] })],
  ["methods as a word", connection({ audience: "viewers", methods: "GET" })],
  ["an unknown method", connection({ audience: "viewers", methods: ["TRACE"] })],
];

function name(length: number): string {
  return "n".repeat(length);
}

/** Returns an object with one own property, whose name may be `__proto__`. */
function own(key: string, value: unknown): Document {
  return JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`);
}
