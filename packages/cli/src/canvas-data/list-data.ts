import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { bodyOf } from "../api/service.ts";
import type { Context } from "../context.ts";
import { formatBytes } from "../terminal/format.ts";
import { runtimeCall, runtimeOf } from "./runtime.ts";
import { entriesOf, givenTarget, type TargetOptions } from "./target.ts";

/** The flags of `easel data ls`. */
export interface ListOptions extends CanvasOptions, TargetOptions {
  kv?: boolean;
  prefix?: string;
}

interface Row {
  what: string;
  entries: number;
  size: string;
  rights: string;
}

const COLUMNS = [
  { title: "DATA", cell: ({ what }: Row) => what, flexible: true },
  { title: "ENTRIES", cell: ({ entries }: Row) => String(entries), align: "right" as const },
  { title: "SIZE", cell: ({ size }: Row) => size, align: "right" as const },
  { title: "PRESET", cell: ({ rights }: Row) => rights },
];

/** Prints how much data a canvas has, or the entries of a target, such as `--collection`. */
export async function listData(options: ListOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const target = givenTarget(options) ?? (options.prefix === undefined ? undefined : { kind: "kv" as const });
  const { service, canvas } = await findCanvas(options, context);
  if (target !== undefined) {
    const easel = runtimeOf(canvas, service, context);
    const entries = await runtimeCall(() => Array.fromAsync(entriesOf(target, easel, options.prefix)));
    const shown = entries.map(({ id, fields: { value, name, size, ...rest } }) => ({
      id,
      text: target.kind === "files" ? `${name} (${formatBytes(Number(size))})` : JSON.stringify(value),
      by: String(rest.authorId ?? rest.uploadedBy ?? ""),
    }));
    const isKeys = target.kind === "kv" || target.kind === "user";
    return terminal.result(
      entries.map(({ fields }) => fields),
      () =>
        terminal.table(shown, [
          { title: isKeys ? "KEY" : "ID", cell: ({ id }) => id },
          {
            title: target.kind === "files" ? "FILE" : "VALUE",
            cell: ({ text }) => text ?? "",
            flexible: true,
          },
        ]),
    );
  }
  const path = { id: canvas.id };
  const found = await bodyOf(service.api.GET("/api/canvases/{id}/data", { params: { path } }));
  const row = (what: string, entries: number, bytes?: number, rights = ""): Row => ({
    ...{ what, entries, rights },
    size: bytes === undefined ? "" : formatBytes(bytes),
  });
  terminal.result(found, () =>
    terminal.table(
      [
        row("shared keys", found.kv),
        row("keys of people", found.kvUser),
        ...found.collections.map(({ name, records, bytes, preset }) =>
          row(`collection ${name}`, records, bytes, preset ?? "no policy"),
        ),
        ...found.submissions.map(({ name, entries }) => row(`submissions ${name}`, entries)),
        row("files", found.files.count, found.files.bytes),
      ],
      COLUMNS,
    ),
  );
}
