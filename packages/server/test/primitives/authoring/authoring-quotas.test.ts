import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { uploadsOf } from "../../../src/canvases/publishing/upload.ts";
import { onEngines } from "../../support/engines.ts";
import { DAY_MS } from "../../support/time.ts";
import { BROKEN, listed, publish, share } from "./share-form.ts";

const DAILY = 5;
const TOTAL = 8;

await onEngines(
  "quotas of authoring",
  (target, env) => {
    let site: Stage;
    const { clock } = env;
    /** The first millisecond of tomorrow in UTC. */
    const midnight = Math.floor(clock() / DAY_MS) * DAY_MS + DAY_MS;
    before(async () => {
      site = await stage(target, { switches: { authoring: true }, access: "whole_org" });
      env.clock = () => midnight - 1;
    });
    after(() => {
      env.clock = clock;
    });

    const over = (answer: Answer, scope: string, limit: number) => {
      refused(answer, 429, "QUOTA_EXCEEDED");
      assert.deepEqual([answer.json.scope, answer.json.limit], [scope, limit]);
    };
    const count = async (days: string) =>
      Number(
        (
          await env.db.get<{ n: number }>`
          select coalesce(sum(canvases), 0) as n from authored_days join users on users.id = user_id
          where users.email = ${site.people.viewer.email} and (day = ${Math.floor(env.clock() / DAY_MS)} or ${days} = 'all')`
        )?.n,
      );

    it("a refusal counts nothing, a failed deploy counts", async () => {
      const { viewer, owner } = site.pages;
      const { slug } = (await manage(target, site.people.owner, "POST", "/api/canvases", { title: "Taken" }))
        .json;
      refused(await publish(viewer, { title: "" }), 400, "INVALID_BODY");
      refused(await publish(viewer, { slug: String(slug) }), 409, "SLUG_TAKEN");
      refused(await publish(viewer, { slug: "-" }), 400, "INVALID_BODY");
      assert.equal(await count("today"), 0);
      refused(await publish(viewer, {}, BROKEN), 502, "PUBLISH_FAILED");
      assert.equal(await count("today"), 1);
      share(await publish(owner, {}));
      assert.equal(await count("today"), 1);
    });

    it("of 20 concurrent requests with room for 3 in the quota, 3 publish", async () => {
      const { viewer } = site.pages;
      share(await publish(viewer, {}));
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => publish(viewer, { title: `At once ${n}` })),
      );
      const done = answers.filter(({ status }) => status === 200);
      assert.equal(done.length, 3);
      for (const answer of answers) if (answer.status !== 200) over(answer, "user_daily", DAILY);
      assert.equal(await count("today"), DAILY);
      assert.equal((await listed(viewer)).length, DAILY);
      assert.deepEqual(await readdir(uploadsOf(env)), []);
    });

    it("deleting a canvas does not free the daily quota, and the quota is checked before the slug", async () => {
      const { viewer } = site.pages;
      const [newest] = await listed(viewer);
      await manage(target, site.people.viewer, "DELETE", `/api/canvases/${newest?.id}`);
      over(await publish(viewer, {}), "user_daily", DAILY);
      over(await publish(viewer, { slug: "-" }), "user_daily", DAILY);
      refused(await publish(viewer, { expiresAt: midnight - 1 }), 400, "INVALID_BODY");
    });

    it("the daily quota starts anew the next day (UTC), within the total quota", async () => {
      const { viewer } = site.pages;
      env.clock = () => midnight;
      assert.equal(await count("today"), 0);
      const answers = await Promise.all(Array.from({ length: 10 }, () => publish(viewer, {})));
      assert.equal(answers.filter(({ status }) => status === 200).length, TOTAL - DAILY);
      for (const answer of answers) if (answer.status !== 200) over(answer, "user_total", TOTAL);
      assert.equal(await count("all"), TOTAL);
      over(await publish(viewer, { slug: "-" }), "user_total", TOTAL);
      share(await publish(site.pages.owner, {}));
    });

    it("the quotas of a person's canvases apply as well", async () => {
      const { config } = env;
      env.config = { ...config, quotaCanvases: 1 };
      const full = await publish(site.pages.owner, {});
      refused(full, 409, "QUOTA_EXCEEDED");
      assert.deepEqual([full.json.quota, full.json.scope], ["canvases.person", undefined]);
      env.config = { ...config, quotaBundleBytes: 1 };
      const large = await publish(site.pages.owner, { title: "Too large" });
      refused(large, 502, "PUBLISH_FAILED");
      assert.match(String(large.json.message), /files of the owner's canvases/);
      assert.deepEqual((await listed(site.pages.owner))[0]?.publicationStatus, "draft");
      env.config = config;
    });

    it("0 allows nobody to publish", async () => {
      const { config } = env;
      env.config = { ...config, authoringDailyMax: 0 };
      over(await publish(site.pages.editor, {}), "user_daily", 0);
      env.config = { ...config, authoringTotalMax: 0 };
      over(await publish(site.pages.editor, {}), "user_total", 0);
      env.config = config;
    });
  },
  {
    SERVICE_AUTHORING: "on",
    SERVICE_AUTHORING_USER_DAILY_MAX: String(DAILY),
    SERVICE_AUTHORING_USER_TOTAL_MAX: String(TOTAL),
  },
);
