import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server as HttpsServer } from "node:https";
import net from "node:net";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { createAuthority } from "@easel/conformance/connections/authority";
import { DnsServer, type Zone } from "./dns-server.ts";
import { HOSTS, OWN, PORTS, type Report, type Task, UPSTREAMS } from "./namespace-facts.ts";
import { startProcess } from "./process.ts";

/*
 * Runs inside a network namespace, as its first process: `node namespace-inside.ts DIRECTORY`. Every address is local there. One listener
 * accepts all connections: those to `UPSTREAMS` get a server with TLS, all others are reported as hits. Tasks arrive as messages.
 */

const [, , directory = ""] = process.argv;
const run = (command: string) => execFileSync("/bin/sh", ["-ec", command]);

/** Makes every address local and replaces the files by which the system resolves names. */
function setUp(): void {
  const files = {
    "resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
    hosts: `127.0.0.1 localhost\n${Object.entries(HOSTS)
      .map(([name, address]) => `${address} ${name}\n`)
      .join("")}`,
    "nsswitch.conf": "hosts: files dns\n",
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name);
    writeFileSync(file, text);
    run(`mount --bind ${file} /etc/${name}`);
  }
  run("ip link set lo up");
  run("ip route add local 0.0.0.0/0 dev lo");
  run("ip -6 route add local ::/0 dev lo");
  run("ip link add own0 type veth peer name own1");
  run(`ip addr add ${OWN}/32 dev own0`);
  run("ip link set own0 up && ip link set own1 up");
}

const hits: string[] = [];
const served: string[] = [];

/** Creates the HTTPS server of all upstreams. It listens on no port: `listen` accepts the connections and passes them to it. */
async function startUpstream(): Promise<HttpsServer> {
  const authority = await createAuthority();
  writeFileSync(path.join(directory, "ca.pem"), authority.ca);
  return createServer(await authority.issue(["*.api.test"]), (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "https://any");
    const { servername } = request.socket as TLSSocket;
    served.push(`${servername} ${request.headers.host} ${pathname}`);
    if (pathname === "/redirect")
      return response.writeHead(302, { location: searchParams.get("to") ?? "" }).end();
    if (pathname === "/close") response.setHeader("connection", "close");
    response.end("ok");
  });
}

async function listen(port: number, upstream: HttpsServer): Promise<void> {
  const server = net.createServer((socket) => {
    const address = (socket.localAddress ?? "").replace(/^::ffff:/, "");
    if (UPSTREAMS.includes(address)) return upstream.emit("connection", socket);
    hits.push(`${address} ${port}`);
    socket.destroy();
  });
  server.listen(port, "::");
  await once(server, "listening");
}

/** Starts the service and forwards connections to it from a Unix socket, which is reachable from outside. Returns its base URL. */
async function startForwarded(name: string, settings: Record<string, string>): Promise<string> {
  // The service ends with the namespace.
  const scope = { after() {} };
  const certificates = { NODE_EXTRA_CA_CERTS: path.join(directory, "ca.pem") };
  const { base } = await startProcess(scope, path.join(directory, `${name}.data`), {
    ...certificates,
    ...settings,
  });
  const forward = net.createServer((socket) => {
    const inner = net.connect(Number(new URL(base).port), "127.0.0.1");
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
    socket.pipe(inner).pipe(socket);
  });
  forward.listen(path.join(directory, `${name}.sock`));
  await once(forward, "listening");
  return base;
}

/** Opens a TCP connection to an address, not through the service. Returns whether this succeeds. */
async function connect(address: string, port: number): Promise<boolean> {
  const socket = net.connect(port, address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function perform(task: Task, dns: DnsServer): Promise<unknown> {
  if (task.kind === "start") return startForwarded(task.name, task.settings);
  if (task.kind === "connect") return connect(task.address, task.port);
  if (task.kind === "report") {
    const lookups = Object.fromEntries(Object.keys(dns.zone).map((name) => [name, dns.lookups(name)]));
    return { hits, served, lookups } satisfies Report;
  }
  Object.assign(dns.zone, task.zone satisfies Zone);
  return null;
}

process.once("disconnect", () => process.exit());
setUp();
const dns = new DnsServer();
await dns.listen(53, "127.0.0.1");
const upstream = await startUpstream();
for (const port of PORTS) await listen(port, upstream);
process.on("message", async ({ id, task }: { id: number; task: Task }) => {
  process.send?.({ id, result: await perform(task, dns) });
});
process.send?.({ id: 0, result: null });
