import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import { tokenOf } from "@easel/conformance/token";
import { createEasel } from "../../../sdk/src/index.ts";
import { startSite } from "../support/site.ts";

for (const mode of ["path", "subdomain"] as const)
  test(`a program uses the SDK with a token, by ${mode}`, async (t) => {
    const { target } = await startSite(t, mode);
    const canvas = await stage(target);
    await govern(target, canvas, { collections: { ideas: { preset: "contributions" } } });
    const { token } = await tokenOf(target, canvas.people.editor);
    // The runtime API has this address in both URL modes. A program may use it although the pages are elsewhere.
    const url = `${target.base}/c/${canvas.slug}/`;
    const { me, kv, files, realtime } = createEasel({ url, token });

    const { canvasRole } = await me();
    await kv.set("menu", { tea: 3 });
    const uploaded = await files.upload("Tea", { name: "tea.txt", onProgress() {} });
    assert.deepEqual([canvasRole, await kv.get("menu"), uploaded.size], ["editor", { tea: 3 }, 3]);

    const ideas = kv.collection("ideas");
    const change = await new Promise((resolve, reject) => {
      const stop = ideas.watch(({ op }) => {
        if (op === "resync") return void ideas.create("Tea at four").catch(reject);
        stop();
        resolve(op);
      }, reject);
    });
    assert.equal(change, "set");
    const pens = realtime.channel("pens");
    assert.equal((await pens.presence()).length, 0);
    pens.close();

    const strange = createEasel({ url, token: "easel_pat_none" });
    await assert.rejects(strange.me(), { name: "NotAuthenticatedError", status: 401 });
  });
