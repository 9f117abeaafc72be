import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { OPERATIONS, type RecordPolicy } from "@easel/protocol/policy";
import { add as addRecord } from "../collections/entry.ts";
import { mayDo, outcome } from "../collections/oracle.ts";
import { stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Answer } from "../http.ts";
import { JSON_TYPE, open, type Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { idOf } from "../person-id.ts";
import { govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { CASES, type Case, FIXED, type FileOperation, POLICED, type Policed } from "./cases.ts";
import { upload } from "./form.ts";
import { add, contentOf, type FileRecord, filesIn, pathOf, uploadedOf } from "./record.ts";

/** The callers who upload files in these tests. `CALLERS` also has `stranger`: a viewer who uploads nothing. */
const AUTHORS = ["guest", "viewer", "editor", "owner"] as const;
const CALLERS = [...AUTHORS, "stranger"] as const;
type Author = (typeof AUTHORS)[number];
type Caller = (typeof CALLERS)[number];

const nextTo = (author: Author) => AUTHORS[(AUTHORS.indexOf(author) + 1) % AUTHORS.length] as Author;
const manages = (caller: Caller) => caller === "owner" || caller === "editor";
const standing = (caller: Caller, isAuthor: boolean) => ({ manages: manages(caller), isAuthor });

/**
 * An uploaded file. The right `own` in a policy applies to its `author`. For a file that is attached to a record, `author` is the author of
 * the record; for any other file, `author` is the uploader.
 */
interface Kept {
  id: string;
  author: Author;
  uploader: Author;
}

/**
 * The test canvas and its files. `files` has the files in each file scope of `CASES`. `records` has the ids of the records to which files
 * are attached, by file scope and by the author of the record.
 */
interface Scene {
  pages: Record<Caller, Page>;
  ids: Record<Caller, string>;
  files: Map<Case, Kept[]>;
  records: Map<Case, Map<Author, string>>;
}

const fieldsOf = ({ kind, name }: Case, recordId = ""): Record<string, string> =>
  kind === "fixed" ? { scope: name } : kind === "group" ? { group: name } : { collection: name, recordId };

/**
 * Returns how many files each author uploads to a file scope: two if the tests delete a file there, so that one remains, and otherwise one.
 */
const filesEach = ({ operations }: Case) => (operations.includes("delete") ? 2 : 1);

const tableOf = (policy: (each: Policed) => RecordPolicy) => {
  const entries = Object.fromEntries(POLICED.map((each) => [each.name, policy(each)]));
  return { fileGroups: entries, collections: entries };
};

/**
 * Creates the test canvas. Uploads files to every file scope in `CASES` while every policy is `collaborative`, and then sets the policies
 * to test. The files of a record are uploaded by somebody other than the author of the record.
 */
async function arrange(target: Target): Promise<Scene> {
  const canvas = await stage(target, { access: "whole_org" });
  await govern(
    target,
    canvas,
    tableOf(() => ({ preset: "collaborative" })),
  );
  const guest = open(target, canvas.slug, await guestOf(target, canvas));
  const pages = { ...canvas.pages, guest };
  const ids = {} as Scene["ids"];
  for (const caller of CALLERS) ids[caller] = await idOf(pages[caller]);
  const files: Scene["files"] = new Map();
  const records: Scene["records"] = new Map();
  await parallel(CASES, async (each) => {
    const [own, made] = [new Map<Author, string>(), [] as Kept[]];
    for (const author of AUTHORS) {
      if (each.name === "shared" && !manages(author)) continue;
      const recordId = each.kind === "record" ? (await addRecord(pages[author], each.name, 1)).id : "";
      own.set(author, recordId);
      const uploader = each.kind === "record" ? nextTo(author) : author;
      for (let count = 0; count < filesEach(each); count++) {
        const { id } = await add(pages[uploader], fieldsOf(each, recordId));
        made.push({ id, author, uploader });
      }
    }
    files.set(each, made);
    records.set(each, own);
  });
  await govern(
    target,
    canvas,
    tableOf(({ policy }) => policy),
  );
  return { pages, ids, files, records };
}

/** Tests over HTTP what every caller may do with the files in every file scope of `CASES`. Each file scope has a policy of its own. */
export function matrix(target: Target): void {
  describe("who may do what", () => {
    let scene: Scene;
    before(async () => {
      scene = await arrange(target);
    });

    const lists = async () => {
      for (const caller of CALLERS) await listed(scene, caller);
    };

    it("the list of each caller is what they may read", lists);
    it("`GET /me`: the effective rights on groups, and the two permissions", async () => {
      for (const caller of CALLERS) await permitted(scene, caller);
    });
    for (const each of CASES) {
      it(`${each.kind} ${each.name}: ${each.operations}`, async () => {
        for (const caller of AUTHORS) {
          for (const operation of each.operations) await tried(scene, each, caller, operation);
        }
      });
    }
    it("the lists after all operations", lists);
  });
}

/**
 * Asserts that the list of files that the service returns to the caller has exactly the files that the caller may read, each with its scope
 * and uploader.
 */
async function listed({ pages, ids, files }: Scene, caller: Caller) {
  const row = (id: string, scope: string, uploadedBy: string) => `${scope} ${id} by ${uploadedBy}`;
  const expected = [...files].flatMap(([{ kind, name, policy }, made]) => {
    const scope = kind === "fixed" ? name : `${kind}:${name}`;
    return made
      .filter(({ author }) => mayDo(policy, "read", standing(caller, author === caller)))
      .map(({ id, uploader }) => row(id, scope, ids[uploader]));
  });
  const found = await filesIn(pages[caller]);
  const rowOf = ({ id, scope, uploadedBy }: FileRecord) => row(id, scope, uploadedBy);
  assert.deepEqual(found.map(rowOf).sort(), expected.sort(), `the list of the ${caller}`);
}

/**
 * Asserts what `GET /me` returns to the caller: the rights on file groups that follow from the policies, and whether the caller may upload
 * to `shared` and to `submission`.
 */
async function permitted({ pages }: Scene, caller: Caller) {
  const { permissions, resources } = (await pages[caller].get("/me")).json as Record<string, object>;
  const rightsOn = (policy: RecordPolicy) =>
    OPERATIONS.map((operation) => {
      const [own, any] = [true, false].map((isAuthor) =>
        mayDo(policy, operation, standing(caller, isAuthor)),
      );
      return [operation, { own, any }] as const;
    });
  assert.deepEqual(
    (resources as Record<string, object>).fileGroups,
    Object.fromEntries(POLICED.map(({ name, policy }) => [name, Object.fromEntries(rightsOn(policy))])),
  );
  const may = permissions as Record<string, boolean>;
  assert.deepEqual(
    [may.canUploadSharedFiles, may.canUploadSubmissionFiles],
    [
      mayDo(FIXED.shared, "create", standing(caller, true)),
      mayDo(FIXED.submission, "create", standing(caller, true)),
    ],
  );
}

/**
 * Tries an operation on a file of the caller and on a file of another author; for `create`, uploads files instead. Asserts that the service
 * allows or refuses each attempt as the policy says. Adds uploaded files to `scene.files` and removes deleted files from it.
 */
async function tried(scene: Scene, each: Case, caller: Author, operation: FileOperation) {
  for (const isAuthor of [true, false]) {
    const author = isAuthor ? caller : nextTo(caller);
    if (operation !== "create") await changed(scene, each, caller, author, operation);
    // Uploads a file of the caller's own. If files belong to records, attaches one to the record of each author instead.
    else if (isAuthor || each.kind === "record") await created(scene, each, caller, author);
  }
}

async function created({ pages, files, records }: Scene, each: Case, caller: Author, author: Author) {
  const { kind, policy } = each;
  const recordId = records.get(each)?.get(author);
  const answer = await upload(pages[caller], fieldsOf(each, recordId));
  const as = standing(caller, author === caller);
  // An upload to a record needs the rights `read` and `update` on the record, but not `create`.
  const expected =
    kind === "record" ? outcome(policy, "update", as) : mayDo(policy, "create", as) ? "done" : 403;
  if (isDone(answer, expected, `upload by the ${caller} to the ${author}'s`))
    files.get(each)?.push({ id: uploadedOf(answer).id, author, uploader: caller });
}

async function changed(
  { pages, files }: Scene,
  each: Case,
  caller: Author,
  author: Author,
  operation: Exclude<FileOperation, "create">,
) {
  const made = files.get(each) ?? [];
  const file = made.find((one) => one.author === author);
  if (file === undefined) return;
  const answer = await ask(pages[caller], file, operation);
  const expected = outcome(each.policy, operation, standing(caller, author === caller));
  if (!isDone(answer, expected, `${operation} of the ${author}'s by the ${caller}`)) return;
  if (operation === "update") assert.deepEqual([answer.json.id, answer.json.name], [file.id, "renamed"]);
  if (operation !== "delete") return;
  answered(answer, { ok: true });
  made.splice(made.indexOf(file), 1);
}

/**
 * If `expected` is `done`, asserts that the request succeeded, and returns true. Otherwise asserts that the service refused the request
 * with the status `expected`, and returns false. `what` describes the request in error messages.
 */
function isDone(answer: Answer, expected: "done" | 403 | 404, what: string): boolean {
  const { status, text } = answer;
  if (expected !== "done") {
    assert.equal(status, expected, `${what}: ${text}`);
    refused(answer, expected, expected === 403 ? "PERMISSION_DENIED" : "NOT_FOUND");
    return false;
  }
  assert.ok(status === 200 || status === 201, `${what}: ${status} ${text}`);
  return true;
}

function ask(page: Page, file: Kept, operation: Exclude<FileOperation, "create">): Promise<Answer> {
  if (operation === "read") return page.get(contentOf(file));
  if (operation === "delete") return page.delete(pathOf(file));
  return page.send("PATCH", pathOf(file), [JSON_TYPE], '{"name":"renamed"}');
}
