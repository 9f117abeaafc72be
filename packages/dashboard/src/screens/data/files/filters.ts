import type { FileListOptions, FileRecord } from "@easel/sdk";
import type { Canvas } from "../../../api/types.ts";

/** Which files are listed. `value` is what the address keeps; it is empty for all files. */
interface FileFilter {
  value: string;
  label: string;
  /** The group to which files are uploaded that are dropped on the list. */
  group?: string;
}

/** Returns what can be listed of a canvas: all files, and those of each group and collection of its policy. */
export function filtersOf(policy: Canvas["runtimePolicy"]): readonly FileFilter[] {
  const { fileGroups = {}, collections = {} } = policy ?? {};
  return [
    { value: "", label: "All files" },
    ...Object.keys(fileGroups).map((name) => ({
      value: `group:${name}`,
      label: `Group ${name}`,
      group: name,
    })),
    ...Object.keys(collections).map((name) => ({
      value: `collection:${name}`,
      label: `Attached to ${name}`,
    })),
  ];
}

/** Returns the filter of a list as the API takes it. */
export function filterOf(value: string): FileListOptions {
  const colon = value.indexOf(":");
  const [kind, name] = [value.slice(0, colon), value.slice(colon + 1)];
  if (kind === "group") return { group: name as never };
  return kind === "collection" ? { collection: name } : {};
}

/** Returns where a file belongs, in words. */
export function placeOf({
  scope,
  group,
  collection,
}: Pick<FileRecord, "scope" | "group" | "collection">): string {
  if (group !== undefined) return `Group ${group}`;
  if (collection !== undefined) return `A record of ${collection}`;
  return scope === "submission" ? "Private: for its uploader, the owner and editors" : "Shared";
}
