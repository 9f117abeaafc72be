import assert from "node:assert/strict";
import { before, test } from "node:test";
import { isMailDue, nextTurns } from "../../src/mail/mail-turns.ts";
import { onDatabases } from "../drivers/databases.ts";
import { planning } from "../support/plans.ts";

/* Reads the turns of people who wait with 2,000 mails in all, most of them of one person. */

await onDatabases("turns of the people who cause mails", (db) => {
  const plans = planning(db);
  const env = { db: plans.db, clock: () => 1_000 };

  before(async () => {
    const mail = (n: string, by: string, due: string) =>
      plans.run(`${plans.numbers(Number(n))} insert into outbox (id, kind, recipient, recipient_name, subject, body, caused_by, created_at, due_at)
        select ${by === "null" ? "'s'" : by} || '-' || (100000 + n), 'shared', 'a' || n || '@acme.test', '', '', '', ${by}, 0, ${due} from numbers`);
    await mail("1900", "'flooder'", "n");
    await mail("30", "'person' || (100 + n)", "100 + n");
    await mail("2", "null", "500");
    await mail("20", "'waiting'", "2000");
    await mail("20", "'sent'", "null");
    await plans.analyze("outbox");
  });

  test("each person who has a mail that is due has one turn in a round, with the one that has waited longest", async () => {
    const rounds: [string, string][] = [];
    for (let after = ""; ; ) {
      const { turns, last } = await nextTurns(after, env);
      for (const { person, mail } of turns) if (mail !== null) rounds.push([person, mail]);
      after = last;
      if (after === "") break;
    }
    const people = Array.from({ length: 30 }, (_, n) => [
      `person${100 + n}`,
      `person${100 + n}-${100_000 + n}`,
    ]);
    const expected = [["flooder", "flooder-100000"], ...people, ["service", "s-100000"]];
    assert.deepEqual(rounds.toSorted(), expected.toSorted());
    assert.equal(await isMailDue({ db, clock: () => -1 }), false);
    assert.equal(await isMailDue(env), true);
  });

  test("a round reads along the index, and not the mails that wait", async () => {
    plans.seen.length = 0;
    await nextTurns("", env);
    const [statement] = plans.seen;
    assert.ok(statement !== undefined && plans.seen.length === 1);
    const plan = await plans.planOf(statement);
    assert.match(plan, /outbox_turns/, plan);
    assert.doesNotMatch(plan, /SCAN (outbox|first)\b(?! USING)|Seq Scan on outbox/, plan);
    for (const [, rows] of plan.matchAll(/ on outbox.*actual time=\S+ rows=(\d+)/g))
      assert.ok(Number(rows) <= 20, plan);
  });
});
