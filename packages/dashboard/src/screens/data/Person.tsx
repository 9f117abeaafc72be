import { queryOptions, useQuery } from "@tanstack/react-query";
import { canvasKey, meQuery } from "../../api/queries.ts";
import { runtimeOf } from "../../api/runtime.ts";

/** The time for which the SDK keeps the people whom it has found. */
const FRESH_MS = 5 * 60_000;

/** The name of a person, or null if the service tells none. The SDK asks for many people at once. */
export const nameQuery = (canvas: string, id: string) =>
  queryOptions({
    queryKey: canvasKey(canvas, "person", id),
    queryFn: async () => (await runtimeOf(canvas).people([id])).get(id)?.name ?? null,
    staleTime: FRESH_MS,
  });

/** A person by their name. "You" for the person whose screen it is. */
export function Person({ canvas, id }: { canvas: string; id: string }) {
  const { data: name } = useQuery(nameQuery(canvas, id));
  const { data: me } = useQuery(meQuery);
  if (me?.id === id) return "You";
  return name === undefined || name === null ? (
    <span className="soft">{name === null ? "Somebody" : "…"}</span>
  ) : (
    <bdi>{name}</bdi>
  );
}
