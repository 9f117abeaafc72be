import { apiPath } from "../http/canvas-path.ts";
import { pathOf } from "../primitives/description.ts";
import type { Primitive } from "../primitives/primitive.ts";
import type { Operations } from "./conversion.ts";
import type { CommonErrors } from "./error-responses.ts";
import type { PathItem, Tag } from "./openapi.ts";

/** The errors that every request to the runtime API can get, because the pipeline checks it before a handler runs. */
const COMMON: CommonErrors = {
  name: "Runtime",
  errors: [
    "INVALID_BODY",
    "PASSWORD_REQUIRED",
    "PERMISSION_DENIED",
    "CAPABILITY_DISABLED",
    "CROSS_CANVAS_FORBIDDEN",
    "CROSS_SITE_FORBIDDEN",
    "DISABLED",
    "STATIC_ONLY",
    "NOT_FOUND",
    "ARCHIVED",
    "NOT_INVITED",
    "OWNER_ONLY",
    "SHARE_EXPIRED",
    "RATE_LIMITED",
    "CONCURRENCY_LIMIT",
  ],
};

/** Returns the group of operations of each primitive. */
export const runtimeTags = (primitives: readonly Primitive[]): Tag[] =>
  primitives.flatMap(({ description }) =>
    description === undefined ? [] : [{ name: description.title, description: description.summary }],
  );

/** Describes the routes of the runtime API. */
export function runtimePaths(
  primitives: readonly Primitive[],
  operations: Operations,
): [path: string, item: PathItem][] {
  return primitives.flatMap(({ description }) =>
    Object.entries(description?.operations ?? {}).map(([route, operation]): [string, PathItem] => {
      const [method = "", path = ""] = route.split(" ");
      const template = apiPath("{slug}") + pathOf(path);
      const surface = { tag: description?.title ?? "", common: COMMON, isLimited: true };
      return [template, { [method.toLowerCase()]: operations.convert(template, operation, surface) }];
    }),
  );
}
