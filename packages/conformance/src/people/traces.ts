import assert from "node:assert/strict";
import { PRESETS, type Preset, type RecordPolicy, RIGHTS, type RuntimePolicy } from "@easel/protocol/policy";
import type { Person as KnownPerson } from "@easel/protocol/types";
import { add as addRecord } from "../collections/entry.ts";
import { mayDo } from "../collections/oracle.ts";
import { add as addFile } from "../files/record.ts";
import type { Stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { idOf } from "../person-id.ts";
import { govern } from "../policy.ts";
import { answered } from "../refusal.ts";
import { freshEmail, type Person, type Target } from "../target.ts";

/** A caller of `GET /people`: their id, and whether they are the owner or an editor. */
export interface Caller {
  id: string;
  manages: boolean;
}

/** The only thing that a person has left on the canvas, such as a record or a file. `page` sends requests as this person. */
export interface Trace {
  /** What the person has left, such as `a file in group personal`. */
  name: string;
  id: string;
  person: Person;
  page: Page;
  /** The capabilities that must be on so that anyone can read the thing. */
  needs: ("kv" | "files")[];
  /** The collection or file group to which the thing belongs. Undefined if the policy does not govern the thing. */
  entry?: { kind: "collections" | "fileGroups"; name: string };
  /** Returns whether a caller may read the thing while the canvas has the policy document `POLICY`. */
  isReadable(caller: Caller): boolean;
}

/**
 * One policy for each preset without overrides. In addition, for each value of the right `read`, one policy that overrides `read` of a
 * preset with this value.
 */
const POLICIES: Record<string, RecordPolicy> = Object.fromEntries([
  ...(Object.keys(PRESETS) as Preset[]).map((preset) => [preset, { preset }] as const),
  ...(Object.keys(RIGHTS) as (keyof typeof RIGHTS)[]).map((read) => {
    const preset = read === "viewers" ? "personal" : "collaborative";
    return [`${preset}.${read}`, { preset, overrides: { read } }] as const;
  }),
]);

/** The policy document that the canvas has while the tests call `GET /people`. */
export const POLICY: RuntimePolicy = { collections: POLICIES, fileGroups: POLICIES };

const OPEN = Object.fromEntries(Object.keys(POLICIES).map((name) => [name, { preset: "collaborative" }]));
/** The policy document that the canvas has while `leaveTraces` creates the traces. It lets everyone do everything. */
const ALL_OPEN = { collections: OPEN, fileGroups: OPEN } as RuntimePolicy;

/** Requests `GET /people` with these ids. Asserts that the response has the right format, and returns the people in it. */
export async function ask(page: Page, ids: string[]): Promise<KnownPerson[]> {
  const answer = await page.get(`/people?ids=${ids.map(encodeURIComponent).join()}`);
  const people = answer.json.people as KnownPerson[];
  answered(answer, { people });
  for (const person of people) assert.deepEqual(Object.keys(person), ["id", "name", "avatarUrl"]);
  return people;
}

/**
 * Creates one thing for each of a number of people, such as a record or a file. Then gives the canvas the policy document `POLICY`. Returns
 * one `Trace` for each thing.
 */
export async function leaveTraces(target: Target, canvas: Stage): Promise<Trace[]> {
  await govern(target, canvas, ALL_OPEN);
  const come = async (label: string, by?: Person) => {
    const person = by ?? (await target.signIn(freshEmail(label)));
    const page = open(target, canvas.slug, person);
    return { person, page, id: await idOf(page) };
  };
  const works: (() => Promise<Trace[]>)[] = Object.entries(POLICIES).flatMap(([name, policy]) => {
    const readable = (author: string) => (caller: Caller) =>
      mayDo(policy, "read", { manages: caller.manages, isAuthor: caller.id === author });
    const collection = { kind: "collections", name } as const;
    return [
      async () => {
        const [author, uploader] = [await come("author"), await come("uploader")];
        const { id: recordId } = await addRecord(author.page, name, 1);
        await addFile(uploader.page, { collection: name, recordId });
        const isReadable = readable(author.id);
        return [
          { ...author, name: `a record in ${name}`, entry: collection, needs: ["kv"], isReadable },
          {
            ...uploader,
            name: `an attachment of another's record in ${name}`,
            entry: collection,
            needs: ["kv", "files"],
            isReadable,
          },
        ];
      },
      async () => {
        const uploader = await come("uploader");
        await addFile(uploader.page, { group: name });
        const entry = { kind: "fileGroups", name } as const;
        return [
          {
            ...uploader,
            name: `a file in group ${name}`,
            entry,
            needs: ["files"],
            isReadable: readable(uploader.id),
          },
        ];
      },
    ];
  });
  works.push(
    async () => {
      const person = await come("submitter");
      await person.page.put("/submissions/poll/mine", 1);
      const isReadable = ({ id, manages }: Caller) => manages || id === person.id;
      return [{ ...person, name: "a submission", needs: ["kv"], isReadable }];
    },
    async () => {
      const person = await come("uploader");
      await addFile(person.page, { scope: "submission" });
      const isReadable = ({ id, manages }: Caller) => manages || id === person.id;
      return [{ ...person, name: "a private file", needs: ["files"], isReadable }];
    },
    async () => {
      const editor = await come("editor", canvas.people.editor);
      await addFile(editor.page);
      return [{ ...editor, name: "a shared file", needs: ["files"], isReadable: () => true }];
    },
    async () => {
      const guest = await come("guest", await guestOf(target, canvas));
      await addRecord(guest.page, "contributions", "the guest's");
      const entry = { kind: "collections", name: "contributions" } as const;
      return [{ ...guest, name: "a guest's record", entry, needs: ["kv"], isReadable: () => true }];
    },
    async () => {
      const person = await come("keeper");
      answered(await person.page.put("/kv/user/note", 1), { ok: true });
      return [{ ...person, name: "a private key", needs: ["kv"], isReadable: () => false }];
    },
    async () => [{ ...(await come("nobody")), name: "nothing", needs: [], isReadable: () => false }],
  );
  const traces = (await parallel(works, (work) => work(), 8)).flat();
  await govern(target, canvas, POLICY);
  return traces;
}
