import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinned, type Server } from "./child.ts";

const READY_MS = 5_000;

/** Returns an nginx configuration that serves a file as fast as nginx can: one process, no access log, cached file handles. */
const configOf = (directory: string, port: number) => `
daemon off;
master_process off;
pid ${directory}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  default_type text/html;
  keepalive_requests 100000000;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${directory};
    location / { try_files /page.html =404; }
  }
}
`;

/** Starts nginx, which serves one page at every path. Resolves with null if nginx is not installed. */
export async function startNginx(html: string): Promise<Server | null> {
  if (spawnSync("nginx", ["-v"]).status !== 0) return null;
  const directory = await mkdtemp(join(tmpdir(), "easel-nginx-"));
  const port = await freePort();
  const config = join(directory, "nginx.conf");
  await writeFile(config, configOf(directory, port));
  await writeFile(join(directory, "page.html"), html);
  const nginx = ["nginx", "-p", directory, "-c", config];
  const [command = "", ...rest] = pinned ? ["taskset", "-c", "0", ...nginx] : nginx;
  const child = spawn(command, rest, { stdio: ["ignore", "ignore", "inherit"] });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(directory, { recursive: true });
  };
  const url = `http://localhost:${port}`;
  await ready(`http://127.0.0.1:${port}/`);
  return { url, port, pid: child.pid ?? 0, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function ready(url: string): Promise<void> {
  const until = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > until) throw new Error(`nginx does not respond at ${url}.`);
  }
}
