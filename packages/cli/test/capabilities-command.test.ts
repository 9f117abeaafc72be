import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fileScope } from "../../server/test/support/service.ts";
import { easel, folderWith, startSite } from "./support/easel.ts";

const { base, env } = await startSite(fileScope(), { SERVICE_RATELIMIT_ENABLED: "false" });

/** Deploys a canvas with this slug. Returns a function that runs `easel capabilities` for it. */
async function deployed(t: TestContext, slug: string) {
  const settings = JSON.stringify({ capabilities: ["kv", "files"] });
  const folder = await folderWith(t, slug, {
    "index.html": "<!doctype html><p>Page",
    "easel.json": settings,
  });
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 0, stderr);
  return (...flags: string[]) => easel(["capabilities", ...flags], { cwd: folder, env });
}

test("capabilities shows what works, why the others do not, and who may use them", async (t) => {
  const run = await deployed(t, "shown");
  const { code, stdout, stderr } = await run();
  assert.deepEqual([code, stderr], [0, ""]);
  const words = stdout.split("\n").map((line) =>
    line
      .split(" ")
      .filter((word) => word !== "")
      .join(" "),
  );
  assert.deepEqual(words, [
    `${base}/c/shown/`,
    "",
    "CAPABILITY STATE WHO WHY",
    "identity on",
    "kv on",
    "files on",
    "ai off owner, editors off for this canvas: --enable ai",
    "realtime off off for this canvas: --enable realtime",
    "connections on owner, editors",
    "authoring off everyone who enters off for this canvas: --enable authoring",
    "",
  ]);
});

interface Shown {
  backendEnabled: boolean;
  guestAi: boolean;
  capabilities: { name: string; on: boolean; reason: string | null; audience: string | null }[];
}

/** Flags, given one after the other, and a part of the result. */
const CHANGES: [flags: string[], backend: boolean, states: Record<string, string>][] = [
  [["--enable", "realtime,ai"], true, { kv: "on", realtime: "on", ai: "operator_disabled editors" }],
  [
    ["--ai-audience", "viewers", "--disable", "kv"],
    true,
    { kv: "feature_off", ai: "operator_disabled viewers" },
  ],
  [["--connections-audience", "viewers"], true, { connections: "on viewers" }],
  [["--authoring-audience", "editors"], true, { authoring: "feature_off editors" }],
  [["--disable", "backend"], false, { kv: "backend_off", identity: "backend_off", realtime: "backend_off" }],
  [["--enable", "kv"], true, { kv: "on", realtime: "on" }],
  [[], true, { kv: "on", connections: "on viewers" }],
];

test("capabilities changes switches and audiences", async (t) => {
  const run = await deployed(t, "changed");
  for (const [flags, backend, expected] of CHANGES) {
    const { stdout, stderr } = await run(...flags, "--json");
    const { backendEnabled, capabilities } = JSON.parse(stdout) as Shown;
    const states = Object.fromEntries(
      capabilities.map(({ name, on, reason, audience }) => [
        name,
        `${on ? "on" : reason}${audience === null ? "" : ` ${audience}`}`,
      ]),
    );
    assert.equal(backendEnabled, backend, stderr);
    assert.partialDeepStrictEqual(states, expected, flags.join(" "));
  }
  for (const state of ["on", "off"])
    assert.equal(JSON.parse((await run("--guest-ai", state, "--json")).stdout).guestAi, state === "on");
  assert.match((await run("--enable", "ai")).stdout, /AI has no provider key on this instance\./);
});

for (const [flags, says] of [
  [
    ["--enable", "connections"],
    /--enable cannot be `connections`\..*\n.*kv, files, ai, realtime, authoring and backend/,
  ],
  [["--disable", "k v"], /--disable cannot be `k v`/],
  [["--enable", "kv", "--disable", "backend"], /cannot be turned off by --disable/],
  [["--ai-audience", "all"], /Allowed choices are editors, viewers/],
] as [string[], RegExp][])
  test(`capabilities ${flags.join(" ")} is a usage error`, async () => {
    const { code, stderr } = await easel(["capabilities", ...flags], { env });
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  });
