import type { AuthoredCanvas } from "@easel/protocol/types";
import { firstValue, type Query } from "../../http/query.ts";

/**
 * Returns a function that tests whether a canvas matches a query: it has the `sourceApp` and `sourceKind` of the query, if given, and all
 * of its `tags`.
 */
export function matching(query: Query): (canvas: AuthoredCanvas) => boolean {
  const [sourceApp, sourceKind] = ["sourceApp", "sourceKind"].map((name) => firstValue(query, name));
  const tags = [query.tags ?? []].flat().flatMap((value) => value.split(","));
  const wanted = tags.filter((tag) => tag !== "");
  return (canvas) =>
    (sourceApp === undefined || canvas.sourceApp === sourceApp) &&
    (sourceKind === undefined || canvas.sourceKind === sourceKind) &&
    wanted.every((tag) => canvas.tags.includes(tag));
}
