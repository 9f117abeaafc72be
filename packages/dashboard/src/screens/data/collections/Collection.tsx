import "./collections.css";
import { useQuery } from "@tanstack/react-query";
import { lazy, useEffect } from "react";
import { refusalOf } from "../../../api/api-error.ts";
import { canvasChanged, canvasKey, dataQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import type { PartProps } from "../parts.ts";
import { Records } from "./Records.tsx";

const NotInPolicy = lazy(async () => ({ default: (await import("./NotInPolicy.tsx")).NotInPolicy }));

/** A collection: its records, as far as the policy shows them to the person, or how it comes back into the policy. */
export function Collection({ canvas, summary, name }: PartProps) {
  const policy = canvas.runtimePolicy?.collections?.[name];
  const rights = useQuery({
    queryKey: canvasKey(canvas.id, "rights", name),
    queryFn: () => runtimeOf(canvas.id).kv.collection(name).permissions(),
    enabled: policy !== undefined,
  });
  const isGone = refusalOf(rights.error ?? new Error())?.code === "COLLECTION_NOT_CONFIGURED";
  useEffect(() => {
    if (isGone) void canvasChanged(canvas.id);
  }, [isGone, canvas.id]);
  const stored = summary.collections.find((each) => each.name === name);
  const isListedOtherwise = (policy === undefined) !== (stored === undefined || stored.preset === null);
  useEffect(() => {
    if (isListedOtherwise) void queries.invalidateQueries({ queryKey: dataQuery(canvas.id).queryKey });
  }, [isListedOtherwise, canvas.id]);
  if (policy === undefined || isGone)
    return <NotInPolicy canvas={canvas} name={name} records={stored?.records ?? 0} />;
  if (rights.error !== null) return <ErrorNote error={rights.error} />;
  if (rights.data === undefined) return <Loading what="the collection" />;
  return (
    <Records canvas={canvas} name={name} policy={policy} rights={rights.data} count={stored?.records ?? 0} />
  );
}
