import assert from "node:assert/strict";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { Browser } from "../browser.ts";
import { type Setup, type Stage, stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { type Page, pageUrl } from "../page.ts";
import { unshared } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { author, type Metadata } from "./form.ts";

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isTime = (value: unknown) => Number.isInteger(value) && (value as number) > 1_600_000_000_000;
const isFlag = (value: unknown) => typeof value === "boolean";
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);
const oneOf =
  (...values: unknown[]) =>
  (value: unknown) =>
    values.includes(value);
const isList = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * For each field of a canvas that a page has published (specification 2), a function that returns whether a value of the field is valid.
 */
const FIELDS: Record<keyof AuthoredCanvas, (value: unknown) => boolean> = {
  id: (value) => /^[A-Za-z0-9-]{1,128}$/.test(String(value)),
  url: (value) => URL.canParse(String(value)),
  title: isText,
  tags: isList,
  access: oneOf("private", "whole_org", "public_link"),
  accessMode: oneOf("restricted", "whole_org", "public_link"),
  publicationStatus: oneOf("disabled", "archived", "unpublished", "draft", "expired", "published"),
  hasPassword: isFlag,
  status: oneOf("revoked", "expired", "private", "live"),
  createdAt: isTime,
  updatedAt: isTime,
  expiresAt: orNull(isTime),
  galleryListed: isFlag,
  galleryTemplatable: isFlag,
  discoverability: oneOf("link_only", "listed"),
  revokedAt: orNull(isTime),
  createdBy: isText,
  viewerRole: oneOf("owner", "editor", "admin"),
  audienceSummary: (value) => {
    const { count, names } = value as { count: unknown; names: unknown };
    return orNull(Number.isInteger)(count) && isList(names);
  },
  version: orNull(isText),
  bundleUpdatedAt: isTime,
  sourceApp: orNull(isText),
  sourceKind: orNull(isText),
  metadata: isObject,
};

/** Asserts that a value has exactly the fields of a canvas that a page has published, each of the right type. */
export function isShare(value: unknown): asserts value is AuthoredCanvas {
  const share = value as Record<string, unknown>;
  assert.deepEqual(Object.keys(share).sort(), Object.keys(FIELDS).sort());
  for (const [name, is] of Object.entries(FIELDS))
    assert.ok(is(share[name]), `${name}: ${JSON.stringify(share[name])}`);
  assert.equal(share.bundleUpdatedAt, share.updatedAt);
}

/** Asserts that a response to POST or PUT has status 200, and returns the published canvas in its body. */
export function shareOf(answer: Answer): AuthoredCanvas {
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  const share: unknown = answer.json;
  isShare(share);
  return share;
}

/** Publishes a new canvas from a page, and returns the new canvas. */
export const add = async (
  page: Page,
  metadata: Metadata = { title: "A share" },
  bundle?: Buffer,
): Promise<AuthoredCanvas> => shareOf(await author(page, metadata, bundle));

/** Requests `GET /authoring` as the user of `page`, and returns the listed canvases. `query` is a query string with its `?`. */
export async function sharesOf(page: Page, query = ""): Promise<AuthoredCanvas[]> {
  const answer = await page.get(`/authoring${query}`);
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  unshared(answer);
  assert.deepEqual(Object.keys(answer.json), ["canvases"]);
  const shares = answer.json.canvases as unknown[];
  for (const share of shares) isShare(share);
  return shares as AuthoredCanvas[];
}

/** Returns the canvas with this id from the list that `sharesOf` returns. Fails if it is not in the list. */
export async function listed(page: Page, { id }: { id: string }): Promise<AuthoredCanvas> {
  const found = (await sharesOf(page)).find((share) => share.id === id);
  return found ?? assert.fail(`${id} is not listed`);
}

/** Creates a canvas whose page may publish other canvases. */
export const studio = (target: Target, { switches, ...setup }: Setup = {}): Promise<Stage> =>
  stage(target, { ...setup, switches: switches === null ? null : { authoring: true, ...switches } });

/**
 * Converts a canvas that a page has published to a test canvas, for helpers such as `archive`. The helpers act as the owner of `canvas`,
 * who must also own the published canvas.
 */
export const asStage = (target: Target, canvas: Stage, share: AuthoredCanvas): Stage => ({
  ...canvas,
  id: share.id,
  slug: slugOf(target, share),
});

/**
 * Returns the slug in the URL of a canvas that a page has published. Asserts that the URL is the one at which the service serves that slug.
 */
export function slugOf(target: Target, { url }: AuthoredCanvas): string {
  const { host, pathname, href } = new URL(url);
  const slug = (target.urlMode === "path" ? pathname.split("/")[2] : host.split(".")[0]) ?? "";
  assert.equal(href, pageUrl(target, slug));
  return slug;
}

/** Requests a canvas that a page has published, as a person. A null person is an anonymous visitor. */
export const visit = (target: Target, share: AuthoredCanvas, person: Person | null): Promise<Answer> =>
  new Browser(target, person).visit(share.url);
