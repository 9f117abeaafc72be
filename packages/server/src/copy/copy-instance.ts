import { existsSync, realpathSync } from "node:fs";
import { requireRestored } from "../backup/interrupted-restore.ts";
import { blobColumnsOf } from "../canvases/canvas-data.ts";
import { type Config, isPostgres, readConfig } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { newId } from "../crypto/ids.ts";
import type { Blobs } from "../drivers/blobs/blobs.ts";
import type { Tables } from "../drivers/db/db.ts";
import { createTables, openBlobs } from "../drivers/index.ts";
import { markedInstance, markInstance, withoutCredentials } from "../instance/instance-id.ts";
import { type InstanceState, readInstance, requireUsed, writeInstance } from "../instance/instance-state.ts";
import { storedData } from "../stored-data.ts";
import type { OpenTables } from "./copied-tables.ts";
import { type CopiedBlobs, copyBlobs } from "./copy-blobs.ts";
import { fillDatabase } from "./fill-database.ts";
import { alone, type OpenDatabase, openAlone, tablesIn } from "./open-alone.ts";

/** The marker of blobs that are a copy: of which instance. */
const ORIGIN = "copyof";

/** After how many blobs the progress is told. */
const TELL_BLOBS = 1_000;
/** How many keys of lost blobs are printed. */
const LOST_SHOWN = 10;

type Environment = Record<string, string | undefined>;

/** Where to copy to: the new values of SERVICE_DATABASE_URL and SERVICE_BLOBS_URL. A part without a new value is not copied. */
export interface CopyTarget {
  database?: string | undefined;
  blobs?: string | undefined;
}

/** What has been done, in this order. */
type CopyStep = "blobs are copied" | "rows are copied" | "the source is out of use";

export interface CopyOptions {
  print?: (line: string) => void;
  /** Called after each step. */
  onStep?: (step: CopyStep) => void;
  clock?: () => number;
}

/**
 * Copies the instance that the settings name: its database, its blobs, or both. Afterwards, services start on the copy and no longer on what was
 * copied, which is kept.
 *
 * @throws SetupError if that cannot be. Until the last step, services start on the source as before, and not on the copy; calling it again makes
 *   the copy anew, but for the blobs that are there. After an end within the last step, calling it again finishes the copy.
 */
export async function copyInstance(
  environment: Environment,
  target: CopyTarget,
  { print = () => {}, onStep = () => {}, clock = Date.now }: CopyOptions = {},
): Promise<void> {
  if (target.database === undefined && target.blobs === undefined)
    throw new SetupError(
      "Say what to copy to: --to DATABASE_URL for the database, --blobs BLOBS_URL for the blobs, or both.",
    );
  const config = readConfig(environment);
  const to = readConfig(changed(environment, target));
  requireOther(config, to, target);
  await requireRestored(config);
  const run = { config, to, target, print, onStep, clock };
  await openAlone(config, async (source) => {
    if ((await tablesIn(source)) !== "current")
      throw new SetupError(
        `The database ${placeOf(config)} is of another release: start this release on it once, stop it, and try again.`,
      );
    if (target.database === undefined) await copyFrom(source, null, run);
    else
      await openAlone(to, async (copy) => {
        await prepare(copy, to);
        await copyFrom(source, copy, run);
      });
  });
}

interface Run extends Required<CopyOptions> {
  config: Config;
  /** The settings of the copy. */
  to: Config;
  target: CopyTarget;
}

const placeOf = ({ databaseUrl }: Config) => withoutCredentials(databaseUrl);

/** Returns the environment of a service on the copy. */
function changed(environment: Environment, { database, blobs }: CopyTarget): Environment {
  const made = { ...environment };
  for (const [name, value] of Object.entries({ SERVICE_DATABASE_URL: database, SERVICE_BLOBS_URL: blobs })) {
    if (value === undefined) continue;
    made[name] = value;
    delete made[`${name}_FILE`];
  }
  return made;
}

/** @throws SetupError if the database of the settings does not exist, or is the one to copy to. */
function requireOther(config: Config, to: Config, { database }: CopyTarget): void {
  const fileOf = ({ databaseUrl }: Config) => databaseUrl.slice("sqlite:".length);
  if (!isPostgres(config.databaseUrl) && !existsSync(fileOf(config)))
    throw new SetupError(
      `There is no database ${fileOf(config)}: check SERVICE_DATABASE_URL and SERVICE_DATA_DIR, which name the instance to copy.`,
    );
  if (database === undefined || isPostgres(config.databaseUrl) || isPostgres(to.databaseUrl)) return;
  if (existsSync(fileOf(to)) && realpathSync(fileOf(config)) === realpathSync(fileOf(to)))
    throw new SetupError(`${fileOf(to)} is the database to copy: --to must name another one.`);
}

/** Creates the tables of the copy. @throws SetupError if the database has others. */
async function prepare(copy: OpenDatabase, to: Config): Promise<void> {
  if ((await tablesIn(copy)) === "other")
    throw new SetupError(
      `The database ${placeOf(to)} is not empty: it has tables of another release or of another program. Create a new one.`,
    );
  await createTables(copy);
}

/** Copies from a source that no service uses. `copy` is null if the database stays where it is. */
async function copyFrom(source: OpenDatabase, copy: OpenDatabase | null, run: Run): Promise<void> {
  const { config, to, target, print, onStep, clock } = run;
  const known = copy === null ? null : await readInstance(copy);
  let next = "";
  await alone(source, placeOf(config), async (tables) => {
    // This process has the lock of the database already.
    const schema = {
      engine: source.engine,
      exclusively: (work: (tables: Tables) => Promise<void>) => work(tables),
    };
    const blobs = await openBlobs(config, null);
    const others = target.blobs === undefined ? null : await openBlobs(to, schema);
    try {
      const { id, is } = await requireSource(tables, blobs, known, run);
      next = others === null ? id : await markCopy(others, id, run);
      if (is === "used") {
        if (others !== null)
          report(await copyBlobs(blobColumnsOf(storedData()), tables, blobs, others, tell(print)), print);
        onStep("blobs are copied");
        if (copy !== null) {
          const rows = await fill(id, { engine: source.engine, tables }, copy, run);
          print(`Copied ${rows} rows, and compared them.`);
          onStep("rows are copied");
        }
      }
      await writeInstance(copy === null ? { is: "used", id: next } : { is: "copied", id }, clock(), tables);
    } finally {
      await Promise.all([blobs.close(), others?.close()]);
    }
  });
  onStep("the source is out of use");
  if (copy !== null) await writeInstance({ is: "used", id: next }, clock(), copy.withReserve);
  print(
    `Done. Start the service with ${settingsOf(target).join(", and with ")}. What was copied is kept, but no service starts on it any more; to go back, ` +
      "run `easel-server join` with the settings of before.",
  );
}

/** Returns the state of the source: `used`, or `copied` if only the last step is missing. @throws SetupError if it cannot be copied. */
async function requireSource(
  tables: Tables,
  blobs: Blobs,
  known: InstanceState | null,
  { config, to }: Run,
): Promise<InstanceState> {
  const state = await readInstance(tables);
  if (state === null)
    throw new SetupError(`The database ${placeOf(config)} has never been served: there is nothing to copy.`);
  if (known?.is === "used" && known.id === state.id)
    throw new SetupError(`The database ${placeOf(to)} is of this instance already: copy to another one.`);
  if (state.is === "copied" && known?.is === "unfinished" && known.id === state.id) return state;
  requireUsed(state, placeOf(config));
  if ((await markedInstance(blobs)) !== state.id)
    throw new SetupError(
      `The blobs in ${withoutCredentials(config.blobsUrl)} do not belong to the database ${placeOf(config)}: check SERVICE_BLOBS_URL, which names those of the instance to copy.`,
    );
  return state;
}

/** Gives blobs that are to be a copy an id of their own, and returns it. @throws SetupError if they are something else. */
async function markCopy(blobs: Blobs, id: string, { to }: Run): Promise<string> {
  const place = withoutCredentials(to.blobsUrl);
  const marked = await markedInstance(blobs);
  if ((await blobs.marker(ORIGIN)) !== id) {
    if (marked === id)
      throw new SetupError(`The blobs in ${place} are of this instance already: copy to another place.`);
    const isEmpty = (await blobs.list(Number.MAX_SAFE_INTEGER)[Symbol.asyncIterator]().next()).done;
    if (marked !== null || !isEmpty)
      throw new SetupError(`There are blobs of another instance in ${place}: copy to an empty place.`);
    await blobs.mark(ORIGIN, id);
  }
  return marked ?? (await markInstance(newId(), blobs));
}

async function fill(id: string, from: OpenTables, copy: OpenDatabase, { to, print }: Run): Promise<number> {
  let rows = 0;
  print(`Copying the database to ${placeOf(to)} …`);
  await alone(copy, placeOf(to), async (tables) => {
    rows = await fillDatabase(id, from, { engine: copy.engine, tables }, print);
  });
  return rows;
}

/** Returns a listener that prints how many blobs were copied, once for each thousand. */
function tell(print: (line: string) => void): (soFar: CopiedBlobs) => void {
  let told = 0;
  return ({ copied, bytes }) => {
    if (copied - told < TELL_BLOBS) return;
    told = copied;
    print(`  ${copied} blobs so far, ${megabytes(bytes)}`);
  };
}

function report({ copied, bytes, there, lost }: CopiedBlobs, print: (line: string) => void): void {
  print(`Copied ${copied} blobs, ${megabytes(bytes)}${there > 0 ? `; ${there} were there` : ""}.`);
  if (lost.length === 0) return;
  print(`Warning: ${lost.length} blobs are missing or damaged in the instance itself, among them:`);
  for (const key of lost.slice(0, LOST_SHOWN)) print(`  ${key}`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Returns the settings that change, in words, because the URLs may hold passwords. */
const settingsOf = ({ database, blobs }: CopyTarget): string[] => [
  ...(database === undefined ? [] : ["the URL of --to as SERVICE_DATABASE_URL"]),
  ...(blobs === undefined ? [] : ["that of --blobs as SERVICE_BLOBS_URL"]),
];
