// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ACTS = "packages/server/src/management/data.ts";
const COLLECTIONS = "packages/server/src/primitives/collections/transfer.ts";
const FILES = "packages/server/src/primitives/files/transfer.ts";
const KV = "packages/server/src/primitives/kv/transfer.ts";
const SUBMISSIONS = "packages/server/src/primitives/submissions/transfer.ts";
const ARCHIVE = "packages/server/src/primitives/transfer/import-archive.ts";
const LINES = "packages/server/src/primitives/transfer/json-lines.ts";

const TRANSFERRED = "packages/server/test/management/data-transfer.test.ts";
const DOCS = "packages/server/test/service/docs.test.ts";
const UNITS = "packages/server/src/primitives/transfer/json-lines.test.ts";

/** Faults of exports and imports. */
export const transfers: Fault[] = [
  fault("export: the docs list it for tokens that only deploy", ACTS, "    deploys: false,\n", "", DOCS),
  fault("export: is not audited", ACTS, "    audited: true,\n", "", TRANSFERRED),
  fault(
    "export: private records of other people",
    COLLECTIONS,
    "return records.list({ ...QUERY, after }, rights.read);",
    "return records.list({ ...QUERY, after }, { own: rights.read.own, any: true });",
    TRANSFERRED,
  ),
  fault(
    "import: a former editor writes",
    ACTS,
    "if (!manages(admitted.role))",
    "if (!admitted.role)",
    TRANSFERRED,
  ),
  fault(
    "import: submissions in the name of others",
    SUBMISSIONS,
    'if (userId !== author) return "OTHER_AUTHOR";',
    "",
    TRANSFERRED,
  ),
  fault(
    "import: records without the right to create them",
    COLLECTIONS,
    'openCollection(caller, name, "create", to.env)',
    "openCollection(caller, name, null, to.env)",
    TRANSFERRED,
  ),
  fault(
    "import: replaces records that the caller may not change",
    COLLECTIONS,
    'if (!allows(rights.update, record.author_id === this.#caller.user.id)) refuse("PERMISSION_DENIED");',
    "",
    TRANSFERRED,
  ),
  fault("import: long keys", KV, "requireKey(given)", "given", TRANSFERRED),
  fault("import: files with any name", FILES, "storedName(textIn(name))", 'textIn(name) ?? ""', TRANSFERRED),
  fault(
    "import: a repeated import makes copies",
    COLLECTIONS,
    "copiedId(given, [canvas.id, this.#name, user.id])",
    "newId()",
    TRANSFERRED,
  ),
  fault("import: any zip", ARCHIVE, "await archive.requireFormat();", "", TRANSFERRED),
  fault(
    "import: a file twice",
    ARCHIVE,
    "if (files.has(path)) invalid(`\\`${path}\\` is in the zip twice.`);",
    "",
    TRANSFERRED,
  ),
  fault(
    "import: links and encrypted files",
    ARCHIVE,
    "if (fault !== undefined) invalid(`\\`${path}\\` ${fault}.`);",
    "",
    TRANSFERRED,
  ),
  fault(
    "import: unpacks any amount",
    ARCHIVE,
    "if (lineBytes > LIMITS.importLinesBytes.value)",
    "if (false)",
    TRANSFERRED,
  ),
  fault("import: any number of lines", LINES, "if (this.#left < 0)", "if (false)", UNITS),
  fault("import: lines of any length", LINES, "if (size > MAX_LINE_BYTES)", "if (false)", UNITS),
];
