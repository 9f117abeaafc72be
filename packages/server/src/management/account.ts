import { z } from "zod";
import type { User } from "../access/principal.ts";
import { realtimePlaces } from "../canvases/open-connections.ts";
import { usageOfPerson } from "../canvases/owner-quotas.ts";
import { orgsOf } from "../canvases/publishing/create.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { isAdmin } from "../identity/identify.ts";
import { listSessions, revokeOtherSessions, revokeSession } from "../identity/session.ts";
import { sendsMail } from "../mail/mail-queue.ts";
import { readMailSwitches, setMailSwitches } from "../mail/mail-switches.ts";
import { aiUsageOf, dailySpendOf, monthlySpendOf } from "../organisation/ai/spend-report.ts";
import { callsOfCanvas } from "../organisation/connections/calls.ts";
import { readSettings } from "../organisation/instance-settings.ts";
import { bytesOf, usageOf } from "../organisation/quotas.ts";
import { viewsOfCanvas } from "../organisation/view-counts.ts";
import { act, noContent, ok } from "./act.ts";
import { json } from "./bodies.ts";
import { dayRange, rangeOf } from "./list-query.ts";
import { account, ownMails, personUsage, sessionList } from "./responses/account.ts";
import { usage as usageSchema } from "./responses/canvas.ts";

/** The endpoint for the caller's own account (specification 4.11). */
export const me = [
  act({
    name: "me.read",
    method: "GET",
    path: "/api/me",
    summary: "Returns the caller's account and how this instance is set up.",
    allow: "everyone",
    cost: "cheap",
    ofAnyCanvas: true,
    response: ok(account),
    async run({ user }, env) {
      const { config, base } = env;
      const isGuest = user.kind === "guest";
      return {
        body: {
          id: user.id,
          email: user.email,
          name: user.name,
          avatarUrl: user.avatarUrl,
          isAdmin: isAdmin(user, env),
          orgs: config.tenancy && !isGuest ? await orgsOf(user.email, env) : [],
          isGuest,
          canPublishPublic: user.canPublishPublic && (await readSettings(env)).publicLinks,
          authMode: config.authMode,
          urlMode: config.urlMode,
          baseUrl: base.origin,
          designSkin: null,
        },
      };
    },
  }),
  act({
    name: "me.usage",
    method: "GET",
    path: "/api/me/usage",
    summary:
      "Returns how much of each quota of a person the caller uses, and what they have spent on AI today.",
    details:
      "Of `versions.canvas`, `used` is the highest number of one canvas. `ai` is the day (UTC) in US dollars, with the spend of guests whom the caller has invited.",
    allow: "members",
    response: ok(personUsage),
    async run({ user }, env) {
      const [quotas, ai] = await Promise.all([usageOfPerson(user.id, env), dailySpendOf(user.id, env)]);
      return { body: { quotas, ai } };
    },
  }),
];

const MailPatch = z.strictObject({
  shared: z.boolean().optional(),
  asked: z.boolean().optional(),
  quota: z.boolean().optional(),
});

const mailsOf = async ({ id }: Pick<User, "id">, env: Env) => ({
  body: { sent: sendsMail(env), ...(await readMailSwitches(id, env)) },
});

/** The endpoints for the mails that the caller gets (docs/mail.md). */
export const mails = [
  act({
    name: "me.mails",
    method: "GET",
    path: "/api/me/mails",
    summary: "Returns which mails the caller gets.",
    details:
      "`shared`: somebody shares a canvas with them. `asked`: somebody asks for access to a canvas of theirs. `quota`: 90 % of a quota are used. `sent` is false if the instance sends no mails. See [mail](../mail.md).",
    allow: "members",
    response: ok(ownMails),
    run: ({ user }, env) => mailsOf(user, env),
  }),
  act({
    name: "me.set-mails",
    method: "PATCH",
    path: "/api/me/mails",
    summary: "Turns kinds of mails to the caller on or off.",
    details: "Omitted kinds stay as they are.",
    allow: "members",
    body: json(MailPatch),
    response: ok(ownMails),
    async run({ user, body }, env) {
      await setMailSwitches(user.id, body, env);
      return { ...(await mailsOf(user, env)), audit: { target: user.id, details: body } };
    },
  }),
];

/** The endpoints for the caller's sessions. */
export const sessions = [
  act({
    name: "session.list",
    method: "GET",
    path: "/api/sessions",
    summary: "Lists where the caller is signed in.",
    details: "`current` marks the session of this request.",
    allow: "session",
    response: ok(sessionList),
    async run({ user, credential }, env) {
      const current = credential?.kind === "session" ? credential.id : null;
      const rows = await listSessions(user, env);
      return { body: { sessions: rows.map((row) => ({ ...row, current: row.id === current })) } };
    },
  }),
  act({
    name: "session.revoke",
    method: "DELETE",
    path: "/api/sessions/{id}",
    summary: "Signs the caller out of one session.",
    allow: "session",
    affects: "people",
    response: noContent,
    async run({ user, params: { id } }, env) {
      if (!isId(id) || !(await revokeSession(id, user, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { target: id } };
    },
  }),
  act({
    name: "session.revoke-others",
    method: "DELETE",
    path: "/api/sessions",
    summary: "Signs the caller out everywhere but in the session of this request.",
    allow: "session",
    affects: "people",
    response: noContent,
    async run({ user, credential }, env) {
      const current = credential?.kind === "session" ? credential.id : null;
      const ended = await revokeOtherSessions(current, user, env);
      return { body: undefined, audit: { target: user.id, details: { ended } } };
    },
  }),
];

/**
 * The endpoint that returns the usage of a canvas: its quotas, bytes, views, AI requests, calls through Connections and realtime connections
 * (docs/http/management.md#usage).
 */
export const usage = [
  act({
    name: "canvas.usage",
    method: "GET",
    path: "/api/canvases/{id}/usage",
    summary:
      "Returns how much of each quota, how many bytes and how much AI a canvas uses, how often its pages are opened and its Connections called, and who has its realtime connections.",
    details:
      "`from` and `to` are the days (UTC) that `views`, `ai` and `connections` sum up, such as `2026-01-31`; by default those of the current month. `views` is null if the instance [counts none](#views).",
    allow: "editor",
    query: dayRange,
    response: ok(usageSchema),
    async run({ canvas: { id }, query, work }, env) {
      const range = rangeOf(query, env.clock());
      const [counts, bytes, spend, ai, connections, realtime, views] = await work.all([
        () => usageOf(id, work, env),
        () => bytesOf(id, work, env),
        () => monthlySpendOf(id, env),
        () => aiUsageOf(id, range, env),
        () => callsOfCanvas(id, range, env),
        () => realtimePlaces(id, env),
        () => viewsOfCanvas(id, range, env),
      ] as const);
      return { body: { counts, bytes, spend, ai, connections, realtime, views } };
    },
  }),
];
