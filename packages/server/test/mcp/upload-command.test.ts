import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { manage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { zipOf } from "@easel/conformance/zip";
import { beginRequest } from "../support/begin-request.ts";
import { type Allowed, type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { refusedText } from "../support/refused-text.ts";

/** Returns the path of a program, or null if it is not installed. */
function pathOf(program: string): string | null {
  try {
    return execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
  } catch {
    return null;
  }
}

/** Returns why a test that needs programs is skipped, or false if all are installed. */
const without = (...programs: string[]): string | false => {
  const missing = programs.filter((program) => pathOf(program) === null);
  return missing.length > 0 && `${missing.join(", ")} not installed`;
};

/** What `upload_command` returns. */
interface Command {
  canvas: string;
  url: string;
  command: string;
}

const ticketOf = ({ command }: Command): string => /Bearer (\S+)'/.exec(command)?.[1] ?? assert.fail(command);

await onSqlite("upload_command", (target, env) => {
  let person: Person;
  let agent: ConnectedTool;
  let disk: string;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    agent = await connectTool(target.base, person, { scope: "deploy" }, env);
    disk = await mkdtemp(path.join(tmpdir(), "easel-upload-"));
  });
  after(() => rm(disk, { recursive: true, force: true }));

  const ask = (args: object, by = agent) => by.use<Command>("upload_command", args);
  const refused = (args: object, by = agent) => refusedText(by, "upload_command", args);
  const connect = (allowed: Allowed) => connectTool(target.base, person, allowed, env);

  const upload = (ticket: string, body: Buffer, headers: Header[] = [], method = "PUT") => {
    const all: Header[] = [
      ["Authorization", `Bearer ${ticket}`],
      ["Content-Type", "application/zip"],
      ...headers,
    ];
    return send(target.base, { method, path: "/mcp/upload", headers: all, body });
  };
  /** Begins an upload, of which the first bytes are sent. */
  const begin = (ticket: string, body: Buffer, bytes: number) => {
    const headers: Header[] = [["Content-Type", "application/zip"]];
    const holder = { ...person, headers: [["Authorization", `Bearer ${ticket}`]] as Header[] };
    return beginRequest(target.base, holder, { method: "PUT", path: "/mcp/upload", headers, body }, bytes);
  };
  const site = (text = "<p>one") => zipOf({ "index.html": text });

  const pageOf = async (url: string, file = "") => {
    const request = { method: "GET", path: new URL(url + file).pathname, headers: person.headers };
    const answer = await send(target.base, request);
    return answer.status === 200 ? answer.text : answer.status;
  };

  /** Makes a folder with files on the disk. */
  async function folderOf(name: string, files: Record<string, string>): Promise<string> {
    const folder = path.join(disk, name);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
    return folder;
  }

  /** Runs a command in a shell, with the programs of a folder only if one is given. Returns what it prints, or its error. */
  const run = (command: string, cwd: string, programs?: string, shell = "bash") =>
    new Promise<{ text: string; failed: boolean }>((resolve) => {
      const options = { cwd, env: { PATH: programs ?? process.env.PATH, CDPATH: disk, TMPDIR: disk } };
      execFile(pathOf(shell) ?? shell, ["-c", command], options, (error, stdout, stderr) =>
        resolve({ text: stdout + stderr, failed: error !== null }),
      );
    });

  /** Makes a folder that has only these programs, for a computer without others. */
  async function only(...programs: string[]): Promise<string> {
    const folder = await mkdtemp(path.join(disk, "bin-"));
    for (const program of programs) {
      const file = path.join(folder, program);
      await writeFile(file, `#!/bin/sh\nPATH='${process.env.PATH}' exec ${program} "$@"\n`);
      await chmod(file, 0o755);
    }
    return folder;
  }

  const FILES = {
    "index.html": "<p>from disk",
    "sub/it's ü.txt": "text",
    "-C": "no option",
    ".env": "SECRET=1",
    ".git/config": "secret",
    "node_modules/x/index.js": "code",
    ".well-known/security.txt": "contact",
  };
  const BASIC = ["mktemp", "rm", "find", "curl"];

  for (const [how, programs, shell] of [
    ["zip", ["zip"], "bash"],
    ["zip in another shell", ["zip"], "sh"],
    ["bsdtar", ["bsdtar"], "bash"],
    ["Python", ["python3"], "bash"],
  ] as const)
    it(`deploys a folder with ${how}`, { skip: without("curl", shell, ...programs) }, async () => {
      const name = `a "b" $c's ${how}`;
      const folder = await folderOf(name, FILES);
      await symlink("/etc/passwd", path.join(folder, "link.txt"));
      const made = await ask({ title: "Site", folder: name });
      const { text, failed } = await run(made.command, disk, await only(...BASIC, ...programs), shell);
      assert.equal(failed, false, text);
      assert.match(text, /^Created "Site" at http\S+, version \S+ Only its owner can open it\.\n/);
      assert.doesNotMatch(text, /Left out/);
      const version = (await manage(target, person, "GET", `/api/canvases/${made.canvas}`)).json.version;
      const listed = await manage(
        target,
        person,
        "GET",
        `/api/canvases/${made.canvas}/versions/${version}/files`,
      );
      const paths = (listed.json as { files: { path: string }[] }).files.map((file) => file.path);
      assert.deepEqual(paths.sort(), ["-C", ".well-known/security.txt", "index.html", "sub/it's ü.txt"]);
      assert.equal(await pageOf(made.url), "<p>from disk");
      // The second run of the same command does nothing.
      const again = await run(made.command, disk, await only(...BASIC, ...programs), shell);
      assert.equal(again.failed, true);
      assert.match(again.text, /This upload command has been used already/);
    });

  it("fails in a folder that is not there, before anything is sent", {
    skip: without("bash", "curl"),
  }, async () => {
    const { command, url } = await ask({ title: "Nothing", folder: "-nowhere" });
    const { failed, text } = await run(command, disk);
    assert.equal(failed, true);
    assert.match(text, /-nowhere/);
    assert.equal(await pageOf(url), 404);
  });

  it("refuses folders with control characters, which a terminal could take for something else", async () => {
    for (const folder of ["a\nrm -rf b", "a\u001b[2J", "a\0b", ""])
      assert.match(await refused({ title: "Site", folder }), /^INVALID_BODY: `folder` must be/);
  });

  it("applies easel.json, and lists what the service leaves out and warns of", async () => {
    const made = await ask({ title: "Kept title" });
    const settings = {
      title: "Other",
      capabilities: ["kv"],
      policy: { collections: { a: { preset: "personal" } } },
    };
    const body = zipOf({ "start.html": "<p>", ".env": "x", "easel.json": JSON.stringify(settings) });
    const { text, status } = await upload(ticketOf(made), body, [], "POST");
    assert.equal(status, 200, text);
    assert.match(text, /easel\.json has set: capabilities, policy\./);
    assert.match(text, /Warning: The bundle has no `index\.html`/);
    assert.match(text, /Left out: "\.env" \(dot_file\)/);
    const { json } = await manage(target, person, "GET", `/api/canvases/${made.canvas}`);
    const { title, runtimePolicy, capabilities } = json as Record<string, Record<string, unknown>>;
    assert.equal(title, "Kept title");
    assert.deepEqual(runtimePolicy, settings.policy);
    assert.deepEqual([capabilities?.kv, capabilities?.ai], [true, false]);
  });

  it("lets one of two uploads at once through", async () => {
    const ticket = ticketOf(await ask({ title: "Twice" }));
    const answers = await Promise.all([1, 2, 3].map((each) => upload(ticket, site(`<p>${each}`))));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  it("works again after an upload that was refused or broke off", async () => {
    const made = await ask({ title: "Again" });
    const ticket = ticketOf(made);
    const broken = await upload(ticket, Buffer.from("no zip"));
    assert.equal(broken.status, 400);
    assert.match(broken.text, /INVALID_BODY/);
    const { sent } = begin(ticket, site("<p>cut"), 10);
    await setTimeout(50);
    sent.destroy();
    let status = 401;
    for (let tries = 0; tries < 50 && status === 401; tries++) {
      ({ status } = await upload(ticket, site()));
      if (status === 401) await setTimeout(20);
    }
    assert.equal(status, 200);
    assert.equal(await pageOf(made.url), "<p>one");
  });

  it("refuses an upload over a version that was published meanwhile", async () => {
    const made = await agent.use<{ canvas: string; version: string }>("deploy_canvas", {
      title: "Raced",
      files: [{ path: "index.html", text: "<p>one" }],
    });
    const { canvas } = made;
    const command = await ask({ canvas });
    const files = [{ path: "index.html", text: "<p>two" }];
    const { version } = await agent.use<{ version: string }>("deploy_canvas", { canvas, files });
    const { status, text } = await upload(ticketOf(command), site("<p>three"));
    assert.equal(status, 409);
    assert.match(text, /VERSION_CONFLICT/);
    assert.ok(text.includes(`The current version is ${version}`), text);
    assert.equal(await pageOf(command.url), "<p>two");
    assert.match(await refused({ canvas, expected_version: made.version }), /^VERSION_CONFLICT: /);
  });

  it("is no other ticket, and no other credential is a ticket", async () => {
    const ticket = ticketOf(await ask({ title: "Forged" }));
    const [content = "", signature = ""] = ticket.slice("easel_upload_".length).split(".");
    const other = Buffer.from(content, "base64url").toString().replace('"expires":', '"expires":9');
    const forged = [
      `easel_upload_${Buffer.from(other).toString("base64url")}.${signature}`,
      `easel_upload_${content}`,
      `easel_upload_${content}.${signature.slice(1)}`,
      agent.token,
      "",
    ];
    for (const each of forged) {
      const { status, text } = await upload(each, site(), person.headers);
      assert.equal(status, 401, each);
      assert.match(text, /is not valid, or has run out\. Call `upload_command` for another one\./);
    }
    const { headers, body } = { headers: [["Authorization", `Bearer ${ticket}`]] as Header[], body: "{}" };
    for (const place of ["/mcp", "/api/canvases"])
      assert.equal((await send(target.base, { method: "POST", path: place, headers, body })).status, 401);
  });

  it("runs out after 15 minutes", async () => {
    const ticket = ticketOf(await ask({ title: "Late" }));
    const now = env.clock();
    const { clock } = env;
    env.clock = () => now + 15 * 60_000;
    try {
      assert.match((await upload(ticket, site())).text, /has run out/);
    } finally {
      env.clock = clock;
    }
  });

  it("ends with the connected tool, its scope, and its person", async () => {
    const ends: [string, (id: string) => Promise<unknown>][] = [
      ["tool", (id) => env.db.run`update apps set expires_at = 1 where id = ${id}`],
      ["scope", (id) => env.db.run`update apps set scope = 'read' where id = ${id}`],
    ];
    for (const [what, end] of ends) {
      const connected = await connect({ scope: "deploy" });
      const made = await ask({ title: "Ended" }, connected);
      await end(connected.id);
      const { status, text } = await upload(ticketOf(made), site());
      assert.equal(status, 401, what);
      assert.match(text, /is of a connection that has ended/);
    }
    const gone = await target.signIn(freshEmail("gone"));
    const theirs = await connectTool(target.base, gone, {}, env);
    const made = await ask({ title: "Ended" }, theirs);
    await env.db.run`update users set deactivated_at = 1 where email = ${gone.email}`;
    assert.equal((await upload(ticketOf(made), site())).status, 401);
  });

  it("ends with the right of the person on the canvas", async () => {
    const editor = await target.signIn(freshEmail("editor"));
    const theirs = await connectTool(target.base, editor, {}, env);
    const { json } = await manage(target, person, "POST", "/api/canvases", { title: "Shared" });
    const share = (people: object[]) =>
      manage(target, person, "PUT", `/api/canvases/${json.id}/sharing`, { access: "private", people });
    await share([{ email: editor.email, role: "editor" }]);
    const made = await ask({ canvas: json.id }, theirs);
    await share([{ email: editor.email, role: "viewer" }]);
    assert.equal((await upload(ticketOf(made), site())).status, 403);
    assert.match(await refused({ canvas: json.id }, theirs), /^PERMISSION_DENIED: /);
    await share([]);
    assert.equal((await upload(ticketOf(made), site())).status, 404);
    assert.match(await refused({ canvas: json.id }, theirs), /^NOT_FOUND: /);
  });

  it("ends while the body is received", async () => {
    const connected = await connect({ scope: "deploy" });
    const made = await ask({ title: "Cut" }, connected);
    const body = site();
    const { sent, answer } = begin(ticketOf(made), body, 10);
    await setTimeout(50);
    await env.db.run`update apps set expires_at = 1 where id = ${connected.id}`;
    sent.end(body.subarray(10));
    assert.equal((await answer).status, 401);
    assert.equal(await pageOf(made.url), 404);
  });

  it("publishes nothing to a Public link without the scope full, also one that was made public meanwhile", async () => {
    const { json } = await manage(target, person, "POST", "/api/canvases", { title: "Open" });
    const made = await ask({ canvas: json.id });
    await manage(target, person, "PUT", `/api/canvases/${json.id}/sharing`, { access: "public_link" });
    const { status, text } = await upload(ticketOf(made), site());
    assert.equal(status, 403);
    assert.match(text, /Everyone who has the address of this canvas can open it/);
    assert.match(await refused({ canvas: json.id }), /^PERMISSION_DENIED: Everyone who has the address/);
    const full = await ask({ canvas: json.id }, await connect({}));
    assert.match((await upload(ticketOf(full), site())).text, /Everyone who has the address can see this/);
  });

  it("publishes nothing to a canvas that is made public while the body is received", async () => {
    const made = await ask({ title: "Opens" }, await connect({ scope: "deploy" }));
    const body = site();
    const { sent, answer } = begin(ticketOf(made), body, 10);
    await setTimeout(50);
    const path = `/api/canvases/${made.canvas}/sharing`;
    await manage(target, person, "PUT", path, { access: "public_link" });
    sent.end(body.subarray(10));
    assert.equal((await answer).status, 403);
    assert.equal(await pageOf(made.url), 404);
  });

  it("is for one canvas, which a connection of one canvas cannot leave", async () => {
    const { json } = await manage(target, person, "POST", "/api/canvases", { title: "One" });
    const bound = await connect({ canvasId: String(json.id) });
    assert.match(
      await refused({ title: "Two" }, bound),
      /^PERMISSION_DENIED: This connection is for one canvas/,
    );
    assert.equal((await upload(ticketOf(await ask({ canvas: json.id }, bound)), site())).status, 200);
    const own = await connect({ ownOnly: true, clientId: "maker" });
    assert.match(await refused({ canvas: json.id }, own), /^NOT_FOUND: /);
    const made = await ask({ title: "Own" }, own);
    assert.equal((await upload(ticketOf(made), site())).status, 200);
    await own.use("get_canvas", { canvas: made.canvas });
  });

  for (const [name, header] of [
    ["another origin", ["Origin", "https://evil.example"]],
    ["a page of another site", ["Sec-Fetch-Site", "cross-site"]],
    ["a page of a canvas", ["Referer", `${target.base}/c/notes/`]],
  ] as [string, Header][])
    it(`refuses ${name}`, async () => {
      const ticket = ticketOf(await ask({ title: "Cross" }));
      assert.equal((await upload(ticket, site(), [header])).status, 403);
      assert.equal((await upload(ticket, site())).status, 200);
    });

  it("takes only uploads", async () => {
    for (const method of ["GET", "DELETE", "PATCH"])
      assert.equal((await upload("", Buffer.alloc(0), [], method)).status, 405);
  });

  it("is in the audit log with the program and the tool", async () => {
    const made = await ask({ title: "Audited" });
    await upload(ticketOf(made), site());
    const row = await env.db.get<{ via: string }>`
      select via from audit where act = 'canvas.deploy' and canvas_id = ${made.canvas}`;
    assert.deepEqual(JSON.parse(row?.via ?? "null"), { client: "Test tool", tool: "upload_command" });
  });
});
