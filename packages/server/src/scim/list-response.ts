import type { Json } from "@easel/protocol/types";
import type { PageOfList } from "./people-store.ts";

/** The most resources of a page, and the usual number. */
export const MAX_COUNT = 200;
const USUAL_COUNT = 100;

/** Reads the page that a list is asked for. Numbers outside the bounds are clamped (RFC 7644, section 3.4.2.4). */
export function pageOf(query: URLSearchParams): PageOfList {
  const number = (name: string, usual: number) => {
    const given = Number.parseInt(query.get(name) ?? "", 10);
    return Number.isSafeInteger(given) ? given : usual;
  };
  return {
    startIndex: Math.max(1, number("startIndex", 1)),
    count: Math.min(MAX_COUNT, Math.max(0, number("count", USUAL_COUNT))),
  };
}

/** Returns a page of resources in the form of SCIM. */
export const listResponse = (total: number, resources: Json[], startIndex: number): Json => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
