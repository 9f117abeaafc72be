import type { AuthoredCanvas } from "@easel/protocol/types";
import { z } from "zod";
import { exact } from "../http/field-schemas.ts";

/** A time in epoch milliseconds. */
export const time = z.int().meta({ description: "Epoch milliseconds." });
export const access = z.enum(["private", "whole_org", "public_link"]);
export const accessMode = z.enum(["restricted", "whole_org", "public_link"]);
export const publicationStatus = z.enum([
  "disabled",
  "archived",
  "unpublished",
  "draft",
  "expired",
  "published",
]);

/** The fields of a canvas in responses of the runtime API. Responses of the management API have more. */
export const authoredFields = {
  id: z.string(),
  url: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  access,
  accessMode,
  publicationStatus,
  hasPassword: z.boolean(),
  status: z
    .enum(["revoked", "expired", "private", "live"])
    .meta({ deprecated: true, description: "Use `publicationStatus` and `accessMode`." }),
  createdAt: time,
  updatedAt: time,
  expiresAt: time.nullable(),
  galleryListed: z.boolean(),
  galleryTemplatable: z.boolean(),
  discoverability: z.enum(["link_only", "listed"]),
  revokedAt: time.nullable(),
  createdBy: z.string(),
  viewerRole: z.enum(["owner", "editor", "viewer", "admin"]),
  audienceSummary: z.strictObject({ count: z.int().nullable(), names: z.array(z.string()) }),
  version: z.string().nullable().meta({
    description:
      "The id of the published version, which every deploy changes; null for a draft and an unpublished canvas.",
  }),
  bundleUpdatedAt: time,
  sourceApp: z.string().nullable(),
  sourceKind: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
};

/** The schema of a canvas in responses of the runtime API (specification 2). */
export const authoredCanvas = exact<AuthoredCanvas>()("AuthoredCanvas", z.strictObject(authoredFields));
