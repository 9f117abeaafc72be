import { before, describe, it } from "node:test";
import {
  type CollectionPolicy,
  type PolicyRight,
  PRESETS,
  type Preset,
  RIGHTS,
} from "@easel/protocol/policy";
import { add, type Entry, entryOf } from "../collections/entry.ts";
import { mayDo } from "../collections/oracle.ts";
import { type Cast, cast, type Stage, share } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { collecting, govern } from "../policy.ts";
import { answered } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, failure } from "./frame.ts";
import { line } from "./line.ts";
import type { Frame, Socket } from "./socket.ts";
import {
  keyChange,
  keys,
  recordChange,
  recordDeletion,
  records,
  resync,
  watch,
  watching,
} from "./watching.ts";

/** Policies of collections: every preset, and the preset `collaborative` with every possible value for the right to read. */
const POLICIES: Record<string, CollectionPolicy> = Object.fromEntries([
  ...(Object.keys(PRESETS) as Preset[]).map((preset) => [preset, { preset }]),
  ...(Object.keys(RIGHTS) as PolicyRight[]).map((read) => [
    `read-${read}`,
    { preset: "collaborative", overrides: { read } },
  ]),
]);

const CALLERS = ["owner", "editor", "viewer", "stranger", "guest"] as const;
type Caller = (typeof CALLERS)[number];
const manages = (caller: Caller) => caller === "owner" || caller === "editor";

/** Tests that a change of a record is sent to the watching connections of people who may read the record at that moment. */
export function readers(target: Target): void {
  describe("recipients of a change", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    /**
     * Writes the key `mark`, which every connection watches. Returns, for each connection, the frames that it received before the change
     * frame of `mark`.
     */
    const upTo = async (canvas: Stage, sockets: Socket[]): Promise<Frame[][]> => {
      answered(await canvas.pages.owner.put("/kv/mark", 1), { ok: true });
      const mark = JSON.stringify(keyChange("kv", "mark", 1));
      const came = sockets.map(async (socket) => {
        const frames: Frame[] = [];
        for (;;) {
          const frame = await socket.next();
          if (JSON.stringify(frame) === mark) return frames;
          frames.push(frame);
        }
      });
      return Promise.all(came);
    };

    it("every preset and every right to read, for everyone's records", async () => {
      const canvas = await collecting(target, POLICIES, people);
      const guest = await guestOf(target, canvas);
      const visitors = { ...people, guest };
      const pages: Record<Caller, Page> = { ...canvas.pages, guest: open(target, canvas.slug, guest) };
      const sockets = await Promise.all(CALLERS.map((caller) => dial(canvas, visitors[caller])));
      for (const [index, caller] of CALLERS.entries()) {
        const socket = sockets[index] as Socket;
        await watch(socket, keys("kv", "mark"));
        for (const [name, policy] of Object.entries(POLICIES)) {
          const reads = mayDo(policy, "read", { manages: manages(caller), isAuthor: true });
          const expected = reads ? watching(records(name)) : failure("PERMISSION_DENIED", records(name));
          are([await socket.ask({ type: "watch", ...records(name) })], [expected]);
        }
      }
      for (const [name, policy] of Object.entries(POLICIES)) {
        const made: [author: Caller, entry: Entry][] = [];
        for (const author of CALLERS) {
          if (!mayDo(policy, "create", { manages: manages(author), isAuthor: true })) continue;
          made.push([author, await add(pages[author], name, 1)]);
        }
        const all = await upTo(canvas, sockets);
        for (const [index, caller] of CALLERS.entries()) {
          const visible = made.filter(([author]) =>
            mayDo(policy, "read", { manages: manages(caller), isAuthor: author === caller }),
          );
          are(
            all[index] ?? [],
            visible.map(([, entry]) => recordChange(name, entry)),
          );
        }
      }
    });

    it("a record keeps its author when others change it", async () => {
      const own: CollectionPolicy = {
        preset: "submissions",
        overrides: { update: "editors", delete: "editors" },
      };
      const canvas = await collecting(target, { box: own }, people);
      const roles = ["owner", "editor", "viewer", "stranger"] as const;
      const sockets = await Promise.all(roles.map((role) => dial(canvas, people[role])));
      for (const socket of sockets) {
        await watch(socket, keys("kv", "mark"));
        await watch(socket, records("box"));
      }
      const made = await add(canvas.pages.viewer, "box", 1);
      const { id } = made;
      const changed = entryOf(await canvas.pages.editor.put(`/collections/box/${id}`, 2));
      await canvas.pages.owner.delete(`/collections/box/${id}`);
      const told = [recordChange("box", made), recordChange("box", changed), recordDeletion("box", id)];
      const all = await upTo(canvas, sockets);
      for (const [index, role] of roles.entries()) are(all[index] ?? [], role === "stranger" ? [] : told);
    });

    it("recipients follow roles and policies; records can become readable again", async () => {
      const canvas = await collecting(target, { box: { preset: "submissions" } }, people);
      const socket = await dial(canvas, people.viewer);
      await watch(socket, keys("kv", "mark"));
      await watch(socket, records("box"));
      const tells = async (expected: boolean) => {
        const made = await add(canvas.pages.owner, "box", 1);
        const [frames = []] = await upTo(canvas, [socket]);
        // The service sends a resync frame if the connection may have missed changes.
        const changes = frames.filter(({ type }) => type !== "resync");
        are(changes, expected ? [recordChange("box", made)] : []);
      };
      await tells(false);
      await share(target, canvas, "whole_org", { viewer: "editor" });
      await tells(true);
      await share(target, canvas, "whole_org", { viewer: "viewer" });
      await tells(false);
      await govern(target, canvas, { collections: { box: { preset: "contributions" } } });
      await tells(true);
      await govern(target, canvas, {
        collections: { box: { preset: "contributions", overrides: { read: "editors" } } },
      });
      await tells(false);
      await govern(target, canvas, null);
      same(
        await upTo(canvas, [socket]).then(([frames = []]) => frames.filter(({ type }) => type === "change")),
        [],
      );
      await govern(target, canvas, { collections: { box: { preset: "contributions" } } });
      await tells(true);
    });

    it("a switched phase: watches read again, and get changes while they may read", async () => {
      const phases = { revealed: { read: "viewers" }, closed: { create: "none" } } as const;
      const canvas = await collecting(target, { box: { preset: "submissions", phases } }, people);
      const { owner } = canvas.pages;
      const sockets = [await dial(canvas, people.viewer), await dial(canvas, people.editor)];
      for (const each of sockets) {
        await watch(each, keys("kv", "mark"));
        await watch(each, records("box"));
      }
      const turns: [phase: string | null, seen: boolean][] = [
        ["revealed", true],
        ["closed", false],
        ["revealed", true],
        [null, false],
      ];
      for (const [phase, seen] of turns) {
        await owner.put("/collections/box/phase", { phase });
        for (const frames of await upTo(canvas, sockets)) {
          are([...frames.slice(0, 1)], [resync(records("box"))]);
          are(
            frames.filter(({ type }) => type !== "resync"),
            [],
          );
        }
        if (phase === "closed") continue;
        const made = await add(owner, "box", phase);
        const [viewer = [], editor = []] = await upTo(canvas, sockets);
        are(viewer, seen ? [recordChange("box", made)] : []);
        are(editor, [recordChange("box", made)]);
      }
      await owner.put("/collections/box/phase", { phase: null });
      for (const frames of await upTo(canvas, sockets)) are(frames, []);
    });

    it("those who may read more or less than before get a resync, and no others", async () => {
      const own: CollectionPolicy = { preset: "submissions" };
      const all: CollectionPolicy = { preset: "contributions" };
      const staff: CollectionPolicy = { ...all, overrides: { read: "editors" } };
      const canvas = await collecting(target, { box: own, other: all }, people);
      const [socket, editor] = [await dial(canvas, people.viewer), await dial(canvas, people.editor)];
      for (const each of [socket, editor])
        for (const watched of [keys("kv"), records("box"), records("other")]) await watch(each, watched);
      const turns: [viewer: "viewer" | "editor", box: CollectionPolicy | null, again: boolean][] = [
        ["editor", own, true],
        ["editor", staff, false],
        ["viewer", own, true],
        ["viewer", { ...own, overrides: { delete: "editors" } }, false],
        ["viewer", all, true],
        ["viewer", staff, false],
        ["viewer", all, true],
        ["viewer", null, false],
        ["viewer", own, true],
      ];
      for (const [viewer, box, again] of turns) {
        await govern(target, canvas, { collections: { ...(box && { box }), other: all } });
        await share(target, canvas, "whole_org", { viewer, editor: "editor" });
        const told = await socket.settled();
        are(told, again ? [resync(records("box"))] : []);
      }
      const told = await editor.settled();
      are(told, [resync(records("box"))]);
    });
  });
}
