import { type Fault, fault } from "../fault.ts";

const POLICY = "packages/dashboard/src/screens/backend/policy";
const DOCUMENT = `${POLICY}/document.ts`;
const DOCUMENTS = `${POLICY}/document.test.ts`;
const MERGE = `${POLICY}/merge.ts`;
const MERGES = `${POLICY}/merge.test.ts`;
const SENTENCES = `${POLICY}/sentences.ts`;
const TOLD = `${POLICY}/sentences.test.ts`;
const JSON_TEXT = "packages/dashboard/src/kit/json-editor/json-text.ts";
const TEXTS = "packages/dashboard/src/kit/json-editor/json-text.test.ts";

/** Faults of the screen of the policy: it tells rights that nobody has, loses what others have changed, or takes a document for another. */
export const dashboardPolicy: Fault[] = [
  fault(
    "policy: what nobody may read is told as if it could be changed",
    SENTENCES,
    "author: viewer[operation].own,",
    "author: viewer.create.own,",
    TOLD,
  ),
  fault(
    "policy: editors are told as if they could change what others have made",
    SENTENCES,
    'found === "none" && owner[operation].own ? "own_of_editors" : found',
    'found === "none" && owner[operation].own ? "editors" : found',
    TOLD,
  ),
  fault(
    "policy: rights of a phase are not told",
    SENTENCES,
    "overrides: { ...policy.overrides, ...policy.phases?.[phase] }",
    "overrides: { ...policy.phases?.[phase], ...policy.overrides }",
    TOLD,
  ),
  fault(
    "policy: a merge takes back what others have changed",
    MERGE,
    "if (isSame(own, was)) {",
    "if (isSame(own, was) && other !== undefined) {",
    MERGES,
  ),
  fault(
    "policy: an entry that both have changed is no conflict",
    MERGE,
    "if (!isSame(other, was)) merged",
    "if (!isSame(other, was) && other === undefined) merged",
    MERGES,
  ),
  fault(
    "policy: entries that every object has are found",
    DOCUMENT,
    "entries !== undefined && Object.hasOwn(entries, name)",
    "entries !== undefined && name in entries",
    DOCUMENTS,
  ),
  fault(
    "policy: a right that the preset gives is written",
    DOCUMENT,
    "right === presetRight(entry, operation) ? others",
    "right === null ? others",
    DOCUMENTS,
  ),
  fault(
    "policy: phases go with a preset",
    DOCUMENT,
    "return { ...rest, preset } as Policy",
    "return { preset } as Policy",
    DOCUMENTS,
  ),
  fault(
    "policy: a field that is there twice is not told",
    JSON_TEXT,
    "if (inner.has(name))",
    "if (inner.size < 0)",
    TEXTS,
  ),
  fault(
    "policy: numbers that are not kept are not told",
    JSON_TEXT,
    "if (isKept) return",
    "if (isKept || kept > 0) return",
    TEXTS,
  ),
  fault(
    "policy: a comma at the end counts as JSON",
    JSON_TEXT,
    "if (this.#text[this.#at] === close)",
    "if (this.#at < 0)",
    TEXTS,
  ),
];
