import { existsSync } from "node:fs";
import path from "node:path";

const FOLDERS = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin"];

/** Returns why tests that need a program are skipped; false if it is installed. In CI all programs are, so nothing is skipped. */
export const missing = (program: string): string | false =>
  !process.env.CI &&
  !FOLDERS.some((folder) => existsSync(path.join(folder, program))) &&
  `${program} is not installed`;
