import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { ErrorCode } from "@easel/protocol/errors";
import { administer } from "../admin.ts";
import { type Setup, type Stage, stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import type { Page } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { asking, type Reply } from "./reply.ts";
import { upstreamOf } from "./upstream-log.ts";

/** The methods that a Connection can allow. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** Settings of a profile. By default it is enabled, and allows all methods at the stand-in. */
export interface ProfileSetup {
  origin?: string;
  methods?: readonly Method[];
  /** The names of headers that pages may send besides the usual ones. */
  requestHeaders?: string[];
  headers?: Record<string, string>;
  enabled?: boolean;
}

/** Returns an unused name of a profile. */
export const freshProfile = (): string => `p-${randomBytes(8).toString("hex")}`;

/** Creates or replaces a profile, as an administrator. */
export const putProfile = (target: Target, profile: string, setup: ProfileSetup = {}): Promise<void> =>
  administer(target, "PUT", `/api/admin/connections/${profile}`, {
    origin: upstreamOf(target),
    methods: METHODS,
    ...setup,
  });

/** A grant. Without fields, it admits members only. */
export interface GrantSetup {
  public?: boolean;
  guests?: boolean;
  limits?: { paths?: string[]; methods?: Method[]; requestsPerDay?: number };
}

/** Grants a profile to a canvas, as an administrator. By default, guests may use it, too. */
export const grant = (
  target: Target,
  profile: string,
  { id }: Stage,
  setup: GrantSetup = { guests: true },
): Promise<void> => administer(target, "PUT", `/api/admin/connections/${profile}/grants/${id}`, setup);

/** Creates a profile that is granted to a canvas, to guests as well, and returns its name. */
export async function connect(target: Target, canvas: Stage, setup: ProfileSetup = {}): Promise<string> {
  const profile = freshProfile();
  await putProfile(target, profile, setup);
  await grant(target, profile, canvas);
  return profile;
}

/** A canvas to which a profile is granted. */
export interface Room extends Stage {
  profile: string;
}

/** Creates a canvas whose viewers may use Connections, and grants a new profile to it, to guests as well. */
export async function roomOf(target: Target, profile: ProfileSetup = {}, setup: Setup = {}): Promise<Room> {
  const switches = { connectionsAudience: "viewers", ...setup.switches } as const;
  const canvas = await stage(target, { ...setup, switches });
  return { ...canvas, profile: await connect(target, canvas, profile) };
}

/** Parts of a request through a Connection. */
export interface Parts {
  method?: string;
  mark?: string;
  headers?: Header[];
  body?: string | Buffer;
}

/**
 * Returns a path below `/v1/c/{slug}`, such as `/connections/p-1/x?reply=…`. The parameter `reply` tells the stand-in for the external API
 * how to respond. `mark` is a text by which the log of the stand-in finds the request.
 */
export const pathOf = (profile: string, reply: Reply, mark?: string): string =>
  `/connections/${profile}/x?${asking(reply, mark)}`;

/** Sends a request from a page through a Connection. The stand-in for the external API sends the response `reply`. */
export const reach = (
  page: Page,
  profile: string,
  reply: Reply = { body: "ok" },
  { method = "GET", mark, headers, body }: Parts = {},
): Promise<Answer> => page.send(method, pathOf(profile, reply, mark), headers, body);

const MARKER = "x-service-connection-response";

/** Asserts that a response was passed on from the upstream, and that it has this status. */
export function passed(answer: Answer, status = 200): void {
  const { headers } = answer;
  assert.deepEqual([answer.status, headers[MARKER]], [status, "upstream"], answer.text.slice(0, 300));
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["content-security-policy"], "sandbox");
}

/** Asserts that a response is a refusal with this status and code, and that it comes from the service, not from the upstream. */
export function barred(answer: Answer, status: number, code: ErrorCode): void {
  refused(answer, status, code);
  assert.equal(answer.headers[MARKER], undefined);
}
