import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { SetupError } from "../../../config/setting-types.ts";
import { type Environment, programEnvironment } from "./postgres-options.ts";

/** The programs of PostgreSQL that backups use. */
type Program = "pg_dump" | "pg_restore" | "psql";

/** The database that a program connects to, and the environment of this process. */
export interface ProgramDatabase {
  url: string;
  environment: Environment;
}

/** A program of PostgreSQL that runs, for the database of a URL if it needs one. */
export class RunningProgram {
  readonly #program: Program;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #complaint: Promise<string>;
  readonly #closed: Promise<number | null>;

  /** Without a database, it has the environment of this process. */
  constructor(program: Program, args: readonly string[], database: ProgramDatabase | null) {
    this.#program = program;
    const env = database === null ? undefined : programEnvironment(database.url, database.environment);
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    // A program that fails closes its input; its exit code says so.
    this.#child.stdin.on("error", () => {});
    this.#complaint = text(this.#child.stderr);
    this.#closed = new Promise((resolve, reject) => {
      this.#child.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "ENOENT" ? new MissingProgram(program) : error),
      );
      this.#child.once("close", resolve);
    });
    this.#closed.catch(() => {});
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  /** Ends it before it has done its work. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed.catch(() => {});
  }

  /** Waits until it prints. @throws SetupError with its complaint if it ends before. */
  async hasPrinted(): Promise<void> {
    await Promise.race([once(this.#child.stdout, "data"), this.hasFailed()]);
  }

  /** Waits for its end. @throws SetupError with its complaint, also if it ends well. */
  async hasFailed(): Promise<never> {
    await this.#end();
    throw new SetupError(`${this.#program} has ended before its work was done.`);
  }

  /** Waits for its end, and returns what it prints. @throws SetupError with its complaint if it fails. */
  async output(): Promise<string> {
    const printed = text(this.#child.stdout);
    await this.#end();
    return printed;
  }

  /** Passes what it prints on to a stream, which stays open, and waits for its end. @throws SetupError with its complaint if it fails. */
  async passTo(target: Writable): Promise<void> {
    this.#child.stdout.pipe(target, { end: false });
    await this.#end();
  }

  async #end(): Promise<void> {
    if ((await this.#closed) !== 0)
      throw new SetupError(`${this.#program} has failed: ${(await this.#complaint).trim()}`);
  }
}

/** A program is not installed. */
export class MissingProgram extends SetupError {
  constructor(program: Program) {
    super(
      `The program ${program} is not on the PATH: install PostgreSQL's client programs, of the version of the server or newer (on Debian, the package postgresql-client).`,
    );
  }
}

/** Runs a program without input, and returns what it prints. */
export function runProgram(
  program: Program,
  args: readonly string[],
  database: ProgramDatabase | null = null,
): Promise<string> {
  const running = new RunningProgram(program, args, database);
  running.input.end();
  return running.output();
}

/** @throws SetupError unless the program is there and at least as new as the server, whose version is a number such as 150018. */
export async function requireProgram(
  program: Program,
  server: number,
  database: ProgramDatabase,
): Promise<void> {
  const printed = await runProgram(program, ["--version"], database);
  const version = Number(/\) (\d+)/.exec(printed)?.[1] ?? 0);
  const needed = Math.floor(server / 10_000);
  if (version < needed)
    throw new SetupError(
      `The program ${program} is of PostgreSQL ${version}, and the server of ${needed}: put the programs of version ${needed} or newer first on the PATH.`,
    );
}
