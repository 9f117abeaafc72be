import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import readline from "node:readline";
import { atEnd, type Scope } from "../support/service.ts";

/** A mail as the server has got it: the addresses of the envelope, and the lines of the message. */
export interface Received {
  from: string;
  to: string[];
  text: string;
}

/**
 * A small SMTP server for tests. `answers` are what it says to the next recipients instead of taking them, `senders` to the next senders.
 * `connections` is how often it was connected to. While it `hangs`, it never comes to
 * the end of its answer to a recipient, which no timeout of a silent connection notices.
 */
export interface SmtpServer {
  url: string;
  received: Received[];
  answers: string[];
  senders: string[];
  connections: number;
  hangs: boolean;
}

/** Starts an SMTP server on loopback, without TLS. */
export async function startSmtp(scope: Scope): Promise<SmtpServer> {
  const received: Received[] = [];
  const state = { received, answers: [] as string[], senders: [] as string[], connections: 0, hangs: false };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    state.connections++;
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    const say = (line: string) => socket.write(`${line}\r\n`);
    let mail: Received = { from: "", to: [], text: "" };
    let isData = false;
    say("220 mail.test ESMTP");
    readline.createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      if (isData) {
        if (line !== ".") {
          mail.text += `${line.replace(/^\.\./, ".")}\n`;
          return;
        }
        isData = false;
        received.push(mail);
        mail = { from: "", to: [], text: "" };
        return say("250 queued");
      }
      const [, address = ""] = /<([^<>]*)>/.exec(line) ?? [];
      if (/^EHLO/i.test(line)) return say("250 mail.test");
      if (/^MAIL/i.test(line)) {
        mail = { from: address, to: [], text: "" };
        return say(state.senders.shift() ?? "250 ok");
      }
      if (/^RCPT/i.test(line) && state.hangs) {
        const trickle = setInterval(say, 50, "250-wait");
        socket.on("close", () => clearInterval(trickle));
        return;
      }
      if (/^RCPT/i.test(line)) {
        const answer = state.answers.shift();
        if (answer === undefined) mail.to.push(address);
        return say(answer ?? "250 ok");
      }
      if (/^DATA/i.test(line)) {
        isData = true;
        return say("354 go on");
      }
      say(/^QUIT/i.test(line) ? "221 bye" : "250 ok");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { url });
}
