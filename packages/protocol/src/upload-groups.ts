import { LIMITS } from "./limits.ts";

/** The maximum size in bytes of a file that is uploaded together with others. */
const MAX_SMALL_BYTES = 256 * 1024;

/** Divides the files of a staged deploy into those of one request each: a large file alone, small ones together. Sizes are in bytes. */
export function uploadGroups<File extends { size: number }>(files: readonly File[]): File[][] {
  const groups: File[][] = [];
  let together: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (file.size > MAX_SMALL_BYTES) {
      groups.push([file]);
      continue;
    }
    const isFull =
      together.length === LIMITS.uploadFiles.value || bytes + file.size > LIMITS.uploadBytes.value;
    if (together.length === 0 || isFull) {
      together = [];
      bytes = 0;
      groups.push(together);
    }
    together.push(file);
    bytes += file.size;
  }
  return groups;
}
