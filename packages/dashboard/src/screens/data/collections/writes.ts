import type { Json } from "@easel/protocol/types";
import type { Collection, CollectionRecord } from "@easel/sdk";

type Conditional = (
  id: string,
  value: Json,
  options: { expectedUpdatedAt: number },
) => Promise<CollectionRecord<Json>>;

/** Replaces the value of a record, unless somebody has changed it since `updatedAt`. */
export const writeIf = (collection: Collection<Json>, id: string, value: Json, updatedAt: number) =>
  (collection.update as Conditional)(id, value, { expectedUpdatedAt: updatedAt });

/** Returns the record as it is now, if that is why a write was refused. */
export const recordOf = (error: Error): CollectionRecord | null =>
  (error as { record?: CollectionRecord }).record ?? null;
