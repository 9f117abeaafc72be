import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { type Stage, turn } from "../fixture.ts";
import { collecting } from "../policy.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { enter, failure, gets } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel } from "./room.ts";
import type { Socket } from "./socket.ts";
import { keyChange, keys, records, resync, type Watched, watch, watching } from "./watching.ts";

/**
 * Each row has the fields of a valid `watch` frame, without `type`, and the target that the service must name when it confirms the watch.
 */
const WATCHES: [asked: object, watched: Watched][] = [
  [{ resource: "kv" }, keys("kv")],
  [{ resource: "kv", prefix: "" }, keys("kv")],
  [{ resource: "kv", prefix: "a/" }, keys("kv", "a/")],
  [{ resource: "kv", prefix: "\0" }, keys("kv", "\0")],
  [{ resource: "kv", prefix: "__proto__" }, keys("kv", "__proto__")],
  [{ resource: "kv", prefix: "p".repeat(512) }, keys("kv", "p".repeat(512))],
  [{ resource: "kv.user" }, keys("kv.user")],
  [{ resource: "kv.user", prefix: "😀" }, keys("kv.user", "😀")],
  [{ resource: "collection", name: "board" }, records("board")],
  [{ name: "board", resource: "collection", channel: 1, event: [] }, records("board")],
];

/**
 * The fields, without `type`, of `watch` frames that the service must refuse, because they do not describe a valid target. For example, the
 * resource `KV` does not exist.
 */
const NO_WATCHES: object[] = [
  {},
  ...[
    null,
    1,
    true,
    "",
    "KV",
    "kv ",
    "kv.",
    "kv.users",
    "collections",
    "submissions",
    "file",
    "__proto__",
  ].map((resource) => ({ resource, name: "board" })),
  { resource: ["kv"] },
  { resource: { kv: 1 } },
  { resource: "collection" },
  ...([null, 1, true, "", [], ["board"], {}] satisfies Json[]).map((name) => ({
    resource: "collection",
    name,
  })),
  ...([null, 1, true, [], ["a"], {}] satisfies Json[]).map((prefix) => ({ resource: "kv", prefix })),
  ...([null, 1, [], {}] satisfies Json[]).map((prefix) => ({ resource: "kv.user", prefix })),
];

const NO_COLLECTIONS = ["none", "Board", "board2", "constructor", "toString", "hasOwnProperty", "valueOf"];

const MOST = 64;

/** Tests `watch` and `unwatch`. After a `watch` frame, the service reports each change of the watched keys, collection or files. */
export function watches(target: Target): void {
  describe("watch and unwatch", () => {
    const dial = line(target, after);
    let canvas: Stage;
    let socket: Socket;
    before(async () => {
      canvas = await collecting(target, {
        board: { preset: "collaborative" },
        secret: { preset: "collaborative", overrides: { read: "none" } },
        staff: { preset: "collaborative", overrides: { read: "editors" } },
        own: { preset: "personal" },
      });
      socket = await dial(canvas, canvas.people.viewer);
    });
    const answers = async (frame: object, ...expected: ReturnType<typeof failure>[]) => {
      socket.send(frame);
      await gets(socket, expected);
    };

    for (const [asked, watched] of WATCHES) {
      const said = JSON.stringify(asked).slice(0, 80);
      it(`${said}: watching; again, watching; unwatch has no answer`, async () => {
        await answers({ type: "watch", ...asked }, watching(watched));
        await answers({ type: "watch", ...asked, resume: false }, watching(watched));
        await answers({ type: "unwatch", ...asked });
        await answers({ type: "unwatch", ...asked });
      });

      it(`${said} with resume: watching, then resync`, async () => {
        await answers({ type: "watch", ...asked, resume: true }, watching(watched), resync(watched));
        await answers({ type: "watch", ...asked, resume: true }, watching(watched), resync(watched));
        await answers({ type: "unwatch", ...asked });
      });
    }

    for (const type of ["watch", "unwatch"]) {
      it(`${type} with an invalid target: INVALID_FRAME`, async () => {
        for (const asked of NO_WATCHES) {
          const { code } = await socket.ask({ type, ...asked });
          assert.equal(code, "INVALID_FRAME", JSON.stringify(asked));
        }
        await gets(socket, []);
      });
    }

    it("resume that is no boolean: INVALID_FRAME", async () => {
      for (const resume of [null, 0, 1, "true", [], {}]) {
        const { code } = await socket.ask({ type: "watch", resource: "kv", resume });
        assert.equal(code, "INVALID_FRAME", JSON.stringify(resume));
      }
      await gets(socket, []);
    });

    for (const name of NO_COLLECTIONS) {
      it(`the collection ${name} has no policy: COLLECTION_NOT_CONFIGURED`, () =>
        answers({ type: "watch", ...records(name) }, failure("COLLECTION_NOT_CONFIGURED", records(name))));
    }

    it("an invalid collection name is refused, and unwatch without a watch has no effect", async () => {
      for (const name of ["-", "__proto__", "a b", "a/b", "\0", "é", "n".repeat(81), "n".repeat(8_000)]) {
        const { type, code } = await socket.ask({ type: "watch", ...records(name) });
        assert.equal(type, "error", name);
        assert.ok(code === "INVALID_FRAME" || code === "COLLECTION_NOT_CONFIGURED", `${name}: ${code}`);
      }
      for (const watched of [keys("kv", "never"), keys("kv.user"), records("board"), records("none")])
        await answers({ type: "unwatch", ...watched });
    });

    it("a collection that the caller cannot read: PERMISSION_DENIED; one of personal records can be watched by everyone", async () => {
      await answers({ type: "watch", ...records("secret") }, failure("PERMISSION_DENIED", records("secret")));
      await answers({ type: "watch", ...records("staff") }, failure("PERMISSION_DENIED", records("staff")));
      await answers({ type: "watch", ...records("own") }, watching(records("own")));
      const editor = await dial(canvas, canvas.people.editor);
      await watch(editor, records("staff"));
      editor.send({ type: "watch", ...records("secret"), resume: true });
      await gets(editor, [failure("PERMISSION_DENIED", records("secret"))]);
    });

    it("needs the key-value store: CAPABILITY_DISABLED", async () => {
      const dark = await collecting(target, { board: { preset: "collaborative" } }, canvas.people);
      await turn(target, dark, { kv: false });
      const other = await dial(dark, dark.people.owner);
      for (const watched of [keys("kv"), keys("kv.user", "a"), records("board"), records("none")]) {
        const { type, code, message, ...about } = await other.ask({ type: "watch", ...watched });
        assert.deepEqual([type, code, typeof message], ["error", "CAPABILITY_DISABLED", "string"]);
        assert.deepEqual({ ...about, ...watched }, about, JSON.stringify(about));
      }
      await enter(other, freshChannel());
      await turn(target, dark, { kv: true });
      await watch(other, records("board"));
    });

    it("a connection has at most 64 watches and channels together", async () => {
      const other = await dial(canvas, canvas.people.viewer);
      for (let index = 0; index < MOST / 2; index++) {
        await enter(other, `c-${index}`);
        await watch(other, keys("kv", `k-${index}`));
      }
      for (const watched of [keys("kv", "past"), keys("kv.user"), records("board")]) {
        other.send({ type: "watch", ...watched });
        await gets(other, [failure("CHANNEL_LIMIT", watched)]);
      }
      other.send({ type: "subscribe", channel: "past" });
      await gets(other, [failure("CHANNEL_LIMIT", { channel: "past" })]);
      await watch(other, keys("kv", "k-0"));
      other.send({ type: "unwatch", ...keys("kv", "k-0") });
      await enter(other, "past");
      other.send({ type: "watch", ...keys("kv", "k-0") });
      await gets(other, [failure("CHANNEL_LIMIT", keys("kv", "k-0"))]);
      other.send({ type: "unsubscribe", channel: "past" });
      await watch(other, records("board"));
      same((await canvas.pages.owner.put("/kv/k-1", 1)).status, 200);
      same(await other.next(), keyChange("kv", "k-1", 1));
    });
  });
}
