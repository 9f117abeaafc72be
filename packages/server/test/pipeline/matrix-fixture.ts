import assert from "node:assert/strict";
import { Browser } from "@easel/conformance/browser";
import { amend, type Stage, share, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Header, send } from "@easel/conformance/http";
import { pageHeaders, pageUrl } from "@easel/conformance/page";
import { devTarget, freshEmail, type Person, type Target } from "@easel/conformance/target";
import { makeTeam } from "@easel/conformance/team";
import { sql } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { publish } from "../support/publish.ts";
import { NAMED, type Scope, startService } from "../support/service.ts";
import type { Cell, ROLES } from "./matrix-oracle.ts";

/** The content of the canvas's page. */
export const PAGE = "the page of the matrix";
const PASSWORD = "the password of the matrix";
const DAY_MS = 24 * 60 * 60 * 1000;

type Role = (typeof ROLES)[number];
/** The headers of a caller for each surface: the runtime API and the canvas's page. */
type Keys = Record<Cell["surface"], Header[]>;

/** A service with one canvas, and the headers that authenticate every caller. */
export interface Fixture {
  target: Target;
  env: Env;
  canvas: Stage;
  people: Record<Role, Person | null>;
  /** The headers of each role, before and after it has entered the password. */
  keys: Map<Role, { before: Keys; after: Keys }>;
  versionId: string;
  passwordHash: string;
}

/** Starts a service with one canvas and signs every caller in. */
export async function startFixture(
  scope: Scope,
  { urlMode, tenancy, roles }: { urlMode: Target["urlMode"]; tenancy: boolean; roles: readonly Role[] },
): Promise<Fixture> {
  const settings = {
    SERVICE_URL_MODE: urlMode,
    SERVICE_TENANCY: tenancy ? "on" : "off",
    SERVICE_RATELIMIT_ENABLED: "false",
    SERVICE_ADMIN_EMAILS: "admin@example.com",
  };
  const { base, env } = await startService(scope, settings, NAMED);
  const target = devTarget(base, urlMode, { admin: "admin@example.com" });
  await env.db.batch([
    sql`insert into orgs (id, name, created_at) values ('home', 'Home', 1), ('other', 'Other', 1)`,
    sql`insert into org_domains (domain, org_id) values ('example.com', 'home'), ('other.example', 'other')`,
  ]);

  const canvas = await stage(target);
  const versionId = await publish(target, canvas, { "index.html": PAGE });
  const people = await visitors(target, canvas);
  const keys: Fixture["keys"] = new Map();
  const browsers = roles.map((role) => [role, new Browser(target, people[role])] as const);
  // Every browser opens the canvas while it is private, because the host of a private canvas identifies every caller.
  for (const [, browser] of browsers) await browser.canvas(canvas.slug);
  const before = browsers.map(([, browser]) => keysOf(target, canvas, browser));
  await amend(target, canvas, { access: "public_link", password: PASSWORD });
  for (const [index, [role, browser]] of browsers.entries()) {
    const answer = await browser.unlock(canvas.slug, PASSWORD);
    assert.equal(answer.status, role === "guest of another canvas" ? 404 : 303, `${role}: ${answer.text}`);
    keys.set(role, { before: before[index] as Keys, after: keysOf(target, canvas, browser) });
  }
  const row = await env.db.get<{ hash: string; org: string | null }>`
    select password_hash as hash, org_id as org from canvases where id = ${canvas.id}`;
  assert.ok(row?.hash);
  return { target, env, canvas, people, keys, versionId, passwordHash: row.hash };
}

/** Signs in every caller and adds them to the people list and to teams. */
async function visitors(target: Target, canvas: Stage): Promise<Record<Role, Person | null>> {
  const { owner, editor, viewer, stranger } = canvas.people;
  const [second, third] = [
    await target.signIn(freshEmail("editor")),
    await target.signIn(freshEmail("viewer")),
  ];
  const foreign = (label: string) => freshEmail(label).replace("@example.com", "@other.example");
  const listedAbroad = await target.signIn(foreign("viewer"));
  const listed = { ...canvas, people: { ...canvas.people, stranger: listedAbroad } };
  const teams = [
    { id: (await makeTeam(target, owner, [second])).id, role: "editor" as const },
    { id: (await makeTeam(target, owner, [third])).id, role: "viewer" as const },
  ];
  const list = { editor: "editor", viewer: "viewer", stranger: "viewer" } as const;
  await share(target, listed, "private", list, { teams });
  return {
    owner,
    "editor by list": editor,
    "editor by team": second,
    "viewer by list": viewer,
    "viewer by team": third,
    member: stranger,
    administrator: await target.signIn(target.admin),
    guest: await guestOf(target, canvas),
    "guest of another canvas": await guestOf(target, await stage(target)),
    nobody: null,
    "member of another organisation": await target.signIn(foreign("member")),
    "viewer by list, of another organisation": listedAbroad,
  };
}

/** Returns the headers that a browser sends to the runtime API and to the page of the canvas. */
function keysOf(target: Target, { slug }: Stage, { jar }: Browser): Keys {
  const api = jar.headersFor(new URL(`/v1/c/${slug}/me`, target.base));
  return {
    api: [...api, ...pageHeaders(target, slug)],
    page: [...jar.headersFor(new URL(pageUrl(target, slug))), ["Accept", "text/html"]],
  };
}

/** Puts the canvas, its owner and the instance into the state that a cell (a case of the matrix) describes. */
export async function arrange(
  fixture: Fixture,
  { rung, state, password, expiry }: Omit<Cell, "role" | "surface">,
) {
  const { env, canvas, versionId, passwordHash } = fixture;
  const now = Date.now();
  const when = (condition: boolean) => (condition ? now : null);
  const access = rung.startsWith("public_link") ? "public_link" : rung;
  const expiresAt = { none: null, future: now + DAY_MS, past: now - 1 }[expiry];
  await env.db.batch([
    sql`update canvases set access = ${access}, expires_at = ${expiresAt},
      password_hash = ${password === "none" ? null : passwordHash},
      archived_at = ${when(state === "archived")}, disabled_at = ${when(state.startsWith("disabled"))},
      deleted_at = ${when(state.endsWith("deleted"))}, revoked_at = ${when(state === "unpublished")},
      version_id = ${state === "draft" ? null : versionId}, backend_enabled = ${state === "backend off" ? 0 : 1}
      where id = ${canvas.id}`,
    sql`update users set can_publish_public = ${rung === "public_link, off for the owner" ? 0 : 1}
      where id = (select owner_id from canvases where id = ${canvas.id})`,
    sql`insert into instance_settings (name, value)
      values ('publicLinks', ${rung === "public_link, off for the instance" ? "false" : "true"})
      on conflict (name) do update set value = excluded.value`,
  ]);
}

/**
 * Requests the API or the page as the caller of a cell. Returns the status, for a refusal of the API followed by its code. Asserts that the
 * text of the page is sent with a 200, and never otherwise.
 */
export async function visit(
  { target, canvas, keys }: Fixture,
  { role, password, surface }: Cell,
): Promise<string> {
  const key = keys.get(role)?.[password === "set and given" ? "after" : "before"];
  const headers = key?.[surface] ?? assert.fail(role);
  const { host, pathname } = new URL(pageUrl(target, canvas.slug));
  const answer = await send(
    target.base,
    surface === "api"
      ? { method: "GET", path: `/v1/c/${canvas.slug}/me`, headers }
      : { method: "GET", path: pathname, host, headers },
  );
  assert.equal(answer.text.includes(PAGE), surface === "page" && answer.status === 200, answer.text);
  if (surface === "page")
    return answer.status === 302 ? signIn(target, answer.headers.location) : `${answer.status}`;
  if (answer.status === 200) return "200";
  if (answer.status === 401)
    return typeof answer.json.error === "string" && !answer.json.code ? "401" : answer.text;
  return `${answer.status} ${answer.json.code}`;
}

/**
 * Returns "302" if the redirect leads to the sign-in page, or in subdomain mode to the path of the base host that leads there. Otherwise
 * returns the wrong location, too.
 */
function signIn({ base, urlMode }: Target, location = ""): string {
  const { origin, pathname } = new URL(location, base);
  const way = urlMode === "path" ? "/auth/login" : "/auth/canvas";
  return origin === base && pathname === way ? "302" : `302 ${location}`;
}
