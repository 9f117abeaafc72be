import assert from "node:assert/strict";
import { after, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { open } from "@easel/conformance/page";
import { line } from "@easel/conformance/realtime/line";
import { room } from "@easel/conformance/realtime/room";
import { same } from "@easel/conformance/same";
import { onSqlite } from "../../support/engines.ts";
import { BROKEN, update } from "./share-form.ts";

await onSqlite(
  "a change of access by authoring",
  (target) => {
    const pageOf = async (here: Stage) => {
      const site = await stage(target, { switches: { authoring: true }, access: "whole_org" });
      return open(target, site.slug, here.people.owner);
    };

    for (const [what, bundle, status] of [
      ["settings alone", undefined, 200],
      ["settings whose deploy fails", BROKEN, 502],
    ] as const) {
      it(`${what}: closes the connections of those who may no longer enter`, async () => {
        const here = await room(target);
        const page = await pageOf(here);
        const viewer = await line(target, after)(here, here.people.viewer);
        const answer = await update(page, here.id, { password: "secret" }, bundle);
        assert.equal(answer.status, status, answer.text);
        same(await viewer.end(), { code: 4401, frames: [] });
      });
    }
  },
  { SERVICE_AUTHORING: "on" },
);
