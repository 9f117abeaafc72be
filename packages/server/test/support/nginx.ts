import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import https from "node:https";
import net from "node:net";
import path from "node:path";
import { createAuthority } from "@easel/conformance/connections/authority";
import { type Answer, read } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { ROOT } from "../areas.ts";
import { freePort } from "./postgres-server.ts";
import { atEnd, type Scope, temporaryDirectory } from "./service.ts";

/** The base host of services behind nginx. */
export const HOST = "easel.localhost";
/** The address of clients of nginx. The service sees that of nginx, 127.0.0.1, unless nginx passes it on. */
export const CLIENT = "127.0.0.2";

/** An nginx that is about to run. */
export interface Nginx {
  /** The public address of the service, such as `https://easel.localhost:4431`. */
  base: string;
  /** Starts it in front of the service at a port. `others` replaces further texts of the file. */
  start(port: number, others?: Record<string, string>): Promise<void>;
  /** Sends a request to a path of the base host, or to a whole URL of one of its hosts. */
  ask(where: string, options?: https.RequestOptions, body?: Buffer | string): Promise<Answer>;
  /** What clients need to trust and reach it. */
  agent: https.AgentOptions;
}

/** Prepares nginx with a file of `deploy/`, whose host, ports and files are replaced by those of the test. */
export async function prepareNginx(scope: Scope, file: string): Promise<Nginx> {
  const folder = await temporaryDirectory(scope);
  const [port, plain] = [await freePort(), await freePort()];
  const authority = await createAuthority();
  const { key, cert } = await authority.issue([HOST, `*.${HOST}`]);
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  await Promise.all([write("fullchain.pem", cert), write("privkey.pem", key)]);
  const agent: https.AgentOptions = {
    ca: authority.ca,
    localAddress: CLIENT,
    lookup: (_host, { all }, found) =>
      all ? found(null, [{ address: "127.0.0.1", family: 4 }]) : found(null, "127.0.0.1", 4),
  };
  const base = `https://${HOST}:${port}`;
  return {
    base,
    agent,
    async start(service, others = {}) {
      const text = await readFile(path.join(ROOT, "deploy", file), "utf8");
      const replaced = Object.entries({
        "listen [::]:80;": "",
        "listen [::]:443 ssl http2;": "",
        "listen 80;": `listen 127.0.0.1:${plain};`,
        "listen 443 ": `listen 127.0.0.1:${port} `,
        "/etc/easel/tls": folder,
        "easel.example.com": HOST,
        "127.0.0.1:3000": `127.0.0.1:${service}`,
        ...others,
      }).reduce((all, [from, to]) => {
        assert.ok(all.includes(from), `${file} has no ${from}`);
        return all.replaceAll(from, to);
      }, text);
      await write("easel.conf", replaced);
      await write("nginx.conf", MAIN);
      await run(scope, folder, port);
    },
    ask(where, options = {}, body) {
      return new Promise((resolve, reject) => {
        https
          .request(new URL(where, base), { ...agent, agent: false, ...options }, (answer) =>
            resolve(read(answer)),
          )
          .on("error", reject)
          .end(body);
      });
    },
  };
}

/** Lets nginx write into its own folder only, in one process. */
const MAIN = `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include easel.conf;
}
`;

async function run(scope: Scope, folder: string, port: number): Promise<void> {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const nginx: ChildProcess = spawn("nginx", ["-p", folder, "-e", "stderr", "-c", "nginx.conf"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(nginx, "exit");
  atEnd(scope, async () => {
    nginx.kill("SIGKILL");
    await ended;
  });
  await until("nginx listens", async () => {
    assert.equal(nginx.exitCode, null, "nginx has ended");
    const socket = net.connect(port, "127.0.0.1");
    return new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    }).finally(() => socket.destroy());
  });
}
