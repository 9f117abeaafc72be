import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Answer, type Header, send } from "@easel/conformance/http";
import connect from "postgres";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { takeBackup } from "../src/backup/take-backup.ts";
import { ROOT } from "./areas.ts";
import { cookieOf, JSON_TYPE, signIn } from "./support/client.ts";
import { freePort, postgresPrograms, startPostgres } from "./support/postgres-server.ts";
import { startProcess } from "./support/process.ts";
import { type Callers, differences, type Recorded, readsOf, record } from "./support/recorded-api.ts";
import { runScript } from "./support/script.ts";
import { atEnd, type Scope, temporaryDirectory } from "./support/service.ts";
import { zip } from "./support/zip.ts";

/*
 * Tries an upgrade and the way back: `npm run upgrade -- [REVISION]`, by default from the last release tag. Makes an instance with data on that revision,
 * starts this checkout on it, and compares what the API answers to each of several people. Then goes back: on SQLite by the copy that was made before
 * the migrations, on both engines by a backup that this checkout has made of the old instance. The old release must answer as before.
 */

const run = promisify(execFile);
type Settings = Record<string, string>;

/** What answers for this release or this machine, streams, or is no data. */
const NO_DATA =
  /^\/(openapi|skill\.md|llms\.txt|sdk|schema|favicon|healthz|readyz|\.well-known)|^\/api\/admin\/(instance|settings)|\/realtime$|\/connections\/\{profile\}|\/log$|\/(export|bundle)$/;

await runScript(async (scope) => {
  const revision = process.argv[2] ?? (await lastTag());
  const old = await checkOut(scope, revision);
  const programs = postgresPrograms();
  const server = programs === undefined ? null : await startPostgres(programs);
  if (server !== null) atEnd(scope, () => server.remove());
  for (const engine of ["sqlite", "postgres"] as const) {
    if (engine === "postgres" && server === null) {
      process.stdout.write("PostgreSQL is not installed: tried with SQLite only\n");
      continue;
    }
    const begun = performance.now();
    const told = await upgrade(
      scope,
      old,
      engine === "postgres" ? `${server?.url}/${await createDatabase(server?.url)}` : null,
    );
    process.stdout.write(
      `${engine}, from ${revision} and back: ${told} (${Math.round((performance.now() - begun) / 1000)} s)\n`,
    );
  }
});

async function lastTag(): Promise<string> {
  const { stdout } = await run(
    "git",
    ["tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD"],
    { cwd: ROOT },
  );
  const [tag] = stdout.split("\n");
  assert.ok(tag, "There is no release tag: name a revision, npm run upgrade -- REVISION");
  return tag;
}

/** Checks a revision out into a temporary worktree, and installs its packages. Returns the program. */
async function checkOut(scope: Scope, revision: string): Promise<string> {
  const directory = path.join(await temporaryDirectory(scope), "old");
  await run("git", ["worktree", "add", "--detach", directory, revision], { cwd: ROOT });
  atEnd(
    scope,
    async () => void (await run("git", ["worktree", "remove", "--force", directory], { cwd: ROOT })),
  );
  process.stdout.write(`installing ${revision} …\n`);
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], {
    cwd: directory,
  });
  return path.join(directory, "packages/server/start.js");
}

async function createDatabase(url: string | undefined): Promise<string> {
  const admin = connect(`${url}/postgres`, { max: 1 });
  await admin.unsafe("create database upgraded");
  await admin.end();
  return "upgraded";
}

/** Tries an upgrade on one engine. Returns what was compared, in words. */
async function upgrade(scope: Scope, old: string, databaseUrl: string | null): Promise<string> {
  const directory = await temporaryDirectory(scope);
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const settings: Settings = {
    SERVICE_DATA_DIR: directory,
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: base,
    SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
    SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    SERVICE_ADMIN_EMAILS: "ada@acme.test",
    SERVICE_LOG_LEVEL: "error",
    ...(databaseUrl !== null && { SERVICE_DATABASE_URL: databaseUrl }),
  };
  const backups = path.join(await temporaryDirectory(scope), "backups");

  /** Starts a release, does the work with it, and stops it. */
  async function on<Result>(program: string | undefined, work: () => Promise<Result>): Promise<Result> {
    const service = await startProcess(scope, directory, settings, "inherit", program);
    try {
      return await work();
    } finally {
      assert.equal(await service.end("SIGTERM"), 0);
    }
  }

  const { callers, addresses, put } = await on(old, () => makeData(base));
  const ask = () => record(base, addresses, callers);
  const first = await on(old, ask);
  const before = await on(old, ask);
  // What changes without an upgrade, such as the time of the last request of a session.
  const passing = [...differences(first, before).keys()];
  const lostIn = (after: Recorded) =>
    [...differences(before, after)]
      .filter(([place]) => !passing.some((each) => place.startsWith(each)))
      .map(([place, how]) => `${place}: ${how}`);
  const name = await on(old, () => takeBackup(settings, backups));

  const upgraded = await on(undefined, async () => {
    const answers = await ask();
    await put("after the upgrade");
    return answers;
  });
  const lost = lostIn(upgraded);
  assert.deepEqual(lost, [], "the new release answers otherwise");

  if (databaseUrl === null) {
    const [copy] = (await readdir(directory)).filter((each) => /^before-\d{4}\.db$/.test(each));
    assert.ok(copy !== undefined, "the start has made no copy of the database");
    await mkdir(path.join(directory, "newer"));
    for (const each of (await readdir(directory)).filter((each) => each.startsWith("easel.db")))
      await rename(path.join(directory, each), path.join(directory, "newer", each));
    await copyFile(path.join(directory, copy), path.join(directory, "easel.db"));
    const back = await on(old, ask);
    assert.deepEqual(lostIn(back), [], "the old release answers otherwise on the copy");
    await rm(path.join(directory, "newer"), { recursive: true });
  }
  await restoreBackup(settings, backups, { name, replace: true });
  const back = await on(old, ask);
  assert.deepEqual(lostIn(back), [], "the old release answers otherwise on the restored backup");
  for (const caller of Object.keys(callers).filter((each) => each !== "nobody"))
    assert.equal(before.get(`${caller} /v1/c/book/kv/text`)?.status, 200, `${caller} sees nothing`);
  const answered = [...before.values()].filter(({ status }) => status < 300).length;
  return `${before.size} answers of ${addresses.length} addresses compared, ${answered} of them with data, but for ${passing.length} values that change by themselves`;
}

/** Makes an instance with something of each kind. Returns who asks for it, and where. */
async function makeData(base: string) {
  async function as(email: string) {
    const session = cookieOf(await signIn(base, { email }));
    const headers: Header[] = [session, ["Origin", base]];
    const call = async (
      method: string,
      at: string,
      body?: unknown,
      type: Header = JSON_TYPE,
    ): Promise<Answer["json"]> => {
      const sent = body === undefined || body instanceof Buffer ? body : JSON.stringify(body);
      const answer = await send(base, {
        method,
        path: at,
        headers: [...headers, type],
        ...(sent !== undefined && { body: sent }),
      });
      assert.ok(answer.status < 300, `${method} ${at}: ${answer.status} ${answer.text}`);
      return /json/.test(String(answer.headers["content-type"])) ? answer.json : {};
    };
    return { headers, call };
  }
  const [ada, bo, cy] = [await as("ada@acme.test"), await as("bo@acme.test"), await as("cy@acme.test")];
  const team = await bo.call("POST", "/api/teams", { name: "Tea", members: ["cy@acme.test"] });
  const made = async (title: string, slug: string) =>
    String((await bo.call("POST", "/api/canvases", { title, slug })).id);
  const ids = [
    await made("Guestbook", "book"),
    await made("Ein Titel — 🍏", "titled"),
    await made("Old", "old"),
    await made("Thrown away", "gone"),
  ];
  const [book = "", titled = "", archived = "", gone = ""] = ids;
  const policy = { collections: { notes: { preset: "collaborative" } } };
  await bo.call("PATCH", `/api/canvases/${book}/capabilities`, {
    backendEnabled: true,
    expectedRuntimePolicy: null,
    runtimePolicy: policy,
  });
  for (const text of ["one", "two"]) {
    const bundle = await zip({
      "index.html": `<h1>${text}</h1>`,
      "a b/ü.txt": text,
      "large.bin": Buffer.alloc(300_000, text),
    });
    await bo.call("PUT", `/api/canvases/${book}/bundle`, bundle, ["Content-Type", "application/zip"]);
  }
  await bo.call("PUT", `/api/canvases/${titled}/bundle`, Buffer.from("<p>public"), [
    "Content-Type",
    "text/html",
  ]);
  await bo.call("PUT", `/api/canvases/${book}/sharing`, {
    access: "specific_people",
    people: [{ email: "ada@acme.test", role: "editor" }],
    teams: [{ id: team.id, role: "viewer" }],
  });
  await bo.call("PUT", `/api/canvases/${titled}/sharing`, { access: "public_link" });
  await bo.call("PATCH", `/api/canvases/${archived}`, { archived: true, tags: ["tea", "über"] });
  await bo.call("DELETE", `/api/canvases/${gone}`);
  const invite = await bo.call("POST", `/api/canvases/${book}/invites`, {
    email: "guest@elsewhere.test",
    name: "A guest",
  });
  const link = new URL(String(invite.url));
  const entered = await send(base, { method: "GET", path: link.pathname + link.search });
  assert.equal(entered.status, 303, entered.text);
  const guest: Header[] = [cookieOf(entered)];

  for (const [key, value] of [
    ["text", "ü 🍏"],
    ["number", 7],
    ["nested", { a: [1, null, true] }],
  ] as const)
    await bo.call("PUT", `/v1/c/book/kv/${key}`, value);
  await cy.call("PUT", "/v1/c/book/kv/user/mine", { of: "Cy" });
  const records = [];
  for (const text of ["first", "second"])
    records.push(await bo.call("POST", "/v1/c/book/collections/notes", { text }));
  await cy.call("PUT", "/v1/c/book/submissions/poll/mine", { choice: 2 });
  const form = new FormData();
  form.set("file", new Blob(["a file"], { type: "text/plain" }), "notes.txt");
  const request = new Request(base, { method: "POST", body: form });
  const file = await bo.call("POST", "/v1/c/book/files", Buffer.from(await request.arrayBuffer()), [
    "Content-Type",
    String(request.headers.get("content-type")),
  ]);
  const token = await bo.call("POST", "/api/tokens", { name: "CI" });
  await ada.call("PUT", "/api/admin/connections/weather", {
    origin: "https://weather.example",
    methods: ["GET"],
    headers: { "x-key": "secret" },
  });
  await ada.call("PUT", `/api/admin/connections/weather/grants/${book}`, {});

  await ada.call("PUT", "/api/admin/orgs/acme", { name: "Acme", domains: ["acme.test"], take: true });
  const { users } = (await ada.call("GET", "/api/admin/users")) as unknown as { users: { id: string }[] };
  const { versions } = (await bo.call("GET", `/api/canvases/${book}/versions`)) as unknown as {
    versions: { id: string }[];
  };
  const values: [template: RegExp, values: string[]][] = [
    [/\{slug\}/, ["book", "titled"]],
    [/\{key\}/, ["text", "number", "nested", "mine"]],
    [/\{collection\}/, ["poll"]],
    [/collections\/\{name\}\/\{id\}/, records.map(({ id }) => `collections/notes/${id}`)],
    [/collections\/\{name\}/, ["collections/notes"]],
    [/groups\/\{name\}/, ["groups/none"]],
    [/files\/\{id\}/, [`files/${file.id}`]],
    [/canvases\/\{id\}/, ids.map((id) => `canvases/${id}`)],
    [/teams\/\{id\}/, [`teams/${team.id}`]],
    [/users\/\{id\}/, users.map(({ id }) => `users/${id}`)],
    [/orgs\/\{id\}/, ["orgs/acme"]],
    [/\{version\}/, versions.map(({ id }) => id)],
  ];
  const queries: [template: RegExp, query: string][] = [
    [/\/versions\/[^/]+\/file$/, "?path=index.html"],
    [/\/access$/, "?email=cy%40acme.test"],
    [/\/people$/, `?ids=${users.map(({ id }) => id)}`],
    [/^\/api\/canvases$/, "?list=trash"],
  ];
  const fill = (template: string): string[] => {
    if (NO_DATA.test(template)) return [];
    let paths = [template];
    for (const [part, each] of values)
      paths = paths.flatMap((one) =>
        part.test(one) ? each.map((value) => one.replace(part, value)) : [one],
      );
    return paths
      .filter((one) => !one.includes("{"))
      .flatMap((one) => [one, ...queries.filter(([part]) => part.test(one)).map(([, query]) => one + query)]);
  };
  const document = (await send(base, { method: "GET", path: "/openapi.json" })).json;
  const { addresses, leftOut } = readsOf(document, fill);
  const unknown = leftOut.filter((template) => !NO_DATA.test(template));
  if (unknown.length > 0) process.stdout.write(`not compared: ${unknown.join(", ")}\n`);
  addresses.push("/c/book/", "/c/book/a%20b/%C3%BC.txt", "/c/book/large.bin", "/c/titled/");
  const callers: Callers = {
    ada: ada.headers,
    bo: bo.headers,
    cy: cy.headers,
    token: [["Authorization", `Bearer ${token.token}`]],
    guest,
    nobody: [],
  };
  const put = (text: string) => bo.call("PUT", "/v1/c/book/kv/text", text);
  return { callers, addresses, put };
}
