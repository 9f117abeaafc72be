import assert from "node:assert/strict";
import type { Canvas } from "@easel/protocol/types";

type Is = (value: unknown) => boolean;
const text: Is = (value) => typeof value === "string" && value !== "";
const time: Is = (value) => Number.isInteger(value) && (value as number) > 1_600_000_000_000;
const bool: Is = (value) => typeof value === "boolean";
const list: Is = Array.isArray;
const nothing: Is = (value) => value === null;
const or =
  (...kinds: Is[]): Is =>
  (value) =>
    kinds.some((each) => each(value));
const among =
  (...values: unknown[]): Is =>
  (value) =>
    values.includes(value);
const object: Is = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every field of a canvas with its type (specification 2; docs/http/management.md#the-record-of-a-canvas). */
const FIELDS: Record<keyof Canvas, Is> = {
  id: (value) => /^[A-Za-z0-9-]{1,128}$/.test(String(value)),
  slug: text,
  url: text,
  title: text,
  tags: list,
  access: among("private", "whole_org", "public_link"),
  accessMode: among("restricted", "whole_org", "public_link"),
  publicationStatus: among("disabled", "archived", "unpublished", "draft", "expired", "published"),
  hasPassword: bool,
  status: among("revoked", "expired", "private", "live"),
  createdAt: time,
  updatedAt: time,
  expiresAt: or(time, nothing),
  galleryListed: bool,
  galleryTemplatable: bool,
  discoverability: among("link_only", "listed"),
  revokedAt: or(time, nothing),
  disabledReason: or(text, nothing),
  createdBy: text,
  viewerRole: among("owner", "editor", "viewer", "admin"),
  audienceSummary: object,
  version: or(text, nothing),
  bundleUpdatedAt: time,
  sourceApp: or(text, nothing),
  sourceKind: or(text, nothing),
  metadata: object,
  spa: bool,
  owner: object,
  people: list,
  teams: list,
  capabilities: object,
  capabilitiesOff: object,
  runtimePolicy: nothing,
  runtimePolicyRevision: or(text, nothing),
  sharingRevision: or(text, nothing),
};

/** Returns the canvas in a response, which must have exactly its fields. */
export function whole(json: Record<string, unknown>): Canvas {
  assert.deepEqual(Object.keys(json).sort(), Object.keys(FIELDS).sort());
  for (const [field, is] of Object.entries(FIELDS)) assert.ok(is(json[field]), `${field}: ${json[field]}`);
  const canvas = json as unknown as Canvas;
  assert.equal(canvas.bundleUpdatedAt, canvas.updatedAt);
  return canvas;
}
