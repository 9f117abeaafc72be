import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { Agent, request } from "undici";
import type { Zone } from "./dns-server.ts";
import type { Report, Task } from "./namespace-facts.ts";
import { atEnd, type Scope, temporaryDirectory } from "./service.ts";

/** A service in a namespace. */
export interface InnerService {
  base: string;
  /** Sends a request to the service. */
  send(method: string, url: string, headers?: Record<string, string>, body?: unknown): Promise<InnerResponse>;
}

export interface InnerResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** A network namespace in which every address is local, with a DNS server, upstreams, and a listener that notices all other connections. */
export interface Namespace {
  start(name: string, settings?: Record<string, string>): Promise<InnerService>;
  /** Adds names to the DNS server. */
  resolve(zone: Zone): Promise<void>;
  /** Opens a TCP connection to an address, not through the service. Returns whether this succeeds. */
  connect(address: string, port: number): Promise<boolean>;
  report(): Promise<Report>;
}

/** Arguments of `unshare` that run a program in new network, mount and process namespaces. These end with the first process inside. */
const UNSHARE = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

function reason(): string | false {
  try {
    execFileSync("unshare", [...UNSHARE, "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
    return false;
  } catch {
    return "network namespaces need root, `unshare` and `ip`";
  }
}

/** The reason to skip the tests that need a namespace; false if the machine can create one. In CI, a machine that cannot is an error. */
export const noNamespace = reason();
if (noNamespace && process.env.CI) throw new Error(`${noNamespace}, and CI runs every test`);

function innerService(base: string, socketPath: string, scope: Scope): InnerService {
  const dispatcher = new Agent({ connect: { socketPath } });
  atEnd(scope, () => dispatcher.destroy());
  return {
    base,
    async send(method, url, headers = {}, body = undefined) {
      const given = body === undefined ? {} : { "content-type": "application/json" };
      const response = await request(base + url, {
        dispatcher,
        method: method as "GET",
        headers: { ...headers, ...given },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
    },
  };
}

/** Creates a namespace. When the scope ends, removes it and ends all its processes. */
export async function startNamespace(scope: Scope): Promise<Namespace> {
  const directory = await temporaryDirectory(scope);
  const inside = path.join(import.meta.dirname, "namespace-inside.ts");
  const child = spawn("unshare", [...UNSHARE, process.execPath, inside, directory], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  atEnd(scope, async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  exited.then(() => {
    for (const { reject } of waiting.values()) reject(new Error("the namespace has ended"));
  });
  child.on("message", ({ id, result }: { id: number; result: unknown }) => waiting.get(id)?.resolve(result));
  const answerTo = (id: number) => {
    const pending = Promise.withResolvers<unknown>();
    waiting.set(id, pending);
    return pending.promise;
  };
  let last = 0;
  const ask = (task: Task) => {
    const answer = answerTo(++last);
    child.send({ id: last, task });
    return answer;
  };
  await answerTo(last);
  return {
    async start(name, settings = {}) {
      const base = (await ask({ kind: "start", name, settings })) as string;
      return innerService(base, path.join(directory, `${name}.sock`), scope);
    },
    resolve: (zone) => ask({ kind: "zone", zone }) as Promise<void>,
    connect: (address, port) => ask({ kind: "connect", address, port }) as Promise<boolean>,
    report: () => ask({ kind: "report" }) as Promise<Report>,
  };
}
