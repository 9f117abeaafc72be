import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "@easel/conformance/patience";
import connect from "postgres";

/** Returns the directory of `initdb` and `postgres`, on PATH or in Debian's package; undefined if PostgreSQL is not installed. */
export function postgresPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...(process.env.PATH ?? "").split(path.delimiter),
    ...versions.map((version) => path.join(debian, version, "bin")),
  ];
  return places.find((place) => existsSync(path.join(place, "initdb")));
}

/** Returns the user to run PostgreSQL as. It refuses to run as root, so root runs it as the user `postgres`. */
function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (what: string) => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Returns a port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A PostgreSQL server with empty data. */
export interface PostgresServer {
  /** SERVICE_DATABASE_URL without the database name. */
  url: string;
  /** The id of the server's main process, whose children are its other processes. Another one after `start`. */
  readonly pid: number;
  /** Starts the server again on the same port; resolves when it accepts connections. */
  start(): Promise<void>;
  /** Stops the server. With SIGINT it first closes the open connections; with SIGQUIT it ends as in a crash. */
  stop(signal?: "SIGINT" | "SIGQUIT"): Promise<void>;
  /** Ends all of the server's processes at once, without a chance to write anything. */
  kill(): Promise<void>;
  /** `freeze` suspends the server's processes, so that connections stay open without responses; `thaw` resumes them. */
  freeze(): void;
  thaw(): void;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

/** How to start a PostgreSQL server. By default, its data are in a new temporary directory. */
export interface PostgresOptions {
  /** An empty directory for the data. */
  home?: string;
  /** Whether the server outlives this process. */
  isKept?: boolean;
  /** Settings of the server, such as `ssl: "on"`. Without `fsync`, the server does not wait for the disk. */
  settings?: Record<string, string>;
  /** The server's certificate and its private key, in PEM. Without them, it has no TLS. */
  tls?: { cert: string; key: string } | undefined;
  /** A command that runs the server's program, such as `taskset -c 0`. */
  through?: string[];
}

/** Starts a PostgreSQL server on a free port of the loopback interface. `programs` is the directory of its programs. */
export async function startPostgres(
  programs: string,
  {
    home = mkdtempSync(path.join(os.tmpdir(), "easel-postgres-")),
    isKept = false,
    settings = {},
    tls,
    through = [],
  }: PostgresOptions = {},
): Promise<PostgresServer> {
  const as = identity();
  if (as.uid !== undefined && as.gid !== undefined) chownSync(home, as.uid, as.gid);
  const data = path.join(home, "data");
  // Other users of the machine reach the port, so a connection over TCP needs a password.
  chmodSync(home, 0o700);
  const password = randomBytes(16).toString("hex");
  const passwordFile = path.join(home, "password");
  writeFileSync(passwordFile, password);
  // The database gets a collation of a language, because the service must order by bytes whatever the collation is.
  const init = [
    "-D",
    data,
    "-U",
    "easel",
    "--auth-local=trust",
    "--auth-host=password",
    `--pwfile=${passwordFile}`,
    "-E",
    "UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en",
  ];
  execFileSync(path.join(programs, "initdb"), [...init, "--no-sync"], { ...as, cwd: home, stdio: "ignore" });
  for (const [name, content] of Object.entries(tls ?? {})) {
    const file = path.join(data, `${name}.pem`);
    writeFileSync(file, content, { mode: 0o600 });
    if (as.uid !== undefined && as.gid !== undefined) chownSync(file, as.uid, as.gid);
  }
  const given = Object.entries({
    fsync: "off",
    max_connections: "1000",
    ...(tls && { ssl: "on", ssl_cert_file: "cert.pem", ssl_key_file: "key.pem" }),
    ...settings,
  });
  const run = (port: number) => {
    const listening = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", home];
    const [command = "", ...rest] = [
      ...through,
      path.join(programs, "postgres"),
      ...listening,
      ...given.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ];
    return spawn(command, rest, { ...as, cwd: home, stdio: "ignore", detached: isKept });
  };
  for (let tries = 0; tries < 5; tries++) {
    const port = await freePort();
    let server = run(port);
    if (!(await answers(server, home, port))) continue;
    const stop = async (signal: NodeJS.Signals = "SIGINT") => {
      if (server.exitCode !== null || !server.kill(signal)) return;
      await once(server, "exit");
    };
    const signalAll = (signal: NodeJS.Signals) => {
      const pid = server.pid as number;
      const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
      for (const each of [pid, ...children.trim().split("\n").map(Number)]) {
        try {
          process.kill(each, signal);
        } catch (error) {
          // The process of a connection has ended meanwhile.
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
      }
    };
    if (isKept) server.unref();
    return {
      url: `postgres://easel:${password}@127.0.0.1:${port}`,
      get pid() {
        return server.pid as number;
      },
      async start() {
        server = run(port);
        if (!(await answers(server, home, port))) throw new Error("PostgreSQL does not start again");
      },
      stop,
      async kill() {
        const exited = once(server, "exit");
        signalAll("SIGKILL");
        await exited;
      },
      freeze: () => signalAll("SIGSTOP"),
      thaw: () => signalAll("SIGCONT"),
      async remove() {
        await stop();
        rmSync(home, { recursive: true, force: true });
      },
    };
  }
  throw new Error("PostgreSQL does not start");
}

/** Waits until the server accepts connections on the socket in `home`. Returns false if it exits instead, because its port was taken. */
async function answers(server: ChildProcess, home: string, port: number): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (server.exitCode === null) {
    const own = { host: home, port, user: "easel", database: "postgres" };
    const client = connect({ ...own, max: 1, connect_timeout: 2, onnotice() {} });
    try {
      await client`select 1`;
      return true;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    } finally {
      await client.end();
    }
  }
  return false;
}
