import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Config } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { isId, newId } from "../crypto/ids.ts";
import { type BlobColumn, BlobReferences } from "../drivers/blob-references.ts";
import type { Blobs } from "../drivers/blobs/blobs.ts";
import type { Db } from "../drivers/db/db.ts";
import { requireUsed, stateOf } from "./instance-state.ts";

/** The id of the instance, and the migrations of its database. */
export const instanceData: CanvasData = { otherTables: ["instance", "migrations", "readable_migrations"] };

const MARKER = "instance";

/**
 * The maximum number of blobs whose references are counted for a message. Keys are hashes, so the first ones in the list are a random
 * sample.
 */
const SAMPLE_SIZE = 1_000;

/** A database and the blob store that its rows refer to, with the settings that name them. */
export interface Stores {
  config: Pick<Config, "databaseUrl" | "blobsUrl">;
  db: Db;
  blobs: Blobs;
  /** Every column of the database that holds keys of blobs. */
  blobColumns: readonly BlobColumn[];
  clock: () => number;
}

interface Instance {
  id: string;
  joined_at: number | null;
}

/**
 * Makes sure that the database and the blob store have the same instance id, so that the sweep of unused blobs cannot remove the blobs of
 * another database (decision 016). A new database stores its id before it passes it to its blob store, so that an interrupted start can be
 * repeated. A blob store without an id gets that of the database if it is empty and the database refers to no blobs. Returns the id.
 *
 * @throws SetupError if the database and the blob store do not belong together. In this case no blob and no stored id has been changed.
 */
export async function requireOneInstance(stores: Stores): Promise<string> {
  // The row is read before the marker, because another node that starts at the same time writes the marker before the row.
  const stored = await storedInstance(stores.db);
  const { id, joined_at } = stored;
  requireUsed(stateOf(id), withoutCredentials(stores.config.databaseUrl));
  const marked = await stores.blobs.marker(MARKER);
  if (marked !== id) {
    if (marked !== null || joined_at !== null) return refuseToJoin(stored, marked, stores);
    if (!(await areEmpty(stores)) && (await stores.blobs.marker(MARKER)) !== id)
      return refuseToJoin(stored, null, stores);
    const won = await stores.blobs.mark(MARKER, id);
    if (won !== id) return refuseToJoin(stored, won, stores);
  }
  if (joined_at === null) await setInstance(id, stores);
  return id;
}

/**
 * Gives the database the instance id of the blob store. If the blob store has no id, the blob store gets the id of the database. Returns a
 * message for the operator.
 */
export async function joinInstance(stores: Stores): Promise<string> {
  const state = stateOf((await storedInstance(stores.db)).id);
  // A database that was copied is used again.
  if (state.is !== "copied") requireUsed(state, withoutCredentials(stores.config.databaseUrl));
  const joined = await markInstance(state.id, stores.blobs);
  if (!isId(joined))
    throw new SetupError("The marker `instance` of the blobs holds no id: remove it and try again.");
  await setInstance(joined, stores);
  return `The database and the blobs are instance ${joined} now: ${await describeUsage(stores)}`;
}

/** Returns the id of the instance to which blobs belong; null if they have none. */
export const markedInstance = (blobs: Blobs): Promise<string | null> => blobs.marker(MARKER);

/** Gives blobs the id of an instance unless they have one. Returns the one that they have then. */
export const markInstance = (id: string, blobs: Blobs): Promise<string> => blobs.mark(MARKER, id);

async function storedInstance({ get, withReserve }: Db): Promise<Instance> {
  const read = () => get<Instance>`select id, joined_at from instance`;
  const known = await read();
  if (known !== undefined) return known;
  await withReserve.run`insert into instance (singleton, id) values (1, ${newId()}) on conflict do nothing`;
  return (await read()) as Instance;
}

const setInstance = (id: string, { db, clock }: Stores) =>
  db.withReserve.run`update instance set id = ${id}, joined_at = ${clock()}`;

/** Counts the blobs in the store, up to the sample size (`of`), and those among them that the database refers to (`used`). */
async function usage({ db, blobs, blobColumns }: Stores): Promise<{ used: number; of: number }> {
  const references = new BlobReferences(db, blobColumns);
  const keys: string[] = [];
  for await (const key of blobs.list(Number.MAX_SAFE_INTEGER)) if (keys.push(key) === SAMPLE_SIZE) break;
  return { used: (await references.among(keys)).size, of: keys.length };
}

/** Whether there are no blobs, and the database refers to none. */
async function areEmpty(stores: Stores): Promise<boolean> {
  for await (const _ of stores.blobs.list(Number.MAX_SAFE_INTEGER)) return false;
  return !(await hasReferences(stores));
}

const hasReferences = ({ db, blobColumns }: Stores) => new BlobReferences(db, blobColumns).any();

async function describeUsage(stores: Stores): Promise<string> {
  const { used, of } = await usage(stores);
  if (of === 0) return "the blob store is empty.";
  const sample = of === SAMPLE_SIZE ? `the first ${of}` : `${of}`;
  return `the database refers to ${used} of ${sample} blobs, and the sweep removes those that it does not refer to.`;
}

/** Throws a `SetupError` that explains why a database and a blob store do not belong together. */
async function refuseToJoin(
  { id, joined_at }: Instance,
  marked: string | null,
  stores: Stores,
): Promise<never> {
  const { databaseUrl, blobsUrl } = stores.config;
  const isWithout = (await hasReferences(stores))
    ? "refers to blobs and has no instance id"
    : "is new or empty";
  const database = joined_at === null ? isWithout : `is instance ${id}`;
  const blobs = marked === null ? "carry no instance id" : `are instance ${marked}`;
  throw new SetupError(
    `The database ${withoutCredentials(databaseUrl)} ${database}, and the blobs in ${withoutCredentials(blobsUrl)} ${blobs}. They do not belong together: ` +
      `${await describeUsage(stores)}\nThe service has not started, and no blob has been changed. Check SERVICE_DATABASE_URL, SERVICE_BLOBS_URL and ` +
      'SERVICE_DATA_DIR, and see "Instance ids" in docs/operating.md.',
  );
}

/** Removes the user, the password and the query from a URL. */
export const withoutCredentials = (address: string) =>
  address.replace(/^([^/]*\/\/).*@/, "$1").replace(/\?.*/, "");
