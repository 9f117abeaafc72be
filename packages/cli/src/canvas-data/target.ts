import type { Json } from "@easel/protocol/types";
import type { Easel } from "@easel/sdk";
import { fail } from "../exit.ts";

/** The flags that name what a command reads or writes. At most one of them may be given. */
export interface TargetOptions {
  user?: boolean;
  collection?: string;
  submissions?: string;
  files?: boolean;
}

/** What a command reads or writes: a scope of keys, a collection, the submissions of a collection, or the uploaded files. */
export type Target = { kind: "kv" | "user" | "files" } | { kind: "collection" | "submissions"; name: string };

/** Returns the target that flags name, or undefined if there is none. Throws a usage error for more than one. */
export function givenTarget(options: TargetOptions & { kv?: boolean }): Target | undefined {
  const { kv, user, collection, submissions, files } = options;
  const given: Target[] = [
    ...(kv ? [{ kind: "kv" } as const] : []),
    ...(user ? [{ kind: "user" } as const] : []),
    ...(files ? [{ kind: "files" } as const] : []),
    ...(collection === undefined ? [] : [{ kind: "collection", name: collection } as const]),
    ...(submissions === undefined ? [] : [{ kind: "submissions", name: submissions } as const]),
  ];
  if (given.length > 1)
    fail("Give only one of --kv, --user, --collection, --submissions and --files.", { exit: "usage" });
  return given[0];
}

/** An entry of a target: `id` is what `get` and `rm` take. */
export interface Entry {
  id: string;
  /** The entry as the service returns it. */
  fields: Record<string, Json | undefined>;
}

const PAGE = 1_000;

async function* pages<Item>(
  read: (cursor: string | null) => Promise<{ entries: Item[]; nextCursor: string | null }>,
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const page: { entries: Item[]; nextCursor: string | null } = await read(cursor);
    yield* page.entries;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

async function* map<Item>(items: AsyncIterable<Item>, idOf: (item: Item) => string): AsyncGenerator<Entry> {
  for await (const item of items) yield { id: idOf(item), fields: item as Entry["fields"] };
}

/** Lists the entries of a target that the person may read. `prefix` is only for keys. */
export function entriesOf(target: Target, easel: Easel, prefix = ""): AsyncGenerator<Entry> {
  const { kv, submissions, files } = easel;
  switch (target.kind) {
    case "kv":
    case "user": {
      const scope = target.kind === "kv" ? kv : kv.user;
      return map(
        pages((cursor) => scope.list({ prefix, cursor, limit: PAGE })),
        ({ key }) => key,
      );
    }
    case "collection": {
      const records = kv.collection(target.name);
      return map(
        pages((cursor) => records.list({ cursor, limit: PAGE })),
        ({ id }) => id,
      );
    }
    case "submissions":
      return map(
        pages((cursor) => submissions.list(target.name, { cursor, limit: PAGE })),
        ({ userId }) => userId,
      );
    case "files":
      return map(
        pages(async (cursor) => {
          const entries = await files.list({ cursor, limit: PAGE });
          return { entries, nextCursor: entries.nextCursor };
        }),
        ({ id }) => id,
      );
  }
}
