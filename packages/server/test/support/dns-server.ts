import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP, isIPv4 } from "node:net";

/**
 * Maps names to the answers of a DNS server, one answer for each lookup; the last one also serves all later lookups. An answer is a list of
 * addresses or other names (CNAME). Null: the server does not answer. Names that are not listed do not exist.
 */
export type Zone = Record<string, (string[] | null)[]>;

const TYPES = { A: 1, CNAME: 5, AAAA: 28 };
const NAME_ERROR = 3;

/** Encodes an IPv4 or IPv6 address. */
function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [before, after] = [head, tail].map((text) => text.split(":").filter((group) => group !== "")) as [
    string[],
    string[],
  ];
  const zeros = new Array(8 - before.length - after.length).fill("0");
  const groups = [...before, ...zeros, ...after].map((group) => group.padStart(4, "0"));
  return Buffer.from(groups.join(""), "hex");
}

const encodeName = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** Reads the name and the type of the only question of a query, and returns the position after it. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Encodes a record with a time to live of 0 s. */
function recordOf(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

/** A DNS server on UDP that answers from a zone, which may change. */
export class DnsServer {
  zone: Zone = {};
  readonly #socket = createSocket("udp4");
  readonly #asked = new Map<string, number>();

  /** Returns how many times the addresses of a name have been looked up. */
  lookups(name: string): number {
    return this.#asked.get(`${name} ${TYPES.A}`) ?? 0;
  }

  async listen(port: number, address: string): Promise<void> {
    this.#socket.on("message", (query, { port: from, address: sender }) => {
      const response = this.#respond(query);
      if (response !== null) this.#socket.send(response, from, sender);
    });
    this.#socket.bind(port, address);
    await once(this.#socket, "listening");
  }

  #respond(query: Buffer): Buffer | null {
    const { name, type, end } = questionOf(query);
    const key = `${name} ${type}`;
    const turn = this.#asked.get(key) ?? 0;
    this.#asked.set(key, turn + 1);
    const answers = this.zone[name];
    const answer = answers === undefined ? [] : (answers[Math.min(turn, answers.length - 1)] ?? null);
    if (answer === null) return null;
    const records = this.#records(name, answer, type);
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180 | (answers === undefined ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(12, end), ...records]);
  }

  #records(name: string, answer: string[], type: number): Buffer[] {
    return answer.flatMap((each) => {
      if (isIP(each) === 0) {
        const next = this.zone[each]?.[0] ?? [];
        return [recordOf(name, TYPES.CNAME, encodeName(each)), ...this.#records(each, next, type)];
      }
      const own = isIPv4(each) ? TYPES.A : TYPES.AAAA;
      return own === type ? [recordOf(name, type, bytesOf(each))] : [];
    });
  }
}
