import { existsSync } from "node:fs";
import { BlockList } from "node:net";
import os from "node:os";
import type {
  AdminCanvas,
  AdminUser,
  AdminUserDetails,
  AdminUserList,
  EndedCount,
  HandoverResult,
  NewToken,
  SessionList,
} from "@easel/protocol/management";
import { type Member, SHELL } from "../../access/principal.ts";
import { isRestoring } from "../../backup/interrupted-restore.ts";
import { type Config, isPostgres, readConfig } from "../../config/config.ts";
import { SetupError } from "../../config/setting-types.ts";
import { openSecrets } from "../../crypto/secrets.ts";
import type { Blobs } from "../../drivers/blobs/blobs.ts";
import type { Db, Schema } from "../../drivers/db/db.ts";
import { openBus, openDb, openOutbound } from "../../drivers/index.ts";
import { Unavailable } from "../../drivers/unavailable.ts";
import type { Env } from "../../env.ts";
import { newLog } from "../../http/log.ts";
import { Refusal } from "../../http/refusal.ts";
import { NodeLease } from "../../instance/lease.ts";
import { besideService } from "../../instance/one-writer.ts";
import { canvases } from "../../management/admin/canvases.ts";
import { credentials } from "../../management/admin/credentials.ts";
import { identities } from "../../management/admin/identities.ts";
import { users } from "../../management/admin/users.ts";
import type { ActCaller } from "../../management/callers.ts";
import { createAct } from "../../management/tokens.ts";
import { newMetrics } from "../../metrics/metrics.ts";
import { newEnv } from "../../new-env.ts";
import { requireCurrent } from "../../open-instance.ts";
import { inputOf } from "../../operations/operation.ts";
import { storedData } from "../../stored-data.ts";

/** The acts of the management API that the shell performs, with the bodies of their responses. */
interface Bodies {
  "user.list": AdminUserList;
  "user.read": AdminUserDetails;
  "user.update": AdminUser;
  "user.handover": HandoverResult;
  "user.sessions": SessionList;
  "user.end-sessions": EndedCount;
  "user.sign-out": undefined;
  "user.unlink": EndedCount;
  "session.end-all": EndedCount;
  "canvas.read-any": AdminCanvas;
  "canvas.reassign": AdminCanvas;
  "token.create": NewToken;
}

const ACTS = [...users, ...credentials, ...identities, ...canvases, createAct];

/** What an act is given. */
interface Given {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** The message for the operator if the act refuses with 404. */
  notFound?: string;
}

/** The shell: it performs acts on the database, beside a running service or without one. */
export interface Shell {
  env: Env;
  /**
   * Performs an act as an administrator, or as a person on whose behalf the shell acts. The audit log names the shell. @throws SetupError with the
   * message of a refusal.
   */
  perform<Name extends keyof Bodies>(name: Name, given: Given, person?: Member): Promise<Bodies[Name]>;
}

/** Opens the database that the settings name for work of the shell. @throws SetupError if it has not the schema of this release. */
export async function withShell<Result>(
  environment: Record<string, string | undefined>,
  work: (shell: Shell) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(environment);
  const db = await openExisting(config).catch((error) => {
    if (!["EACCES", "EPERM"].includes(error.code)) throw error;
    throw new SetupError(
      `${error.message}. The user ${nameOfUser()} may not do this: run it as the user of the service. Nothing has been done.`,
    );
  });
  try {
    await requireCurrent(db, config);
    const env = await envOf(config, db);
    const perform: Shell["perform"] = async (name, { params = {}, query = {}, body, notFound }, person) => {
      const act = ACTS.find((each) => each.name === name);
      if (act === undefined) throw new TypeError(name);
      const input = inputOf({ params, query, ...(body !== undefined && { body: { value: body } }) });
      const caller = callerOf(person, environment);
      const run = async () => {
        try {
          return (await act.perform(caller, input, env)).body as Bodies[typeof name];
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          throw new SetupError((error.code === "NOT_FOUND" ? notFound : undefined) ?? error.message);
        }
      };
      if (act.method === "GET") return run();
      return besideService(config, db, async () => {
        await requireCurrent(db, config);
        return run();
      });
    };
    return await work({ env, perform });
  } catch (error) {
    if (error instanceof Unavailable && error.cause === undefined)
      throw new SetupError(`The database cannot be used now: ${error.message}. Try again.`);
    throw error;
  } finally {
    await db.close();
  }
}

/** Opens the database. @throws SetupError if there is none: to open it would make one. */
async function openExisting(config: Config): Promise<Db & Schema> {
  if (await isRestoring(config))
    throw new SetupError(
      "A restore was interrupted. Start the service, which finishes it, and try again. Nothing has been done.",
    );
  const file = config.databaseUrl.slice("sqlite:".length);
  if (!isPostgres(config.databaseUrl) && !existsSync(file))
    throw new SetupError(
      `There is no database ${file}. Run this with the settings of the service, and as its user: the settings are environment variables, or lines of ` +
        ".env in the working directory.",
    );
  return openDb(config, (error) => {
    throw error;
  });
}

/** Builds the context of the shell. It has no blobs, no provider of AI and no bus: the service reads from the audit log what has changed. */
async function envOf(config: Config, db: Db): Promise<Env> {
  const log = newLog("silent");
  const bus = await openBus({ ...config, busUrl: "memory:" }, "", log);
  const stores = { db, bus, clock: Date.now, log };
  const outbound = openOutbound(new BlockList(), config.port);
  return newEnv(
    { config, canvasData: storedData(), clock: Date.now, log, metrics: newMetrics() },
    { db, bus, blobs: noBlobs(), ai: null, outbound, publicOutbound: outbound },
    await openSecrets(config, log),
    { port: config.port, lease: new NodeLease(stores), stopping: new AbortController().signal },
  );
}

/** Returns blobs that are not opened, so that the shell works while S3 is away. Each use throws. */
const noBlobs = (): Blobs =>
  new Proxy({} as Blobs, {
    get(_, name) {
      throw new TypeError(`the shell has no blobs for ${String(name)}`);
    },
  });

function callerOf(person: Member | undefined, environment: Record<string, string | undefined>): ActCaller {
  const details = { osUser: osUser(environment), ...(person !== undefined && { email: person.email }) };
  const caller: ActCaller = {
    user: person ?? SHELL,
    credential: null,
    passes: [],
    address: "",
    via: null,
    recordedAs: { actor: SHELL, details },
    readmit: async () => caller,
  };
  return caller;
}

/** Returns the user of the operating system, such as `root`, or `root (sudo: ada)`. */
function osUser({ SUDO_USER: sudo }: Record<string, string | undefined>): string {
  const name = nameOfUser();
  return !sudo || sudo === name ? name : `${name} (sudo: ${sudo})`;
}

/** A container may run with a user id that has no name. */
function nameOfUser(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
