import { connect } from "node:net";
import type { Dialect } from "./crowd.ts";
import { CLOSE, maskedFrame, type OnFrame, PING, PONG, readFrames, TEXT, textFrame } from "./frames.ts";

/** A WebSocket that is subscribed to a room. */
export interface Member {
  /** The character code that identifies this socket as the publisher of its messages; 0 if the socket does not publish. */
  by: number;
  /** The text that this socket publishes; empty if it does not publish. */
  text: string;
  write(bytes: Buffer): void;
}

/** The address of a socket, the cookie of its person, and what it publishes. */
export interface MemberOptions {
  port: number;
  path: string;
  cookie: string;
  by: number;
  text: string;
}

/** Called for each message. `bytes` contains the payload of the message, which begins at the index `start`. */
export type OnMessage = (member: Member, bytes: Buffer, start: number) => void;

/** Read buffer shared by all sockets. */
const scratch = Buffer.alloc(64 * 1024);

/**
 * Opens a socket and sends the frames in `dialect.opening`. Resolves when the server has confirmed all of them. Parses frames only as far
 * as necessary, so that this process needs much less CPU time than any server.
 */
export function openMember(options: MemberOptions, dialect: Dialect, onMessage: OnMessage): Promise<Member> {
  const { by, text } = options;
  const kindAt = dialect.message.at;
  const kind = dialect.message.is.charCodeAt(0);

  return new Promise((resolve) => {
    let upgraded = false;
    let begun: Buffer | undefined;
    let step = -1;

    const socket = connect({
      host: "127.0.0.1",
      port: options.port,
      noDelay: true,
      onread: { buffer: scratch, callback: read },
    });
    socket.on("connect", () => socket.write(handshake(options)));
    socket.on("error", (error) => fail(error.message));
    socket.on("end", () => fail("The server closed a socket."));
    const member: Member = { by, text, write: (bytes) => socket.write(bytes) };

    function read(size: number): boolean {
      const bytes = begun ? Buffer.concat([begun, scratch.subarray(0, size)]) : scratch;
      const length = begun ? bytes.length : size;
      const read = upgraded ? readFrames(bytes, length, onFrame) : readHead(bytes.subarray(0, length));
      begun = read < length ? Buffer.from(bytes.subarray(read, length)) : undefined;
      return true;
    }

    function readHead(bytes: Buffer): number {
      const end = bytes.indexOf("\r\n\r\n") + 4;
      if (end < 4) return 0;
      const head = bytes.toString("latin1", 0, end);
      if (!head.startsWith("HTTP/1.1 101 ")) fail(`The handshake was refused: ${head}`);
      upgraded = true;
      nextStep();
      return end + readFrames(bytes.subarray(end), bytes.length - end, onFrame);
    }

    function nextStep(): void {
      const next = dialect.opening[++step];
      if (next === undefined) resolve(member);
      else if (next.send !== "") socket.write(textFrame(next.send));
    }

    function onFrame(...[bytes, opcode, start, end]: Parameters<OnFrame>): void {
      if (opcode === TEXT && end - start > kindAt && bytes[start + kindAt] === kind)
        onMessage(member, bytes, start);
      else if (opcode === TEXT) onText(bytes.toString("utf8", start, end));
      else if (opcode === PING) socket.write(maskedFrame(PONG, bytes.subarray(start, end)));
      else if (opcode === CLOSE) fail(`A socket was closed with ${bytes.readUInt16BE(start)}.`);
      else fail(`Unexpected frame of kind ${opcode}.`);
    }

    function onText(text: string): void {
      if (text === dialect.beat?.ask) socket.write(textFrame(dialect.beat.answer));
      else if (text.includes('"error"')) fail(text);
      else if (text.startsWith(dialect.opening[step]?.answer ?? "\0")) nextStep();
    }
  });
}

/**
 * Prints a message to the standard error output and exits the process with code 1. Benchmarks call it when their results would be invalid.
 */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function handshake({ port, path, cookie }: MemberOptions): string {
  const headers = {
    host: `localhost:${port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-fetch-site": "same-origin",
    origin: `http://localhost:${port}`,
    cookie,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
