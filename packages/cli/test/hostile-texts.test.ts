import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { before, test } from "node:test";
import { atEnd, fileScope, temporaryDirectory } from "../../server/test/support/service.ts";
import { easel, folderWith } from "./support/easel.ts";

/** A text that moves the cursor, changes the title and the direction, and forges a message on a line of its own. */
const EVIL = "a\u001b[2J\u001b]0;t\u0007\u009b31m\u202e\u2066\u061c\u007f\nerror: forged\r";
/** Matches what may not reach a terminal: control characters except line breaks and tabs, and marks of direction. */
const UNSAFE = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Matches the sequences of the colours that `easel` uses itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of a terminal begin with one
const COLOURS = /\u001b\[(0|1|2|22|31|32|33|35|39)m/g;

const scope = fileScope();

const canvas = (base: string) => ({
  ...{
    id: "0123456789abcdef0123",
    slug: EVIL,
    title: EVIL,
    url: `${base}/c/x/${EVIL}`,
    version: "v",
    access: EVIL,
  },
  ...{
    owner: { email: EVIL, name: EVIL },
    people: [{ email: EVIL, role: EVIL }],
    teams: [{ name: EVIL, role: EVIL }],
  },
  ...{
    hasPassword: false,
    expiresAt: null,
    publicationStatus: EVIL,
    viewerRole: EVIL,
    createdAt: 0,
    updatedAt: 0,
  },
  ...{ deletedAt: 0, purgeAt: 0, capabilities: {}, runtimePolicy: null },
});

/** The responses of a hostile service, by the end of the path. All other paths are refused with a hostile message. */
const RESPONSES: [path: RegExp, body: (base: string) => object][] = [
  [/\/api\/canvases$/, (base) => ({ canvases: [canvas(base)], nextCursor: null })],
  [/\/api\/canvases\/[^/]+$/, canvas],
  [/\/restore$/, canvas],
  [/\/invites$/, () => ({ invites: [{ id: "i", email: EVIL, revokedAt: null }] })],
  [
    /\/access$/,
    () => ({
      ...{ subject: { kind: EVIL, email: EVIL, name: EVIL }, pages: true, api: true, role: EVIL, code: null },
      steps: [{ rule: EVIL, outcome: "refused", closes: [EVIL], because: EVIL }],
      grants: [
        { via: "team", role: EVIL, team: EVIL },
        { via: "person", role: EVIL },
      ],
      permissions: { [EVIL]: true },
    }),
  ],
  [
    /\/versions$/,
    () => ({
      versions: [
        {
          id: "v",
          current: true,
          createdAt: 0,
          createdByName: EVIL,
          message: EVIL,
          releaseId: EVIL,
          files: 1,
          bytes: 1,
          changed: null,
        },
      ],
    }),
  ],
  [
    /\/log$/,
    () => ({
      ...{ dropped: 0, next: "1-0" },
      entries: [{ at: 0, status: 404, method: EVIL, route: EVIL, code: EVIL, message: EVIL, userId: EVIL }],
    }),
  ],
  [
    /\/data$/,
    () => ({
      ...{ kv: 1, kvUser: 1, files: { count: 1, bytes: 1 }, submissions: [{ name: EVIL, entries: 1 }] },
      collections: [{ name: EVIL, records: 1, bytes: 1, preset: EVIL }],
    }),
  ],
  [/\/api\/me$/, () => ({ email: EVIL, name: EVIL, isAdmin: false, authMode: EVIL, urlMode: EVIL })],
  [/\/api\/token$/, () => ({ scope: EVIL, canvas: { id: EVIL, slug: EVIL }, expiresAt: null })],
  [/\/kv$/, () => ({ entries: [{ key: EVIL, value: EVIL }], nextCursor: null })],
  [/\/kv\/a$/, () => ({ key: "a", value: EVIL })],
];

let base: string;
before(async () => {
  const server = createServer(({ url = "" }: IncomingMessage, response) => {
    const [path = ""] = url.split("?", 1);
    const found = RESPONSES.find(([pattern]) => pattern.test(path));
    response.setHeader("content-type", "application/json");
    if (found === undefined) response.statusCode = 409;
    response.end(JSON.stringify(found?.[1](base) ?? { code: EVIL, message: EVIL, hint: EVIL }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

const C = ["-c", "0123456789abcdef0123"];
const COMMANDS = [
  ["list"],
  ["list", "--quiet"],
  ["list", "--deleted"],
  ["versions", ...C],
  ["rollback", "v", "--yes", ...C],
  ["rollback", EVIL, ...C],
  ["open", ...C],
  ["share", ...C],
  ["share", "--add", EVIL, ...C],
  ["explain", "a@example.com", ...C],
  ["explain", EVIL, "--guest", ...C],
  ["explain", EVIL, ...C],
  ["password", "--clear", ...C],
  ["restore", ...C],
  ["logs", ...C],
  ["whoami"],
  ["doctor"],
  ["delete", "--yes", ...C],
  ["data", "ls", ...C],
  ["data", "ls", "--kv", ...C],
  ["data", "get", "a", ...C],
  ["data", "get", "a", "--string", ...C],
  ["data", "export", "--kv", ...C],
  ["data", "export", "--kv", "--format", "csv", ...C],
  ["data", "import", EVIL, ...C],
  ["pull", "in", ...C],
  ["deploy", "--slug", EVIL],
  ["deploy", "--slug", "some-slug"],
  ["login", EVIL],
  ["dev", EVIL],
  [EVIL.replace("\n", "")],
];

/** The commands that print stored texts themselves, with their line breaks. */
const TEXTS = new Set(["data get", "data export"]);

for (const args of COMMANDS)
  test(`nothing hostile reaches the terminal: ${JSON.stringify(args.filter((each) => !C.includes(each)))}`, async (t) => {
    const cwd = await folderWith(t, "folder", {
      "index.html": "x",
      [`x${EVIL}.txt`.replaceAll("/", "")]: "x",
    });
    for (const json of [[], ["--json"]]) {
      const { stdout, stderr, code } = await easel([...args, ...json], {
        env: { EASEL_URL: base, EASEL_TOKEN: "easel_pat_x", FORCE_COLOR: "1", NO_COLOR: "" },
        cwd,
        isTerminal: true,
        isOutputTerminal: true,
        answers: [],
      });
      assert.doesNotMatch(stdout.replace(COLOURS, ""), UNSAFE, `${code}`);
      assert.doesNotMatch(stderr.replace(COLOURS, ""), UNSAFE, `${code}`);
      if (!TEXTS.has(args.slice(0, 2).join(" "))) assert.doesNotMatch(stdout + stderr, /^error: forged/m);
      assert.doesNotMatch(stderr, /bug of easel/);
    }
  });

test("--json and a pipe keep the values", async () => {
  const env = { EASEL_URL: base, EASEL_TOKEN: "easel_pat_x" };
  const [listed] = JSON.parse((await easel(["list", "--json"], { env })).stdout);
  assert.equal(listed.title, EVIL);
  assert.equal(JSON.parse((await easel(["data", "get", "a", ...C], { env })).stdout), EVIL);
  assert.equal((await easel(["data", "get", "a", "--string", ...C], { env })).stdout, `${EVIL}\n`);
});

test("an export has no path of the service in its name", async (t) => {
  RESPONSES.unshift([/\/export$/, () => ({})]);
  const cwd = path.join(await temporaryDirectory(t), "in");
  await mkdir(cwd);
  for (const slug of [EVIL, "../out", "/tmp/out", "..\\out"]) {
    RESPONSES.unshift([/\/api\/canvases\/[^/]+$/, () => ({ ...canvas(base), slug })]);
    const env = { EASEL_URL: base, EASEL_TOKEN: "easel_pat_x" };
    const { code, stdout, stderr } = await easel(["data", "export", ...C, "--force"], { env, cwd });
    assert.deepEqual([code, stdout.replace(/\d{8}-\d{6}/, "TIME")], [0, "canvas-data-TIME.zip\n"], stderr);
  }
  assert.deepEqual(await readdir(path.dirname(cwd)), ["in"]);
});
