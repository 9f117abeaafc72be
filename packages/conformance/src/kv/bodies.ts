import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { type Flood, flood, hangUp } from "../flood.ts";
import { JSON_TYPE, pageHeaders, runtimePath } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { freshKey, SCOPES } from "./scope.ts";

const MiB = 1024 * 1024;

const FLOODS: [name: string, flood: Flood][] = [
  ["announces 10 MiB and sends nothing", { announced: 10 * MiB, sent: 0 }],
  ["announces 10 MiB and sends half", { announced: 10 * MiB, sent: 5 * MiB }],
  ["announces 1 TiB", { announced: 2 ** 40, sent: MiB }],
  ["sends 10 MiB in chunks and does not stop there", { announced: null, sent: 10 * MiB }],
];

/** Tests bodies that are far larger than the limit. The service responds before they end. */
export function bodies(target: Target): void {
  for (const { scope, root } of SCOPES) {
    describe(`bodies to the ${scope} scope`, () => {
      let canvas: Stage;
      before(async () => {
        canvas = await stage(target);
      });
      const put = (path: string) => ({
        method: "PUT",
        path: runtimePath(target, canvas.slug) + path,
        headers: [...canvas.people.owner.headers, ...pageHeaders(target, canvas.slug), JSON_TYPE],
      });

      for (const [name, body] of FLOODS) {
        it(`PUT that ${name}: 413 VALUE_TOO_LARGE at once, the stored value unchanged`, async () => {
          const path = `${root}/${freshKey()}`;
          await canvas.pages.owner.put(path, "before");
          refused(await flood(target.base, put(path), body), 413, "VALUE_TOO_LARGE");
          answered(await canvas.pages.owner.get(path), { value: "before" });
        });
      }

      it("a long key is refused before the body is sent: 413 KEY_TOO_LARGE", async () => {
        const request = put(`${root}/${"k".repeat(513)}`);
        refused(await flood(target.base, request, { announced: 1_000, sent: 0 }), 413, "KEY_TOO_LARGE");
      });

      it("a body that ends early stores nothing", async () => {
        const path = `${root}/${freshKey()}`;
        await canvas.pages.owner.put(path, "before");
        await hangUp(target.base, put(path));
        answered(await canvas.pages.owner.get(path), { value: "before" });
      });

      it("a chunked body is accepted", async () => {
        const path = `${root}/${freshKey()}`;
        const answer = await canvas.pages.owner.send(
          "PUT",
          path,
          [JSON_TYPE, ["Transfer-Encoding", "chunked"]],
          "[1,2]",
        );
        answered(answer, { ok: true });
        answered(await canvas.pages.owner.get(path), { value: [1, 2] });
      });
    });
  }
}
