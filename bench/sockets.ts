import { createInterface } from "node:readline";
import { cpuTime } from "./cpu.ts";
import type { Crowd, Flow, FlowResult, Pulse, PulseResult } from "./crowd.ts";
import { textFrame } from "./frames.ts";
import { fail, type Member, type OnMessage, openMember } from "./member.ts";

/** The number of sockets that are opened in parallel. */
const AT_ONCE = 64;
/** The timeout for the last messages of a round, in ms. */
const DRAIN_MS = 5000;
/** The text in a message directly before the character that identifies its publisher. */
const BY = '"by":"';
/** The text in a message directly before its number, which has `DIGITS` digits. */
const NUMBER = '"n":"';
const DIGITS = 8;

/** All sockets of this process, and the handler that is called for their messages. */
class SocketPool {
  readonly crowd: Crowd;
  readonly members: Member[] = [];
  onMessage: OnMessage = () => {};

  constructor(crowd: Crowd) {
    this.crowd = crowd;
  }

  /** Opens every socket, room by room. */
  async open(): Promise<void> {
    const { rooms, perRoom, people, port, dialect } = this.crowd;
    let next = 0;
    const openNext = async () => {
      for (let index = next++; index < rooms.length * perRoom; index = next++) {
        const seat = index % perRoom;
        const text = dialect.publish[seat] ?? "";
        const place = {
          port,
          path: rooms[Math.floor(index / perRoom)] ?? "",
          cookie: people[seat % people.length] ?? "",
          by: text === "" ? 0 : text.charCodeAt(text.indexOf(BY) + BY.length),
          text,
        };
        this.members[index] = await openMember(place, dialect, (...message) => this.onMessage(...message));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, openNext));
  }

  /** Returns the publishers of the first `rooms` rooms; by default of all rooms. */
  publishers(rooms = this.crowd.rooms.length): Member[] {
    return this.members.slice(0, rooms * this.crowd.perRoom).filter(({ by }) => by !== 0);
  }

  /** Runs a flow: every publisher sends its next message when one of its own messages comes back. */
  async flow({ window, warmUpMs, timedMs }: Flow): Promise<FlowResult> {
    const publishers = this.publishers();
    const frames = new Map(publishers.map((member) => [member, textFrame(member.text)]));
    let published = 0;
    let delivered = 0;
    let byAt = 0;
    let flowing = true;

    const publish = (member: Member) => {
      published++;
      member.write(frames.get(member) ?? fail("This socket does not publish."));
    };
    this.onMessage = (member, bytes, start) => {
      delivered++;
      if (member.by === 0) return;
      byAt ||= bytes.indexOf(BY, start) + BY.length - start;
      if (bytes[start + byAt] === member.by && flowing) publish(member);
    };

    for (const member of publishers) for (let count = 0; count < window; count++) publish(member);
    await untilTime(performance.now() + warmUpMs);
    const before = { time: performance.now(), cpu: cpuTime(this.crowd.pid), delivered };
    await untilTime(before.time + timedMs);
    const ms = performance.now() - before.time;
    const deliveries = delivered - before.delivered;
    const cpu = (cpuTime(this.crowd.pid) - before.cpu) / deliveries;
    if (deliveries === 0) fail("Nothing was delivered.");
    flowing = false;
    await drained(() => published * this.crowd.perRoom - delivered);
    return { deliveries, perSecond: (deliveries / ms) * 1000, cpu };
  }

  /**
   * Runs a pulse: the publishers of the first `rooms` rooms take turns, and together send `perSecond` messages a second. Returns the number
   * of deliveries, and the median and the 99th percentile of their times in milliseconds.
   */
  async pulse({ rooms, perSecond, timedMs }: Pulse): Promise<PulseResult> {
    const publishers = this.publishers(rooms);
    const sent: number[] = [];
    const times: number[] = [];
    let numberAt = 0;
    this.onMessage = (_, bytes, start) => {
      numberAt ||= bytes.indexOf(NUMBER, start) + NUMBER.length - start;
      const number = Number(bytes.toString("latin1", start + numberAt, start + numberAt + DIGITS));
      times.push(performance.now() - (sent[number] ?? Number.NaN));
    };

    const begin = performance.now();
    await until((now) => {
      const due = begin + (sent.length / perSecond) * 1000;
      const member = publishers[sent.length % publishers.length];
      if (now >= due && member) {
        const number = String(sent.length).padStart(DIGITS, "0");
        const frame = textFrame(member.text.replace(`${NUMBER}${"0".repeat(DIGITS)}`, NUMBER + number));
        sent.push(performance.now());
        member.write(frame);
      }
      return now >= begin + timedMs;
    });
    await drained(() => sent.length * this.crowd.perRoom - times.length);
    times.sort((a, b) => a - b);
    const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
    return { deliveries: times.length, p50: quantile(0.5), p99: quantile(0.99) };
  }
}

/**
 * Resolves when `done` returns true. Polls without a pause: if this process slept, each message would have to wake it up, and the system
 * would add the CPU time for that to the server's.
 */
function until(done: (now: number) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (done(performance.now())) resolve();
      else setImmediate(look);
    };
    look();
  });
}

const untilTime = (time: number): Promise<void> => until((now) => now >= time);

/**
 * Waits until `missing`, the number of deliveries that have not yet arrived, returns 0. Exits the process if a delivery is still missing
 * after `DRAIN_MS` or has come twice, because all results would be invalid.
 */
async function drained(missing: () => number): Promise<void> {
  const end = performance.now() + DRAIN_MS;
  await until((now) => missing() <= 0 || now > end);
  if (missing() !== 0) fail(`${missing()} deliveries are missing.`);
}

let pool: SocketPool | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const message: Crowd | Flow | Pulse = JSON.parse(line);
  let answer: object = {};
  if (!("kind" in message)) {
    pool = new SocketPool(message);
    await pool.open();
  } else if (pool) {
    answer = message.kind === "flow" ? await pool.flow(message) : await pool.pulse(message);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit();
