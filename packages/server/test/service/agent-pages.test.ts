import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { LIMITS } from "@easel/protocol/limits";
import { PRESETS } from "@easel/protocol/policy";
import * as sdk from "../../../sdk/src/index.ts";
import { PAGE_LIMITS } from "../../src/agents/mount.ts";
import { faultsOf } from "../../src/canvases/publishing/easel-json.ts";
import { submitTo, ticketOf } from "../sign-in/oauth-client.ts";
import { startWithProvider } from "../sign-in/oidc-provider.ts";
import { Visitor } from "../sign-in/oidc-visitor.ts";
import { noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { follow, noTools } from "../support/sample-shell.ts";
import { anchorOf, samplesIn, samplesOf } from "../support/samples.ts";
import { fileScope, PROXY, startService, temporaryDirectory } from "../support/service.ts";
import { tokensOf } from "../support/tokens.ts";

const scope = fileScope();
let base: string;
let skill: string;

const get = (path: string): Promise<Answer> => send(base, { method: "GET", path });

before(async () => {
  ({ base } = await startService(scope));
  skill = (await get("/skill.md")).text;
});

/** Returns the dotted names of all functions in an object. */
const namesOf = (part: object, path = ""): string[] =>
  Object.entries(part).flatMap(([name, value]) =>
    typeof value === "function" ? [path + name] : namesOf(value, `${path}${name}.`),
  );

/** Returns the addresses on this service that a text links to or names, without fragments. */
const addressesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/https?:\/\/[\w.:-]+(\/[\w./-]*[\w/])?/g)]
      .map(([address]) => address)
      .filter((address) => address.startsWith(base))
      .map((address) => address.slice(base.length) || "/"),
  ),
];

describe("GET /llms.txt", () => {
  test("has a title, a summary, and lists of links, as the format says", async () => {
    const { status, headers, text } = await get("/llms.txt");
    assert.deepEqual([status, headers["content-type"]], [200, "text/plain; charset=utf-8"]);
    assert.match(text, /^# Easel\n\n> .+\n/);
    const [, ...lists] = text.split(/^## .+$/m);
    assert.ok(lists.length >= 2);
    for (const line of lists.join("").split("\n"))
      if (line !== "") assert.match(line, /^- \[[^\]]+\]\(https?:\/\/[^)]+\)/);
    assert.doesNotMatch(text, /\{\{|localhost:3000/);
  });

  test("links to nothing but documents of this service, which everyone can read", async () => {
    const named = addressesIn((await get("/llms.txt")).text);
    const addresses = named.filter((path) => path !== "/" && path !== "/mcp");
    assert.ok(addresses.length > 10);
    for (const path of addresses) assert.equal((await get(path)).status, 200, path);
  });
});

describe("GET /skill.md", () => {
  test("has the front matter of a skill and the addresses of this service", async () => {
    const { status, headers } = await get("/skill.md");
    assert.deepEqual([status, headers["content-type"]], [200, "text/markdown; charset=utf-8"]);
    const [, matter = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
    assert.match(matter, /^name: [a-z-]{1,64}\ndescription: .{50,1024}$/);
    assert.ok(skill.includes(`${base}/c/{slug}/`));
    assert.doesNotMatch(skill, /\{\{|localhost:3000/);
  });

  test("every link leads to a heading of the page or to a document of this service", async () => {
    const anchors = [...skill.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
    for (const [, link = ""] of skill.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (link.startsWith("#")) assert.ok(anchors.includes(link.slice(1)), link);
      else assert.equal((await get(link.replace(base, "").split("#")[0] ?? "")).status, 200, link);
    }
  });

  test("names every function of the SDK, every error class, every limit and every preset", () => {
    const functions = namesOf(sdk.createEasel()).filter((name) => !name.startsWith("kv.user."));
    const names = [
      ...functions.map((name) => `| \`${name}(`),
      ...Object.keys(sdk).filter((name) => name.endsWith("Error")),
      ...PAGE_LIMITS.map((name) => LIMITS[name].of),
      ...Object.keys(PRESETS).map((preset) => `| \`${preset}\` |`),
    ];
    assert.ok(names.length > 50);
    for (const name of names) assert.ok(skill.includes(name), name);
  });

  test("its files are those of a recipe, which a test runs; each easel.json is valid", () => {
    const files = samplesIn(skill, "skill.md").filter(({ file }) => file !== undefined);
    assert.deepEqual(files.map(({ file }) => file).sort(), ["poll/easel.json", "poll/index.html"]);
    const known = new Map(samplesOf("docs/recipes.md").map(({ file, text }) => [file, text]));
    for (const { file, text } of files) {
      assert.equal(text, known.get(file));
      if (file?.endsWith("easel.json")) assert.deepEqual(faultsOf(text), []);
    }
  });
});

test("an agent that follows the skill word for word publishes the poll, and two people vote", {
  skip: noBrowser || noTools,
}, async (t) => {
  const cwd = await temporaryDirectory(t);
  const samples = samplesIn(skill, "skill.md");
  const files = samples.filter(({ file }) => file !== undefined);
  const commands = samples.filter(
    ({ language, section }) => language === "sh" && (section.startsWith("deploy-") || section === "mend-it"),
  );
  const [, deployed = "", version, mended, again] = await follow([...files, ...commands], cwd, {
    "http://localhost:3000": base,
  });
  assert.deepEqual(JSON.parse(deployed), { url: `${base}/c/poll/`, warnings: [] });
  assert.match(version ?? "", /^[\w-]{36}$/);
  assert.equal(mended?.split("\n").filter((line) => line.includes('"createdAt"')).length, 2);
  assert.equal(again, `${base}/c/poll/`);

  const browser = await openBrowser(t);
  const [ada, ben] = await Promise.all(
    ["ada@example.com", "ben@example.com"].map((email) => openAs(browser, `${base}/c/poll/`, email)),
  );
  assert.ok(ada && ben);
  await ada.page.getByRole("button", { name: "Pizza 0" }).click();
  await ben.page.getByRole("button", { name: "Pizza 1" }).click();
  await ada.page.getByRole("button", { name: "Pizza 2" }).waitFor();
  assert.deepEqual([ada.faults, ben.faults], [[], []]);
});

test("with nothing but the address an agent gets a token from a person who signs in at a provider, deploys and mends", {
  skip: noTools,
}, async (t) => {
  const { base: service } = await startWithProvider(t);
  const first = await send(service, { method: "GET", path: "/", headers: [["Accept", "*/*"]] });
  assert.deepEqual([first.status, first.json.help], [302, `${service}/skill.md`]);
  const { text } = await send(service, { method: "GET", path: "/skill.md" });

  const cwd = await temporaryDirectory(t);
  const samples = samplesIn(text, "skill.md");
  const [start, fetch] = samples.filter((each) => each.text.includes("/oauth/"));
  assert.ok(start && fetch);
  const [told = ""] = await follow([start], cwd, {});
  const [, page = "", code = ""] = /^Open (\S+) and enter (\S+)$/.exec(told) ?? [];
  assert.equal(page, `${service}/oauth/device`);
  const visitor = new Visitor();
  await visitor.signIn(service, "ada@example.com");
  const session: Header[] = [["Cookie", `easel_session=${visitor.cookie(service, "easel_session")}`]];
  const ticket = ticketOf(await submitTo(service, "/oauth/device", session, { user_code: code }));
  const allowed = await submitTo(service, "/oauth/device", session, { ticket, answer: "allow" });
  assert.equal(allowed.status, 200, allowed.text);
  await follow([fetch], cwd, {});

  const poll = samples.filter(({ file }) => file?.startsWith("poll/"));
  const commands = samples.filter(
    ({ section, language }) => language === "sh" && ["deploy-with-curl", "mend-it"].includes(section),
  );
  const [deployed = "", version = "", mended = ""] = await follow(
    [...poll, ...commands.filter((each) => each !== start && each !== fetch)],
    cwd,
    {},
  );
  assert.deepEqual(JSON.parse(deployed), { url: `${service}/c/poll/`, warnings: [] });
  assert.match(version, /^[\w-]{36}$/);
  assert.equal(mended.split("\n").filter((line) => line.includes('"createdAt"')).length, 2);
});

for (const [mode, settings] of [
  ["dev mode", {}],
  ["the other modes", PROXY],
] as const)
  test(`an agent reads the pages at once: /llms.txt in 1,000 tokens, /skill.md in 6,000, in ${mode}`, async (t) => {
    const { base: address } = await startService(t, settings, "easel.apps.acme.localhost");
    for (const [path, most] of [
      ["/llms.txt", 1000],
      ["/skill.md", 6000],
    ] as const) {
      const tokens = tokensOf((await send(address, { method: "GET", path })).text);
      assert.ok(tokens > most / 2 && tokens <= most, `${path} has ${tokens} tokens`);
    }
  });

test("both pages name the tools of /mcp, except where the service accepts no tokens", async (t) => {
  const { base: signed } = await startService(t, {
    ...PROXY,
    SERVICE_PROXY_JWT_JWKS_URL: "https://proxy.example.com/keys",
    SERVICE_PROXY_JWT_ISSUER: "https://proxy.example.com",
    SERVICE_PROXY_JWT_AUDIENCE: "easel",
  });
  for (const path of ["/llms.txt", "/skill.md"]) {
    assert.ok((await get(path)).text.includes(`${base}/mcp`), path);
    assert.doesNotMatch((await send(signed, { method: "GET", path })).text, /\/mcp/, path);
  }
});

test("outside dev mode the skill names the page on which people create tokens", async (t) => {
  const { base: proxied } = await startService(t, PROXY);
  const { text } = await send(proxied, { method: "GET", path: "/skill.md" });
  assert.ok(text.includes(`they open ${proxied}/tokens`));
  const [start, fetched] = samplesIn(text, "skill.md").filter((each) => each.text.includes("/oauth/"));
  assert.match(start?.text ?? "", /device_authorization/);
  assert.match(fetched?.text ?? "", /grant-type:device_code/);
});
