// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ACTS = "packages/server/src/management/data.ts";
const COLLECTIONS = "packages/server/src/primitives/collections/transfer.ts";
const SUBMISSIONS = "packages/server/src/primitives/submissions/transfer.ts";
const ARCHIVE = "packages/server/src/primitives/transfer/import-archive.ts";
const LINES = "packages/server/src/primitives/transfer/import-archive.ts";
const BUDGET = "packages/server/src/primitives/transfer/import-archive.ts";

const EXPORTS = "packages/server/test/management/data-exports.test.ts";
const IMPORTS = "packages/server/test/management/data-imports.test.ts";
const HOSTILE = "packages/server/test/management/data-imports-hostile.test.ts";
const DOCS = "packages/server/test/service/docs.test.ts";
const UNITS = "packages/server/src/primitives/transfer/import-archive.test.ts";

/** Faults of exports and imports. */
export const transfers: Fault[] = [
  fault("export: the docs list it for tokens that only deploy", ACTS, "    deploys: false,\n", "", DOCS),
  fault("export: is not audited", ACTS, "    audited: true,\n", "", EXPORTS),
  fault(
    "export: private records of other people",
    COLLECTIONS,
    "return records.list({ ...QUERY, after }, rights.read);",
    "return records.list({ ...QUERY, after }, { own: rights.read.own, any: true });",
    EXPORTS,
  ),
  fault(
    "import: a former editor writes",
    ACTS,
    "if (!manages(admitted.role))",
    "if (!admitted.role)",
    HOSTILE,
  ),
  fault(
    "import: submissions in the name of others",
    SUBMISSIONS,
    'if (userId !== caller.user.id) throw new Refusal(403, { code: "OTHER_AUTHOR" });',
    "",
    IMPORTS,
  ),
  fault(
    "import: records without the right to create them",
    "packages/server/src/primitives/collections/operations.ts",
    'may: open("create"),',
    "may: opened,",
    IMPORTS,
  ),
  fault(
    "import: replaces records that the caller may not change",
    "packages/server/src/primitives/collections/operations.ts",
    'may: openRecord("update"),',
    'may: openRecord("read"),',
    IMPORTS,
  ),
  fault(
    "import: long keys",
    "packages/server/src/primitives/kv/operations.ts",
    "return requireKey(params.key);",
    "return params.key;",
    IMPORTS,
  ),
  fault(
    "import: files with any name",
    "packages/server/src/primitives/files/receive-upload.ts",
    "name: storedName(name)",
    'name: name ?? ""',
    IMPORTS,
  ),
  fault(
    "import: a repeated import makes copies",
    COLLECTIONS,
    "copiedId(given, [caller.canvas.id, name, caller.user.id])",
    "newId()",
    IMPORTS,
  ),
  fault("import: any zip", ARCHIVE, "await archive.requireFormat();", "", HOSTILE),
  fault(
    "import: a file twice",
    ARCHIVE,
    "if (files.has(path)) invalid(`\\`${path}\\` is in the zip twice.`);",
    "",
    HOSTILE,
  ),
  fault(
    "import: links and encrypted files",
    ARCHIVE,
    "if (fault !== undefined) invalid(`\\`${path}\\` ${fault}.`);",
    "",
    HOSTILE,
  ),
  fault(
    "import: unpacks any amount",
    ARCHIVE,
    "if (lineBytes > LIMITS.importLinesBytes.value)",
    "if (false)",
    HOSTILE,
  ),
  fault("import: any number of lines", BUDGET, "if (this.#lines < 0)", "if (false)", UNITS),
  fault("import: any number of unpacked bytes", BUDGET, "if (this.#bytes < 0)", "if (false)", UNITS),
  fault("import: all lines of a chunk in one turn", LINES, "await immediate();\n      work", "work", UNITS),
  fault("import: lines of any length", LINES, "if (size > MAX_LINE_BYTES)", "if (false)", UNITS),
];
