import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { Duplex } from "node:stream";
import { describe, test } from "node:test";
import { FlushQueue, Outbox, textFrame } from "./outbox.ts";

const KIB = 1024;

/** The expected header bytes of text frames, for texts of various lengths (RFC 6455, section 5.2). */
const HEADS: [bytes: number, head: number[]][] = [
  [0, [0x81, 0]],
  [1, [0x81, 1]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [127, [0x81, 126, 0, 127]],
  [256, [0x81, 126, 1, 0]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  [0x010203, [0x81, 127, 0, 0, 0, 0, 0, 1, 2, 3]],
];

describe("textFrame", () => {
  for (const [bytes, head] of HEADS) {
    test(`${bytes} bytes`, () => {
      for (const text of ["a".repeat(bytes), `${"é".repeat(bytes >> 1)}${"a".repeat(bytes % 2)}`]) {
        const expected = Buffer.concat([Buffer.from(head), Buffer.from(text)]);
        assert.ok(textFrame(text).equals(expected));
      }
    });
  }

  test("a lone surrogate is encoded as U+FFFD, and the length is right", () => {
    const expected = Buffer.concat([Buffer.from([0x81, 4]), Buffer.from("a\ufffd")]);
    assert.deepEqual(textFrame("a\ud800"), expected);
  });
});

/** A socket that records its writes. While `isRead` is false, it behaves as if the peer read nothing. */
class Kept extends Duplex {
  readonly writes: Buffer[] = [];
  isRead = true;
  isOpen = true;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes.push(chunk);
    if (this.isRead) done();
  }

  override _read(): void {}
}

const endOfTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const frames = (...texts: string[]) => texts.map((text) => textFrame(text));
const boxes = (flushes: FlushQueue, count: number) =>
  Array.from({ length: count }, () => {
    const socket = new Kept();
    return { socket, outbox: new Outbox(socket, flushes, () => socket.isOpen) };
  });

test("nothing is written after the close frame, also when it was pushed before", async () => {
  const flushes = new FlushQueue();
  const [box, other] = boxes(flushes, 2);
  const [a, b] = frames("a", "b");
  assert.ok(box && other && a && b);
  box.socket.isRead = false;
  box.outbox.push(a);
  await endOfTurn();
  for (const { outbox } of [box, other]) outbox.push(b);
  box.socket.isOpen = false;
  await endOfTurn();
  box.outbox.push(b);
  box.outbox.flush();
  assert.deepEqual([box.socket.writes, box.socket.writableLength], [[a], a.length]);
  assert.deepEqual(other.socket.writes, [b]);
});

describe("FlushQueue: at the end of a turn of the event loop", () => {
  test("the frames of a socket are one write, in order, and none is written earlier", async () => {
    const flushes = new FlushQueue();
    const [one, other, idle] = boxes(flushes, 3);
    assert.ok(one && other && idle);
    const [a, b, c] = frames("a", "b", "c");
    assert.ok(a && b && c);
    one.outbox.push(a);
    other.outbox.push(c);
    one.outbox.push(b);
    await Promise.resolve();
    one.outbox.push(a);
    assert.deepEqual([one.socket.writes, other.socket.writes], [[], []]);
    await endOfTurn();
    assert.deepEqual(one.socket.writes, [Buffer.concat([a, b, a])]);
    assert.deepEqual(other.socket.writes, [c]);
    assert.deepEqual(idle.socket.writes, []);
    one.outbox.push(c);
    await endOfTurn();
    assert.deepEqual(one.socket.writes, [Buffer.concat([a, b, a]), c]);
    assert.equal(other.socket.writes.length, 1);
  });

  test("the joined frames of one channel are one buffer for all its sockets, and not for others", async () => {
    const flushes = new FlushQueue();
    const all = boxes(flushes, 7);
    const [a, b, c] = frames("a", "b", "c");
    assert.ok(a && b && c);
    const gets = [[a, b], [a, b], [b, a], [a, b, c], [a, b], [a, c], [a]];
    for (const [index, each] of gets.entries()) for (const frame of each) all[index]?.outbox.push(frame);
    await endOfTurn();
    for (const [index, each] of gets.entries())
      assert.deepEqual(all[index]?.socket.writes, [Buffer.concat(each)], `${index}`);
    assert.equal(all[0]?.socket.writes[0], all[1]?.socket.writes[0]);
  });

  test("distinct frames with equal bytes are not joined as one", async () => {
    const flushes = new FlushQueue();
    const [one, other] = boxes(flushes, 2);
    assert.ok(one && other);
    for (const { outbox } of [one, other]) for (const frame of frames("a", "b")) outbox.push(frame);
    await endOfTurn();
    assert.deepEqual(one.socket.writes, other.socket.writes);
    assert.notEqual(one.socket.writes[0], other.socket.writes[0]);
  });

  test("a frame that was flushed earlier is not written again", async () => {
    const flushes = new FlushQueue();
    const [one] = boxes(flushes, 1);
    assert.ok(one);
    const [a, b] = frames("a", "b");
    assert.ok(a && b);
    one.outbox.push(a);
    one.outbox.flush();
    one.outbox.flush();
    one.outbox.push(b);
    assert.deepEqual(one.socket.writes, [a]);
    await endOfTurn();
    assert.deepEqual(one.socket.writes, [a, b]);
  });

  test("a destroyed socket does not affect others", async () => {
    const flushes = new FlushQueue();
    const [gone, ended, here] = boxes(flushes, 3);
    assert.ok(gone && ended && here);
    gone.socket.destroy();
    ended.socket.end();
    const [a] = frames("a");
    assert.ok(a);
    for (const { outbox } of [gone, ended, here]) outbox.push(a);
    await endOfTurn();
    assert.deepEqual([gone.socket.writes, ended.socket.writes, here.socket.writes], [[], [], [a]]);
  });

  test("1 MiB may be buffered for a reader, and no more", async () => {
    const flushes = new FlushQueue();
    const [one, other] = boxes(flushes, 2);
    assert.ok(one && other);
    for (const { socket } of [one, other]) socket.isRead = false;
    one.outbox.push(Buffer.alloc(KIB * KIB));
    other.outbox.push(Buffer.alloc(KIB * KIB + 1));
    await endOfTurn();
    assert.deepEqual([one.socket.destroyed, other.socket.destroyed], [false, true]);
    one.outbox.push(Buffer.alloc(1));
    await endOfTurn();
    assert.equal(one.socket.destroyed, true);
  });
});

test("a client that does not read is dropped; one that reads gets everything", async (t) => {
  const server = net.createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const pair = async () => {
    const client = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
    const [socket] = (await once(server, "connection")) as [net.Socket];
    for (const each of [client, socket]) each.on("error", () => {});
    t.after(() => {
      client.destroy();
      socket.destroy();
    });
    return { client, socket };
  };
  const [deaf, reader] = [await pair(), await pair()];
  let read = 0;
  reader.client.on("data", (chunk: Buffer) => {
    read += chunk.length;
  });
  const flushes = new FlushQueue();
  const isOpen = () => true;
  const [toDeaf, toReader] = [
    new Outbox(deaf.socket, flushes, isOpen),
    new Outbox(reader.socket, flushes, isOpen),
  ];
  const frame = textFrame("a".repeat(64 * KIB));
  let sent = 0;
  for (let turns = 0; turns < 4_096 && !deaf.socket.destroyed; turns++) {
    toDeaf.push(frame);
    toReader.push(frame);
    sent += frame.length;
    await endOfTurn();
    while (read < sent) await once(reader.client, "data");
  }
  assert.equal(deaf.socket.destroyed, true, `${sent} bytes wait for who does not read`);
  assert.ok(sent > KIB * KIB);
  assert.equal(reader.socket.destroyed, false);
  assert.equal(read, sent);
});
