import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { Sealer } from "../../src/crypto/secrets.ts";
import { freshProfile } from "../organisation/connection-stores.ts";
import { onEngines } from "../support/engines.ts";

const ORIGIN = "https://api.test";

await onEngines(
  "the Connections of a canvas",
  (target, env) => {
    const get = (site: Stage, who: Person) =>
      manage(target, who, "GET", `/api/canvases/${site.id}/connections`);

    it("an editor sees what is granted, whether it works and whether the policy names it, and no header", async () => {
      const admin = await target.signIn(target.admin);
      const [site, other] = [await stage(target), await stage(target)];
      const act = (method: string, path: string, body: object) =>
        manage(target, admin, method, `/api/admin/connections${path}`, body);
      const [open, off, foreign] = [freshProfile(), freshProfile(), freshProfile()].sort() as [
        string,
        string,
        string,
      ];
      await act("PUT", `/${open}`, {
        origin: ORIGIN,
        methods: ["GET", "POST"],
        headers: { "x-key": "secret" },
      });
      await act("PUT", `/${off}`, { origin: "https://other.test", methods: ["GET"], enabled: false });
      await act("PUT", `/${foreign}`, { origin: ORIGIN, methods: ["GET"] });
      await act("PUT", `/${open}/grants/${site.id}`, { public: true });
      await act("PUT", `/${off}/grants/${site.id}`, {});
      await act("PUT", `/${foreign}/grants/${other.id}`, {});
      const { owner, editor, viewer, stranger } = site.people;
      const policy = { connections: { [off]: { audience: "viewers" }, [foreign]: { audience: "none" } } };
      const saved = await manage(target, owner, "PATCH", `/api/canvases/${site.id}/capabilities`, {
        expectedRuntimePolicy: null,
        runtimePolicy: policy,
      });
      assert.equal(saved.status, 200, saved.text);
      const first = {
        profile: open,
        origin: ORIGIN,
        methods: ["GET", "POST"],
        public: true,
        inPolicy: false,
      };
      const second = {
        profile: off,
        origin: "https://other.test",
        methods: ["GET"],
        enabled: false,
        public: false,
        inPolicy: true,
      };
      for (const who of [owner, editor])
        assert.deepEqual((await get(site, who)).json, { connections: [{ ...first, enabled: true }, second] });
      refused(await get(site, viewer), 403, "PERMISSION_DENIED");
      refused(await get(site, stranger), 404, "NOT_FOUND");
      const { sealer } = env;
      env.sealer = new Sealer([]);
      try {
        assert.deepEqual((await get(site, editor)).json, {
          connections: [{ ...first, enabled: false }, second],
        });
      } finally {
        env.sealer = sealer;
      }
    });
  },
  { SERVICE_ENCRYPTION_KEY: randomBytes(32).toString("base64") },
);
