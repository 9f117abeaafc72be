import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { freshEmail } from "@easel/conformance/target";
import { connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { atEnd, fileScope, type Scope, temporaryDirectory } from "../support/service.ts";

/** The program of the conformance package, which has no exports. */
const PROGRAM = path.join(
  path.dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);

/** The scenarios that apply to every server, with the statuses of the checks that are not successes. */
const RUN: Record<string, string[]> = {
  "server-initialize": [],
  ping: [],
  "tools-list": [],
  "resources-list": [],
  "dns-rebinding-protection": [],
  // The service keeps no sessions, which a server may.
  "server-sse-multiple-streams": ["server-sse-multiple-streams-session: WARNING"],
};

/** The scenarios that do not run, by the reason. */
const LEFT_OUT = {
  "calls a tool that only the demo server of the package has": [
    ...["tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource"],
    ...[
      "tools-call-mixed-content",
      "tools-call-with-logging",
      "tools-call-error",
      "tools-call-with-progress",
    ],
    ...["tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults"],
    ...["elicitation-sep1330-enums", "server-sse-polling", "json-schema-2020-12"],
  ],
  "reads a resource that only the demo server has": [
    ...["resources-read-text", "resources-read-binary", "resources-templates-read"],
    ...["resources-subscribe", "resources-unsubscribe"],
  ],
  "gets a prompt: the service has none, because people write their own": [
    ...["prompts-list", "prompts-get-simple", "prompts-get-with-args"],
    ...["prompts-get-embedded-resource", "prompts-get-with-image"],
  ],
  "needs a capability that the service does not have": ["completion-complete", "logging-set-level"],
};

/** Runs the program. A failed check ends it with 1, so the result is read from its files. */
async function runProgram(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    timeout: 30_000,
  }).catch((error: { stdout: string }) => error);
  return stdout;
}

/** Forwards requests to a service with the access token that the conformance program does not send. Its own address becomes that of the service. */
async function forwardWithToken(scope: Scope, base: string, token: string): Promise<string> {
  const { host } = new URL(base);
  const forward = (asked: IncomingMessage, reply: ServerResponse): void => {
    const own = String(asked.socket.localPort);
    const headers = Object.fromEntries(
      Object.entries(asked.headers).map(([name, value]) => [
        name,
        typeof value === "string" ? value.replace(`localhost:${own}`, host) : value,
      ]),
    );
    headers.authorization = `Bearer ${token}`;
    const passed = request(new URL(asked.url ?? "/", base), { method: asked.method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    asked.pipe(passed);
  };
  const server = createServer(forward);
  server.listen(0, "localhost");
  await once(server, "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

test("every scenario of the conformance package for servers is run, or left out for a reason", async () => {
  const listed = await runProgram(["list", "--server"]);
  const lines = listed.split("\n").filter((line) => line.startsWith("  - "));
  const names = lines.map((line) => line.split(" ")[3]);
  assert.ok(names.length >= 30, listed);
  assert.deepEqual([...names].sort(), [...Object.keys(RUN), ...Object.values(LEFT_OUT).flat()].sort());
});

await onSqlite("the conformance package against /mcp", (target, env) => {
  const scope = fileScope();
  let address: string;

  before(async () => {
    const { token } = await connectTool(target.base, await target.signIn(freshEmail("agent")), {}, env);
    address = await forwardWithToken(scope, target.base, token);
  });

  for (const [scenario, expected] of Object.entries(RUN))
    test(scenario, async (t) => {
      const folder = await temporaryDirectory(t);
      const said = await runProgram([
        "server",
        "--url",
        `${address}/mcp`,
        "--scenario",
        scenario,
        "-o",
        folder,
      ]);
      const files = await readdir(folder, { recursive: true });
      const file = files.find((each) => path.basename(each) === "checks.json") ?? assert.fail(said);
      const checks: { id: string; status: string; errorMessage?: string; details?: unknown }[] = JSON.parse(
        await readFile(path.join(folder, file), "utf8"),
      );
      assert.ok(
        checks.some(({ status }) => status !== "INFO"),
        said,
      );
      const others = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
      assert.deepEqual(
        others.map(({ id, status }) => `${id}: ${status}`),
        expected,
        JSON.stringify(others, null, 2),
      );
    });
});
