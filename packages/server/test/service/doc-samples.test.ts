import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { parseEnv, promisify } from "node:util";
import { parse } from "yaml";
import { faultsOf } from "../../src/canvases/publishing/easel-json.ts";
import { readConfig, unknownVariables } from "../../src/config/config.ts";
import { sqlText } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { upsertUser } from "../../src/identity/users.ts";
import { currentModels, priceOf } from "../../src/organisation/ai/prices.ts";
import { ROOT } from "../areas.ts";
import { type AiProvider, startAiProvider } from "../support/ai-provider.ts";
import { type ExternalApi, startExternalApi } from "../support/external-api.ts";
import { runScript } from "../support/sample-scripts.ts";
import { follow, noTools } from "../support/sample-shell.ts";
import { PAGES, type Sample, samplesOf } from "../support/samples.ts";
import { fileScope, startExample, startService, temporaryDirectory } from "../support/service.ts";

/** Maps pages, sections or blocks to the test file that runs their code. A test checks that this file still names the page. */
const ELSEWHERE: Record<string, string> = {
  "docs/ci.md#github 1": "packages/cli/test/deploy-action.test.ts",
  "README.md#hello": "examples/first-canvas.test.ts",
  "README.md#share-it 3": "examples/first-canvas.test.ts",
  "docs/easel-json.md": "examples/first-canvas.test.ts",
  "docs/recipes.md": "packages/server/test/service/recipes-browser.test.ts",
  "docs/vite.md": "packages/server/test/service/vite-browser.test.ts",
  "docs/tutorial.md": "packages/server/test/service/tutorial-browser.test.ts",
};

/** The blocks that no test runs, each with the reason. */
const NOT_RUN: Record<string, string> = {
  "README.md#start 1": "installs the project",
  "README.md#share-it 1": "starts a service that does not end",
  "README.md#share-it 2": "opens a browser; the tests of `easel login` sign in",
  "docs/install.md#package 1": "needs the package; tarball.test.ts looks into it",
  "docs/install.md#package 2": "writes a package beside the checkout; tarball.test.ts packs it",
  "docs/install.md#npm 1": "installs a package on the machine; tarball.test.ts installs it in a folder",
  "docs/install.md#container 1": "needs a container engine",
  "docs/install.md#container 2": "needs a container engine",
  "docs/install.md#compose 1": "makes files of another user",
  "docs/install.md#compose 3": "needs a container engine",
  "docs/backups.md#back-up 2": "starts a unit of systemd",
  "docs/install.md#systemd 1": "installs units of systemd",
  "docs/install.md#debian-package 1":
    "installs a package on the machine; deploy/debian/check.sh installs it in a Debian of its own",
  "docs/install.md#debian-package 2": "starts a unit of systemd",
  "docs/install.md#checkout 1": "installs the project and starts a service that does not end",
  "docs/people.md#people-from-a-directory-scim 1":
    "needs a service with SERVICE_SCIM_TOKEN; scim.test.ts sends such requests",
  "docs/growing.md#postgresql 1": "installs PostgreSQL on the machine",
  "docs/growing.md#postgresql 2": "stops a unit of systemd; copy.test.ts runs `copy`",
  "docs/growing.md#blobs-in-s3 2": "stops a unit of systemd; copy.test.ts runs `copy`",
  "docs/growing.md#redis 1": "installs Redis on the machine",
  "docs/growing.md#redis 3": "starts a unit of systemd",
  "docs/growing.md#two-nodes-behind-a-proxy 2": "starts a unit of systemd",
  "docs/growing.md#backups 1": "starts a unit of systemd",
  "docs/ci.md#any-other-build-server 2": "a configuration of GitLab; its commands are those of the action",
  "docs/cli.md#installation 1": "installs a package on the computer",
  "docs/agents.md#claude-code 1": "needs Claude Code",
  "docs/agents.md#codex 1": "needs Codex",
  "docs/stylesheet.md#stylesheet 1": "calls no backend",
  "docs/cli.md#sign-in 1": "opens a browser; the tests of `easel login` sign in",
  "docs/dev.md#develop-on-your-computer 1": "serves until Ctrl-C; the tests of `easel dev` run it",
  "docs/dev.md#with-vite-and-other-dev-servers 1": "serves until Ctrl-C; the tests of `easel dev` run it",
  "docs/react.md#react 1": "writes packages beside the checkout; vite-browser.test.ts packs them",
  "packages/react/README.md#easelreact 1":
    "writes packages beside the checkout; vite-browser.test.ts packs them",
  "packages/sdk/README.md#easelsdk 1":
    "writes a package beside the checkout; vite-browser.test.ts packs them",
};

/** Languages of code blocks that are only for reading, such as diagrams. No test runs them. */
const SHOWN = ["", "text", "http", "mermaid"];

/** Languages that a test below runs or checks. */
const RUN = ["html", "js", "ts", "tsx", "sh", "json", "yaml", "ini", "sql"];

const samples = PAGES.flatMap(samplesOf).filter(({ language }) => !SHOWN.includes(language));
const covers = (row: string, { name, page, section }: Sample) =>
  [name, `${page}#${section}`, page].includes(row);
const rest = samples.filter(
  (sample) =>
    !Object.keys(ELSEWHERE).some((row) => covers(row, sample)) && NOT_RUN[sample.name] === undefined,
);
const inLanguage = (...languages: string[]) =>
  rest.filter(({ language, file }) => languages.includes(language) && file === undefined);
const byPage = (some: Sample[]) => Map.groupBy(some, ({ page }) => page);

test("every block is run or checked, and no row of the tables is left over", async () => {
  assert.ok(samples.length > 50, `${samples.length}`);
  for (const row of [...Object.keys(ELSEWHERE), ...Object.keys(NOT_RUN)])
    assert.ok(
      samples.some((sample) => covers(row, sample)),
      `no block is ${row}`,
    );
  for (const [row, file] of Object.entries(ELSEWHERE)) {
    const text = await readFile(path.join(ROOT, file), "utf8");
    assert.ok(text.includes(`"${row.split("#")[0]}"`), `${file} does not name the page of ${row}`);
  }
  for (const { name, language, file } of rest) {
    assert.ok(RUN.includes(language), `${name}: nothing runs \`${language}\``);
    assert.ok(file === undefined, `${name}: no test follows the page that saves ${file}`);
  }
});

describe("js, html and ts, on a fake service", () => {
  const calls = (sample: Sample) =>
    sample.language !== "ts" || /^import \{.*"@easel\/sdk"/m.test(sample.text);
  for (const sample of inLanguage("js", "html", "ts").filter(calls))
    test(sample.name, () => runScript(sample));
});

describe("ts and tsx, by the compiler", () => {
  const source = (name: string) => path.join(ROOT, "packages", name, "src");
  const all = inLanguage("ts", "tsx");
  /** Pages that declare the collections of their canvas, which other pages have not. */
  const declaring = new Set(all.filter(({ text }) => /^declare /m.test(text)).map(({ page }) => page));
  const projects = Map.groupBy(all, ({ page }) => (declaring.has(page) ? page : "the other pages"));
  for (const [title, some] of projects) {
    test(title, async (t) => {
      const project = await temporaryDirectory(t);
      await symlink(path.join(ROOT, "node_modules"), path.join(project, "node_modules"));
      for (const [index, { language, text }] of some.entries())
        await writeFile(path.join(project, `sample-${index}.${language}`), `${text}\nexport {};\n`);
      await writeFile(path.join(project, "json.d.ts"), 'type Json = import("@easel/sdk").Json;');
      const compilerOptions = {
        target: "esnext",
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["esnext", "dom", "dom.iterable"],
        types: ["node"],
        jsx: "react-jsx",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        paths: {
          "@easel/sdk": [`${source("sdk")}/index.ts`],
          "@easel/sdk/global": [`${source("sdk")}/window.ts`],
          "@easel/sdk/live": [`${source("sdk")}/live.ts`],
          "@easel/react": [`${source("react")}/index.ts`],
        },
      };
      await writeFile(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
      const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
      const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", project]).catch(
        (error) => error,
      );
      assert.equal(stdout, "");
    });
  }
});

describe("json: parsed, and validated if it is an easel.json or a policy", () => {
  const KEYS = ["$schema", "title", "description", "slug", "spa", "capabilities", "policy"];
  const POLICY = ["defaultMode", "collections", "fileGroups", "channels", "connections"];
  for (const { name, text } of inLanguage("json")) {
    test(name, () => {
      const keys = Object.keys(JSON.parse(text));
      if (keys.every((key) => KEYS.includes(key))) assert.deepEqual(faultsOf(text), []);
      if (keys.every((key) => POLICY.includes(key))) assert.deepEqual(faultsOf(`{ "policy": ${text} }`), []);
    });
  }
});

describe("yaml: parsed", () => {
  for (const { name, text } of inLanguage("yaml"))
    test(name, () => assert.equal(typeof parse(text), "object"));
});

describe("ini: settings that exist, hold valid values and allow only models that have a price", () => {
  for (const { name, text } of inLanguage("ini")) {
    test(name, () => {
      const environment = parseEnv(text.replaceAll("…", randomBytes(32).toString("base64")));
      assert.ok(Object.keys(environment).length > 0);
      assert.deepEqual(unknownVariables(environment), []);
      const config = readConfig(environment);
      for (const model of config.aiModels.length > 0 ? config.aiModels : currentModels(config))
        assert.ok(priceOf(model, 1, config), model);
    });
  }
});

describe("sql: queries of tables and views that exist", () => {
  for (const { name, text } of inLanguage("sql")) {
    test(name, async (t) => {
      const { env } = await startService(t);
      assert.deepEqual(await env.db.all(sqlText(text.replace(/;\s*$/, ""))), []);
    });
  }
});

/** Asserts what the commands of a page have printed, one text for each block. `base` is the address of the service. */
type Check = (printed: string[], base: string, env: Env) => void | Promise<void>;

const CHECKS: Record<string, Check> = {
  "docs/operating.md": async (printed, _base, { db }) => {
    const [quotas, call, , ended] = printed;
    assert.equal(quotas, '50\n{"used":0,"limit":10000}');
    assert.equal(call, '["authorization"]\nGET /v2/tickets?limit=5 Bearer secret');
    assert.equal(ended, "false");
    assert.deepEqual(await db.all`select * from connection_profiles`, []);
  },
  "docs/http/runtime.md": async (printed) => {
    const events = printed.find((text) => text.startsWith("data: ")) ?? "";
    assert.deepEqual(
      events
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line.replace(/^data: /, ""))),
      [
        { type: "delta", text: "You said: " },
        { type: "delta", text: "Name a tea." },
        {
          type: "done",
          usage: { inputTokens: 12, outputTokens: 7, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
          cost: 0.0000047,
        },
      ],
    );
    assert.ok(printed.some((text) => text.includes("GET /v2/tickets?limit=5")));
  },
  "docs/people.md": async (printed, _base, { db }) => {
    assert.match(printed.join(), /\bactive .* eve@acme.test /);
    const acts = await db.all<{ act: string }>`select act from audit where actor_id = 'shell' order by id`;
    assert.deepEqual(
      acts.map(({ act }) => act),
      ["user.sign-out", "canvas.reassign", "user.handover", "token.create"],
    );
  },
  "docs/publishing.md": async (printed, base, { db }) => {
    const [, folder, zip = "", single = "", ci = "", authoring, published = "", ...more] = printed;
    const [versions = "", again, file = "", preview = "", down] = more;
    const version = /[0-9a-f-]{36}/.exec(single)?.[0] ?? assert.fail(single);
    assert.equal(folder, `${base}/c/tea/`);
    const first = JSON.parse(zip);
    assert.deepEqual(first, { url: `${base}/c/coffee/`, version: first.version, leftOut: [], warnings: [] });
    const [url, third] = ci.split(" ");
    assert.equal(url, `${base}/c/coffee/`);
    assert.equal(authoring, "true");
    const { publicationStatus, url: authored } = JSON.parse(published);
    assert.deepEqual([publicationStatus, authored], ["published", `${base}/c/lunch-poll/`]);
    const lines = versions.split("\n");
    assert.deepEqual(
      lines.slice(0, 3).map((line) => JSON.parse(line).id),
      [third, version, first.version],
    );
    assert.equal(JSON.parse(lines[0] ?? "").files, 2);
    assert.equal(lines[3], version);
    assert.equal(again, '{"leftOut":[],"warnings":[]}');
    assert.match(file, /^\{"path":"index.html","size":\d+\}\n<!doctype html>/);
    assert.ok(preview.startsWith(`${base}/c/coffee/__preview?code=`));
    assert.equal(down, "unpublished\npublished");
    const blobs = await db.all<{ canvases: number }>`
      select count(distinct canvas_id) as canvases from bundle_blobs
      join canvases on canvases.id = canvas_id where slug in ('tea', 'coffee', 'lunch-poll')`;
    assert.deepEqual(blobs, [{ canvases: 3 }]);
  },
  "examples/weather/README.md": async (_printed, _base, { db }) => {
    assert.deepEqual(
      await db.all`
        select profile, slug, public from connection_grants join canvases on canvases.id = canvas_id`,
      [{ profile: "weather", slug: "weather", public: 0 }],
    );
  },
};

/** Replaces ids and times, which differ from run to run. */
const settled = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"an id"')
      .replaceAll(/\b1\d{12}\b/g, "0"),
  );

/**
 * Asserts that each block of JSON that follows commands on a page equals what those commands printed. Ids and times may differ. Returns the
 * number of such blocks.
 */
function checkShown(page: string, printed: string[], base: string): number {
  const blocks = samplesOf(page);
  const commands = blocks.filter(({ language }) => language === "sh");
  const shown = blocks.filter(
    ({ language, section }, index) =>
      language === "json" && blocks[index - 1]?.language === "sh" && blocks[index - 1]?.section === section,
  );
  for (const json of shown) {
    const command = blocks[blocks.indexOf(json) - 1] as Sample;
    const output = printed[commands.indexOf(command)] ?? "";
    assert.deepEqual(
      settled(JSON.parse(output)),
      settled(JSON.parse(json.text.replaceAll("http://localhost:3000", base))),
      `${json.name} shows what ${command.name} prints`,
    );
  }
  return shown.length;
}

/** The people whom pages expect, apart from the administrator. */
const PEOPLE: Record<string, string[]> = { "docs/people.md": ["bob@acme.test", "eve@acme.test"] };

/** The pages on which a block of JSON after commands shows what they print. */
const SHOWING = [
  "docs/sharing.md",
  "docs/http/runtime.md",
  "docs/http/realtime.md",
  "docs/http/management.md",
];

/**
 * Prepares what the commands of the pages expect: an administrator's access token in `$EASEL_TOKEN`, and the session cookie in the file
 * `cookies`. Also makes a canvas with the backend on, in `$ID` and `$SLUG`, and some files. Returns the folder and the variables.
 */
async function prepare(
  t: TestContext,
  base: string,
): Promise<{ cwd: string; variables: Record<string, string> }> {
  const cwd = await temporaryDirectory(t);
  const [variables = ""] = await follow(
    [
      {
        name: "the preparation of pages",
        page: "",
        section: "",
        language: "sh",
        file: undefined,
        text: `
post() { curl -b cookies -c cookies -H 'content-type: application/json' "$@"; }
post -d '{"email":"dev@example.com"}' ${base}/auth/dev/session
ID=$(post -d '{"title":"Lunch","slug":"lunch"}' ${base}/api/canvases | jq -r .id)
post -X PATCH -d '{"backendEnabled":true,"authoring":true}' ${base}/api/canvases/$ID/capabilities > /dev/null
echo tea > index.html; echo tea > photo.png; zip -qr poll.zip index.html
echo EASEL_TOKEN=$(post -d '{"name":"docs"}' ${base}/api/tokens | jq -r .token)
echo ID=$ID; echo SLUG=lunch; echo EASEL_URL=${base}`,
      },
    ],
    cwd,
    { "http://localhost:3000": base },
  );
  return { cwd, variables: parseEnv(variables) as Record<string, string> };
}

describe("sh, on a service in dev mode", { skip: noTools }, () => {
  const pages = byPage(inLanguage("sh"));
  const scope = fileScope();
  let provider: AiProvider;
  let api: ExternalApi;

  before(async () => {
    provider = await startAiProvider(scope);
    api = await startExternalApi(
      scope,
      ({ method, url, headers }) => `${method} ${url} ${headers.authorization}\n`,
    );
  });

  for (const [page, some] of pages) {
    test(page, async (t) => {
      const { base, env } = await startExample(t, path.basename(path.dirname(page)), {
        ...provider.settings,
        ...api.settings,
        SERVICE_AUTHORING: "on",
        SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      });
      for (const email of PEOPLE[page] ?? []) await upsertUser(env.db, email, null, env.clock());
      const { cwd, variables: prepared } = await prepare(t, base);
      // For `easel-server`, which works on the database.
      const { databaseUrl, dataDir } = env.config;
      const variables = { ...prepared, SERVICE_DATABASE_URL: databaseUrl, SERVICE_DATA_DIR: dataDir };
      const replaced = {
        "http://localhost:3000": base,
        "https://api.example.com": api.origin,
        "https://api.open-meteo.com": api.origin,
      };
      const printed = await follow(some, cwd, replaced, variables);
      if (SHOWING.includes(page)) assert.ok(checkShown(page, printed, base) > 0);
      await CHECKS[page]?.(printed, base, env);
    });
  }

  test("no check of a page is left over", () => {
    for (const page of Object.keys(CHECKS)) assert.ok(pages.has(page), page);
  });
});
