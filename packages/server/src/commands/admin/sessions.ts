import type { SessionInfo } from "@easel/protocol/management";
import { SetupError } from "../../config/setting-types.ts";
import { listAllSessions, type SessionOfAnyone } from "../../identity/session.ts";
import { type AdminCall, adminCommand, JSON_LINES, YES } from "./admin-command.ts";
import { credentialsIn, personOf } from "./found.ts";
import { columns, countOf, jsonLine, minute, printable } from "./terminal.ts";

/** How many sessions of everyone are read at once. */
const PAGE = 1_000;

export const sessions = adminCommand({
  args: ["[PERSON]"],
  options: {
    all: { type: "boolean", meaning: "The sessions of everyone, guests too, instead of those of a person." },
    end: { type: "boolean", meaning: "Ends them instead of listing them." },
    session: { type: "string", value: "ID", meaning: "With --end: ends only the session with this id." },
    tokens: { type: "boolean", meaning: "With --end: ends access tokens and connected tools, too." },
    ...JSON_LINES,
    ...YES,
  },
  async run(call) {
    const { args, text, has } = call;
    const [given] = args;
    if (has("all") === (given !== undefined))
      throw new SetupError("Name a person, or everyone by --all: easel-server admin sessions PERSON|--all");
    if (!has("end") && (has("tokens") || text("session") !== undefined))
      throw new SetupError("--tokens and --session say what --end ends.");
    if (text("session") !== undefined && (has("all") || has("tokens")))
      throw new SetupError("--session ends one session of one person: leave out --all and --tokens.");
    if (given === undefined) return has("end") ? endEveryones(call) : listEveryones(call);
    return has("end") ? endOf(given, call) : listOf(given, call);
  },
});

const HEAD = ["ID", "BEGAN", "ENDS", "FROM", "DEVICE"];

const rowOf = ({ id, createdAt, expiresAt, address, userAgent }: Omit<SessionInfo, "current">): string[] => [
  id,
  minute(createdAt),
  minute(expiresAt),
  address,
  userAgent,
];

async function listOf(given: string, { shell, terminal: { print, note }, has }: AdminCall): Promise<void> {
  const { id, email } = await personOf(given, shell);
  const { sessions: found } = await shell.perform("user.sessions", { params: { id } });
  const own = found.map(({ current, ...session }) => session);
  if (own.length === 0) note(`${printable(email)} has no session.`);
  else for (const line of has("json") ? own.map(jsonLine) : columns([HEAD, ...own.map(rowOf)])) print(line);
}

/** Lists the sessions of everyone, the oldest first. */
async function listEveryones({ shell: { env }, terminal: { print, note }, has }: AdminCall): Promise<void> {
  const row = (each: SessionOfAnyone) => [
    ...rowOf(each).slice(0, -1),
    `${each.email}${each.guest ? " (guest)" : ""}`,
    each.userAgent,
  ];
  const head = [...HEAD.slice(0, -1), "WHO", "DEVICE"];
  let after = "";
  for (let page: SessionOfAnyone[]; ; ) {
    page = await listAllSessions({ after, limit: PAGE }, env);
    const lines = has("json") ? page.map(jsonLine) : columns([head, ...page.map(row)]);
    for (const line of has("json") || after === "" ? lines : lines.slice(1)) print(line);
    const last = page.at(-1);
    if (after === "" && last === undefined) note("Nobody has a session.");
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

async function endOf(
  given: string,
  { shell, terminal: { note }, text, has, confirm }: AdminCall,
): Promise<void> {
  const person = await personOf(given, shell);
  const [name, params] = [printable(person.email), { id: person.id }];
  const session = text("session");
  if (has("tokens")) {
    const all = credentialsIn(person);
    await confirm(all === null ? `End what could let ${name} in?` : `End ${all} of ${name}?`);
    await shell.perform("user.sign-out", { params, body: { tokens: true } });
    note(`${all ?? "No session"} of ${name} ended. They may sign in again.`);
  } else {
    await confirm(
      session === undefined
        ? `End ${countOf(person.sessions, "session")} of ${name}?`
        : `End a session of ${name}?`,
    );
    const query = session === undefined ? {} : { session };
    const notFound = `${name} has no session with this id.`;
    const { ended } = await shell.perform("user.end-sessions", { params, query, notFound });
    note(
      `${countOf(ended, "session")} of ${name} ended. They may sign in again; access tokens and connected tools go on.`,
    );
  }
  noteProxy(shell.env.config, note);
}

async function endEveryones({ shell, terminal: { note }, has, confirm }: AdminCall): Promise<void> {
  const tokens = has("tokens");
  await confirm(
    `End the sessions of everyone, guests too${tokens ? ", and every access token and connected tool" : ""}?`,
  );
  const { ended } = await shell.perform("session.end-all", { query: { tokens: String(tokens) } });
  note(
    `${countOf(ended, "session")} ended${tokens ? ", and every access token and connected tool" : "; access tokens and connected tools go on"}. Everyone may sign in again.`,
  );
  noteProxy(shell.env.config, note);
}

/** Notes what does not end. */
function noteProxy({ authMode }: AdminCall["shell"]["env"]["config"], note: (line: string) => void): void {
  if (authMode === "proxy")
    note(
      "People are signed in by the proxy, whose own sessions go on: end them there, or deactivate the person here.",
    );
}
