import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { Browser } from "@easel/conformance/browser";
import { amend, type Role } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { PASSWORD } from "@easel/conformance/pipeline/causes";
import { are, enter } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { freshChannel, type Room, room } from "@easel/conformance/realtime/room";
import type { Socket } from "@easel/conformance/realtime/socket";
import { same } from "@easel/conformance/same";
import type { Person } from "@easel/conformance/target";
import { tokenOf as accessToken } from "@easel/conformance/token";
import { tokenHash } from "../../../src/crypto/ids.ts";
import { tokenOf } from "../../support/client.ts";
import { onSqlite } from "../../support/engines.ts";
import { DAY_MS, SECOND } from "../../support/time.ts";
import { Clock, startNode } from "./realtime-node.ts";
import { clientFrame, handshake, OPCODE, Wire } from "./realtime-wire.ts";

/** A time in milliseconds that is longer than the longest time between two heartbeats of a connection, which is twice the shortest. */
const ROUND = 31 * SECOND;

await onSqlite("heartbeats and expired access of connections", (_target, main) => {
  const clock = new Clock();
  const node = startNode({ after }, main, { clock: clock.now });
  const dialing = node.then(({ target }) => line(target));
  const dial: ReturnType<typeof line> = async (...to) => (await dialing)(...to);

  describe("a peer that does not respond to pings", () => {
    /** Opens a WebSocket connection without a client library, and subscribes it to a channel. */
    const knock = async (here: Room, role: Role, channel: string) => {
      const { base } = (await node).target;
      const wire = new Wire(base);
      wire.write(handshake(base, `/v1/c/${here.slug}/realtime`, here.people[role].headers));
      assert.match(await wire.head(), /^HTTP\/1\.1 101 /);
      assert.equal((await wire.ask({ type: "subscribe", channel })).type, "subscribed");
      assert.equal((await wire.next()).type, "presence");
      return wire;
    };
    const pinged = async (wire: Wire) => {
      for (let frame = await wire.frame(); frame?.opcode !== OPCODE.ping; frame = await wire.frame())
        assert.ok(frame !== null, "gone where a ping was due");
    };
    const start = async () => {
      const here = await room((await node).target);
      const channel = freshChannel();
      const witness = await dial(here, here.people.owner);
      await enter(witness, channel);
      return { here, channel, witness };
    };

    it("is dropped without a close frame at the second heartbeat, and others get its leave frame", async () => {
      const { here, channel, witness } = await start();
      const wire = await knock(here, "viewer", channel);
      clock.pass(ROUND);
      await pinged(wire);
      are(await witness.settled(), [{ type: "join", channel, user: here.users.viewer }]);
      clock.pass(ROUND);
      same(await wire.closing(), { code: null, texts: [] });
      await wire.gone();
      are([await witness.next()], [{ type: "leave", channel, user: here.users.viewer }]);
    });

    for (const [name, said, isAnswered] of [
      ["a pong", clientFrame("", { opcode: OPCODE.pong }), false],
      ["a ping of its own", clientFrame("", { opcode: OPCODE.ping }), true],
      ["a frame", clientFrame({ type: "presence", channel: "c" }), true],
      ["a frame that is none", clientFrame("?"), true],
    ] as const) {
      it(`${name} between heartbeats: it stays connected`, async () => {
        const { here, channel, witness } = await start();
        const wire = await knock(here, "viewer", channel);
        for (let round = 0; round < 4; round++) {
          clock.pass(ROUND);
          await pinged(wire);
          wire.write(said);
          if (isAnswered) assert.ok((await wire.frame()) !== null);
          // By the time another connection has had three responses, the service has received the frame.
          for (let trip = 0; trip < 3; trip++) await witness.settled();
        }
        wire.drop();
      });
    }

    it("half a frame is no response", async () => {
      const { here, channel } = await start();
      const wire = await knock(here, "viewer", channel);
      clock.pass(ROUND);
      await pinged(wire);
      wire.write(clientFrame({ type: "presence", channel }).subarray(0, 20));
      clock.pass(ROUND);
      same(await wire.closing(), { code: null, texts: [] });
      await wire.gone();
    });

    it("each connection has heartbeats of its own", async () => {
      const { here, channel } = await start();
      const first = await knock(here, "viewer", channel);
      clock.pass(10 * SECOND);
      const second = await knock(here, "stranger", channel);
      clock.pass(6 * SECOND);
      await pinged(first);
      second.send({ type: "presence", channel: "c" });
      const frame = await second.frame();
      assert.deepEqual([frame?.opcode, JSON.parse(frame?.text ?? "").channel], [OPCODE.text, "c"]);
      clock.pass(10 * SECOND);
      await pinged(second);
      clock.pass(6 * SECOND);
      await first.gone();
      assert.equal((await second.next()).type, "leave");
      assert.equal((await second.ask({ type: "presence", channel: "c" })).channel, "c");
      second.drop();
    });
  });

  describe("expired access closes the connection at the next heartbeat", () => {
    /** A canvas, people whose access expires, and people who keep their access. */
    interface Scene {
      here: Room;
      expiring: Person[];
      staying: Person[];
      /** The time until the access of the `expiring` people expires, in milliseconds. */
      in: number;
      /** Runs once the connections of these people are open. */
      opened?(): Promise<unknown>;
    }
    const rows: [name: string, scene: (here: Room) => Promise<Omit<Scene, "here">>][] = [
      [
        "the share",
        async (here) => {
          const { target } = await node;
          const guest = await guestOf(target, here);
          await amend(target, here, { expiresAt: clock.now() + 20 * SECOND });
          const { owner, editor, viewer, stranger } = here.people;
          return { expiring: [viewer, stranger, guest], staying: [owner, editor], in: 20 * SECOND };
        },
      ],
      [
        "a session",
        async (here) => {
          const { viewer, owner } = here.people;
          const again = await (await node).target.signIn(viewer.email);
          // Opening the connection extends the session, so its expiry is set afterwards.
          const opened = () =>
            main.db.run`
              update sessions set expires_at = ${clock.now() + 20 * SECOND}
              where token_hash = ${tokenHash(tokenOf(viewer))}`;
          return { expiring: [viewer], staying: [owner, again], in: 20 * SECOND, opened };
        },
      ],
      [
        "an access token",
        async (here) => {
          const { target } = await node;
          const { viewer, owner } = here.people;
          const short = await accessToken(target, viewer, clock.now() + 20 * SECOND);
          const long = await accessToken(target, viewer, clock.now() + 20 * DAY_MS);
          return {
            expiring: [short],
            staying: [owner, viewer, long, await accessToken(target, viewer)],
            in: 20 * SECOND,
          };
        },
      ],
      [
        "the password gate",
        async (here) => {
          const { target } = await node;
          await amend(target, here, { password: PASSWORD });
          const { viewer, owner, editor } = here.people;
          const browser = new Browser(target, viewer);
          await browser.unlock(here.slug, PASSWORD);
          const headers = browser.jar.headersFor(new URL(`/v1/c/${here.slug}/realtime`, target.base));
          return {
            expiring: [{ ...viewer, headers }],
            staying: [owner, editor, await guestOf(target, here)],
            in: 7 * DAY_MS,
          };
        },
      ],
    ];

    for (const [name, make] of rows) {
      it(`${name}: 4401`, async () => {
        const here = await room((await node).target);
        const { expiring, staying, in: ends, opened } = await make(here);
        const dialAll = (people: Person[]) => Promise.all(people.map((person) => dial(here, person)));
        const [losing, keeping] = [await dialAll(expiring), await dialAll(staying)];
        await opened?.();
        const live = async (sockets: Socket[]) => {
          for (const socket of sockets) are(await socket.settled(), []);
        };
        clock.pass(ends - 10 * SECOND);
        await live([...losing, ...keeping]);
        clock.pass(10 * SECOND + ROUND);
        for (const socket of losing) same(await socket.end(), { code: 4401, frames: [] });
        await live(keeping);
      });

      it(`${name}: 4401 at the first frame, before any heartbeat`, async () => {
        const here = await room((await node).target);
        const { expiring, in: ends, opened } = await make(here);
        const losing = await Promise.all(expiring.map((person) => dial(here, person)));
        for (const socket of losing) await socket.settled();
        await opened?.();
        clock.pass(ends + SECOND);
        for (const socket of losing) socket.send({ type: "subscribe", channel: "c" });
        for (const socket of losing) same(await socket.end(), { code: 4401, frames: [] });
      });
    }
  });
});
