import type { AuthoredCanvas } from "@easel/protocol/types";
import { firstValue, type Query } from "../../http/query.ts";

/** Returns the condition of a list: `sourceApp` and `sourceKind` are equal to these, and all of `tags` are among the canvas's. */
export function matching(query: Query): (canvas: AuthoredCanvas) => boolean {
  const [sourceApp, sourceKind] = ["sourceApp", "sourceKind"].map((name) => firstValue(query, name));
  const tags = [query.tags ?? []].flat().flatMap((value) => value.split(","));
  const wanted = tags.filter((tag) => tag !== "");
  return (canvas) =>
    (sourceApp === undefined || canvas.sourceApp === sourceApp) &&
    (sourceKind === undefined || canvas.sourceKind === sourceKind) &&
    wanted.every((tag) => canvas.tags.includes(tag));
}
