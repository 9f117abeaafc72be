import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { NodeLease } from "../../src/instance/lease.ts";
import { startMail } from "../../src/mail/sender.ts";
import { startDev } from "../support/engines.ts";
import { fileScope } from "../support/service.ts";
import { startSmtp } from "./smtp-server.ts";

const MINUTE_MS = 60_000;

describe("mail and a server that does not take it", async () => {
  const scope = fileScope();
  const smtp = await startSmtp(scope);
  const { target, env } = await startDev(scope, {
    SERVICE_SMTP_URL: smtp.url,
    SERVICE_MAIL_FROM: "Easel <easel@acme.test>",
    SERVICE_LOG_LEVEL: "silent",
  });
  let ahead = 0;
  let looks = 0;
  const clock = () => {
    looks++;
    return env.clock() + ahead;
  };
  const mailing = () => startMail({ ...env, clock }, 5);

  /** Puts mails to these people into the outbox, which `by` has caused, and forgets all others. */
  async function fill(...recipients: [recipient: string, by: string | null][]): Promise<void> {
    await env.db.run`delete from outbox`;
    smtp.received.length = 0;
    ahead = 0;
    for (const [index, [recipient, by]] of recipients.entries())
      await env.db.run`
        insert into outbox (id, kind, recipient, recipient_name, subject, body, caused_by, created_at, due_at)
        values (${`m${index}`}, 'shared', ${recipient}, '', 'S', 'B', ${by}, ${env.clock() - 1_000}, ${env.clock() - 1_000 + index})`;
  }
  const rows = () => env.db.all<{
    recipient: string;
    tries: number;
    due_at: number | null;
    error: string | null;
  }>`
    select recipient, tries, due_at, error from outbox order by id`;
  const tries = async () => (await rows()).map((row) => row.tries);

  test("people take turns: one mail of each, not all of the first", async () => {
    await fill(
      ["1@acme.test", "a"],
      ["2@acme.test", "a"],
      ["3@acme.test", "a"],
      ["4@acme.test", "b"],
      ["5@acme.test", null],
    );
    const stop = mailing();
    await until("all are sent", () => smtp.received.length === 5);
    await stop();
    const order = smtp.received.map(({ to }) => to[0]?.slice(0, 1)).join("");
    assert.equal(order, "14523");
  });

  test("a server that fails as a whole is not asked for each mail, and again after a minute, first for the next person", async () => {
    await fill(["1@acme.test", "a"], ["2@acme.test", "a"], ["3@acme.test", "b"]);
    smtp.senders.push("550 not for you", "550 not for you");
    const before = smtp.connections;
    const stop = mailing();
    await until("it is asked", async () => (await tries())[0] === 1);
    ahead = MINUTE_MS - 1_000;
    looks = 0;
    await until("some looks have passed", () => looks > 10);
    assert.equal(smtp.connections, before + 1);
    assert.deepEqual(await tries(), [1, 0, 0]);
    ahead = MINUTE_MS + 1_000;
    await until("it is asked again", async () => (await tries())[2] === 1);
    assert.deepEqual(await tries(), [1, 0, 1]);
    assert.ok(
      (await rows()).every(({ due_at }) => due_at !== null),
      "a refused sender is no refused mail",
    );
    ahead = 5 * MINUTE_MS;
    await until("all are sent", () => smtp.received.length === 3);
    await stop();
  });

  test("a server that hangs does not hold up the stop, and the mail stays", async () => {
    await fill(["1@acme.test", "a"]);
    smtp.hangs = true;
    const before = smtp.connections;
    const stop = mailing();
    await until("it is asked", () => smtp.connections > before);
    let isStopped = false;
    void stop().then(() => {
      isStopped = true;
    });
    await until("it has stopped", () => isStopped);
    smtp.hangs = false;
    assert.deepEqual(await tries(), [0]);
    assert.ok((await rows())[0]?.due_at !== null);
  });

  test("nothing is sent to, or for, a person who has been deactivated meanwhile", async () => {
    const { people } = await stage(target);
    const me = String((await manage(target, people.owner, "GET", "/api/me")).json.id);
    await fill([people.viewer.email, "a"], ["2@acme.test", me], ["3@acme.test", "b"]);
    await env.db.run`update users set deactivated_at = 1 where email = ${people.viewer.email} or id = ${me}`;
    const stop = mailing();
    await until("it is sent", async () => (await rows()).every(({ due_at }) => due_at === null));
    await stop();
    assert.deepEqual(
      smtp.received.flatMap(({ to }) => to),
      ["3@acme.test"],
    );
    assert.deepEqual(
      (await rows()).map(({ error }) => error),
      ["deactivated", "deactivated", null],
    );
  });

  test("an address that SMTP cannot carry is given up at once; nothing in one becomes a command", async () => {
    await fill(
      ["a\r\nRCPT TO:<eve@evil.test>@acme.test", "a"],
      ["o'b(x)\\y\"z:!#%@acme.test", "b"],
      ["ok@acme.test", "c"],
    );
    const stop = mailing();
    await until("all are done", async () => (await rows()).every(({ due_at }) => due_at === null));
    await stop();
    const to = smtp.received.flatMap((mail) => mail.to);
    assert.ok(to.includes("ok@acme.test"));
    assert.ok(!to.includes("eve@evil.test"), String(to));
  });

  test("of two nodes one sends at a time, and each mail goes out once", async () => {
    const count = 30;
    await fill(...Array.from({ length: count }, (_, n): [string, string] => [`${n}@acme.test`, `p${n % 7}`]));
    const lease = new NodeLease(env);
    await lease.start();
    const stops = [startMail(env, 5), startMail({ ...env, lease }, 5)];
    await until("all are sent", async () => (await rows()).every(({ due_at }) => due_at === null));
    await Promise.all(stops.map((stop) => stop()));
    await lease.stop();
    const to = smtp.received.flatMap((mail) => mail.to);
    assert.deepEqual([to.length, new Set(to).size], [count, count]);
  });
});
