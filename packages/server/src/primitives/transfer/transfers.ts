import { collectionsTransfer } from "../collections/transfer.ts";
import { filesTransfer } from "../files/transfer.ts";
import { kvTransfer } from "../kv/transfer.ts";
import { submissionsTransfer } from "../submissions/transfer.ts";
import type { Transfer } from "./transfer.ts";

/** The parts of an export, in the order in which they are imported: records come before the files that are attached to them. */
export const TRANSFERS: readonly Transfer[] = [
  kvTransfer,
  collectionsTransfer,
  submissionsTransfer,
  filesTransfer,
];
