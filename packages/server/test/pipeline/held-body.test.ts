import assert from "node:assert/strict";
import { it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { manage, type Stage, share, stage, turn } from "@easel/conformance/fixture";
import { publish } from "@easel/conformance/lifecycle";
import { govern } from "@easel/conformance/policy";
import type { Person, Target } from "@easel/conformance/target";
import { onSqlite } from "../support/engines.ts";
import { zip } from "../support/zip.ts";
import { holdBody } from "./held-body.ts";

const JSON_BODY = "application/json";
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

type Who = "owner" | "editor" | "viewer";
type Loss = (target: Target, canvas: Stage) => Promise<void>;

const LOSSES = {
  removed: (target, canvas) => share(target, canvas, "private", {}),
  demoted: (target, canvas) => share(target, canvas, "private", { editor: "viewer", viewer: "viewer" }),
  disabled: disable,
  "switched off": (target, canvas) => turn(target, canvas, { kv: false }),
  "policy gone": (target, canvas) => govern(target, canvas, null),
  "signed out": async (target, { people }) => {
    const { sessions } = (await manage(target, people.editor, "GET", "/api/sessions")).json;
    for (const { id } of sessions as { id: string }[])
      await manage(target, people.editor, "DELETE", `/api/sessions/${id}`);
  },
} satisfies Record<string, Loss>;

/** A request, the right that its sender loses while the body is delayed, and the status of the refusal. */
type Row = [who: Who, method: string, path: string, body: unknown, loss: keyof typeof LOSSES, status: number];

const ROWS: Row[] = [
  ["editor", "PUT", "/api/canvases/:id/sharing", { people: "the editor" }, "removed", 404],
  ["editor", "PUT", "/api/canvases/:id/sharing", { password: "secret-word" }, "demoted", 403],
  ["editor", "PATCH", "/api/canvases/:id", { title: "Taken" }, "removed", 404],
  ["owner", "PATCH", "/api/canvases/:id", { title: "Taken" }, "disabled", 409],
  ["editor", "PATCH", "/api/canvases/:id/capabilities", { backendEnabled: false }, "signed out", 401],
  ["editor", "PUT", "/api/canvases/:id/bundle", "a bundle", "removed", 404],
  ["editor", "PUT", "/v1/c/:slug/kv/held", "taken", "removed", 404],
  ["editor", "PUT", "/v1/c/:slug/kv/held", "taken", "demoted", 403],
  ["editor", "PUT", "/v1/c/:slug/kv/held", "taken", "signed out", 401],
  ["owner", "PUT", "/v1/c/:slug/kv/held", "taken", "switched off", 403],
  ["owner", "PUT", "/v1/c/:slug/kv/held", "taken", "disabled", 403],
  ["editor", "POST", "/v1/c/:slug/kv/held/increment", { by: 1 }, "demoted", 403],
  ["viewer", "PUT", "/v1/c/:slug/kv/user/held", "taken", "removed", 404],
  ["viewer", "PUT", "/v1/c/:slug/submissions/poll/mine", "taken", "removed", 404],
  ["viewer", "POST", "/v1/c/:slug/collections/ideas", "taken", "removed", 404],
  ["viewer", "POST", "/v1/c/:slug/collections/ideas", "taken", "policy gone", 404],
  ["editor", "POST", "/v1/c/:slug/collections/managed", "taken", "demoted", 403],
  ["viewer", "PUT", "/v1/c/:slug/collections/ideas/:record", "taken", "removed", 404],
  ["viewer", "POST", "/v1/c/:slug/collections/ideas/:record/increment", { by: 1 }, "removed", 404],
];

const ADMINS = ["dev@example.com", "other@example.com"];
const COLLECTIONS = { ideas: { preset: "collaborative" }, managed: { preset: "managed" } } as const;

await onSqlite(
  "a body that is delayed while its sender loses rights",
  (target, env) => {
    /** Returns everything that the requests could change. */
    const state = async ({ id, slug }: Stage) => [
      await env.db
        .all`select title, access, password_hash, version_id, backend_enabled from canvases where slug = ${slug}`,
      await env.db.all`select email, role from canvas_people where canvas_id = ${id} order by email`,
      await env.db.all`select value, number from kv where canvas_id = ${id}`,
      await env.db.all`select value from submissions where canvas_id = ${id}`,
      await env.db.all`select id, value, number from records where canvas_id = ${id} order by id`,
    ];

    const bodyOf = async (body: unknown, { people }: Stage) => {
      if (body === "a bundle") return { body: await zip({ "index.html": "taken" }), type: "application/zip" };
      const given =
        typeof body === "object" && body !== null && "people" in body
          ? { people: [{ email: people.editor.email, role: "editor" }] }
          : body;
      return { body: json(given), type: JSON_BODY };
    };

    for (const [who, method, path, body, loss, status] of ROWS) {
      it(`${method} ${path} as ${who}, ${loss}: ${status}, and nothing has changed`, async () => {
        const canvas = await stage(target);
        const { id, slug, pages } = canvas;
        await govern(target, canvas, { collections: COLLECTIONS });
        await publish(target, canvas, "before");
        const made = await pages.owner.post("/collections/ideas", 1);
        const at = path.replace(":id", id).replace(":slug", slug).replace(":record", String(made.json.id));

        const held = await holdBody(target, canvas.people[who], {
          method,
          path: at,
          ...(await bodyOf(body, canvas)),
        });
        await LOSSES[loss](target, canvas);
        const left = await state(canvas);
        const answer = await held.finish();
        assert.equal(answer.status, status, answer.text);
        assert.deepEqual(await state(canvas), left);
      });
    }

    it("PUT at a slug that becomes another canvas's: 404, and neither canvas has the value", async () => {
      const canvas = await stage(target);
      const { id, slug, people } = canvas;
      const other = await stage(target, { people });
      const held = await holdBody(target, people.owner, {
        method: "PUT",
        path: `/v1/c/${slug}/kv/held`,
        body: json("taken"),
        type: JSON_BODY,
      });
      await env.db.run`update canvases set slug = ${`${slug}-before`} where id = ${id}`;
      await env.db.run`update canvases set slug = ${slug} where id = ${other.id}`;
      assert.equal((await held.finish()).status, 404);
      assert.deepEqual(await env.db.all`select key from kv where canvas_id in (${id}, ${other.id})`, []);
    });

    it("PATCH /api/admin/users/{self} by an administrator who is deactivated meanwhile: 401, and they stay so", async () => {
      const [admin, other] = await Promise.all(ADMINS.map((email) => target.signIn(email)));
      const { id } = (await manage(target, admin as Person, "GET", "/api/me")).json;
      const held = await holdBody(target, admin as Person, {
        method: "PATCH",
        path: `/api/admin/users/${id}`,
        body: json({ deactivated: false }),
        type: JSON_BODY,
      });
      const gone = await manage(target, other as Person, "PATCH", `/api/admin/users/${id}`, {
        deactivated: true,
      });
      assert.equal(gone.status, 200, gone.text);
      assert.equal((await held.finish()).status, 401);
      const [row] = await env.db.all<{ deactivated_at: number | null }>`
      select deactivated_at from users where id = ${String(id)}`;
      assert.notEqual(row?.deactivated_at, null);
    });
  },
  { SERVICE_ADMIN_EMAILS: ADMINS.join() },
);
