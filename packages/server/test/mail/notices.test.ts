import assert from "node:assert/strict";
import { test } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { sql } from "../../src/drivers/db/db.ts";
import { giveNotice } from "../../src/organisation/notices.ts";
import { onEngines } from "../support/engines.ts";

const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

await onEngines(
  "mails about quotas",
  (target, env) => {
    const look = (ahead = 0) =>
      giveNotice({ ...env, clock: () => env.clock() + ahead }, new AbortController().signal);
    const mails = () =>
      env.db.all<{ id: string; recipient: string; subject: string; body: string }>`
        select id, recipient, subject, body from outbox where kind = 'quota' order by id`;

    test("the owner is told above 90 % of what they or one canvas may store, once in two weeks, and not below", async () => {
      const { id, people } = await stage(target);
      await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, { title: "Tea" });
      const me = String((await manage(target, people.owner, "GET", "/api/me")).json.id);
      const store = (files: number, bundles: number) =>
        env.db.batch([
          sql`insert into file_bytes (canvas_id, bytes) values (${id}, ${files}) on conflict (canvas_id) do update set bytes = excluded.bytes`,
          sql`insert into bundle_bytes (canvas_id, bytes) values (${id}, ${bundles}) on conflict (canvas_id) do update set bytes = excluded.bytes`,
        ]);
      await env.db.run`insert into quotas (name, value) values ('files.bytes.canvas', ${100 * MIB})`;
      await env.db
        .run`insert into user_quotas (user_id, name, value) values (${me}, 'bundles.bytes.person', ${10 * MIB})`;
      await store(90 * MIB, 9 * MIB);
      await look();
      assert.deepEqual(await mails(), []);
      await store(91 * MIB, 9.5 * MIB);
      await look();
      await look(DAY_MS);
      const sent = await mails();
      assert.deepEqual(
        sent.map(({ id: mail, recipient, subject }) => [mail, recipient, subject]),
        [
          [
            `quota-bundles.bytes.person-${me}`,
            people.owner.email,
            "The files of your canvases use 95 % of their limit",
          ],
          [`quota-files.bytes.canvas-${id}`, people.owner.email, "Uploads of “Tea” use 91 % of their limit"],
        ],
      );
      assert.match(sent[0]?.body ?? "", /take 9\.5 of 10 MiB\. .*\/account/s);
      assert.match(sent[1]?.body ?? "", new RegExp(`takes 91 of 100 MiB\\. .*/canvases/${id}/data`, "s"));
    });

    test("who has turned them off, and who is deactivated, gets none; a limit of 0 is no endless part", async () => {
      const { id, people } = await stage(target);
      await env.db.run`delete from outbox`;
      await env.db.run`insert into file_bytes (canvas_id, bytes) values (${id}, ${95 * MIB})`;
      const told = async () =>
        (await mails()).filter(({ recipient }) => recipient === people.owner.email).length;
      await manage(target, people.owner, "PATCH", "/api/me/mails", { quota: false });
      await look();
      assert.equal(await told(), 0);
      await manage(target, people.owner, "PATCH", "/api/me/mails", { quota: true });
      await env.db.run`update users set deactivated_at = 1 where email = ${people.owner.email}`;
      await look();
      assert.equal(await told(), 0);
      await env.db.run`update users set deactivated_at = null where email = ${people.owner.email}`;
      await env.db.run`update quotas set value = 0 where name = 'files.bytes.canvas'`;
      await look();
      assert.equal(await told(), 1);
      assert.match((await mails()).find(({ id: mail }) => mail.endsWith(id))?.subject ?? "", /use 100 %/);
    });
  },
  {
    SERVICE_SMTP_URL: "smtp://127.0.0.1:9",
    SERVICE_MAIL_FROM: "easel@acme.test",
    SERVICE_LOG_LEVEL: "silent",
  },
);
