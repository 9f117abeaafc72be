import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { it } from "node:test";
import { deactivate, disable } from "@easel/conformance/admin";
import { amend, freshSlug, manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import { archive, publish, remove } from "@easel/conformance/lifecycle";
import { are } from "@easel/conformance/realtime/frame";
import { same } from "@easel/conformance/same";
import { freshEmail, type Person, type Target } from "@easel/conformance/target";
import { makeTeam, regroup } from "@easel/conformance/team";
import { tokenOf } from "@easel/conformance/token";
import { JSON_TYPE, post } from "../../support/client.ts";
import { onSqlite } from "../../support/engines.ts";
import { onBothNodes } from "./realtime-node.ts";

/** An action, the people whose connections it closes, and those whose connections stay open. */
interface Scene {
  out: Person[];
  stays: Person[];
  act(): Promise<unknown>;
  /** The canvas of the connections, if it is not the usual one. */
  canvas?: Stage;
}

/** Ways in which people lose access while their connections are open and send no frame. */
const LOSSES: [name: string, scene: (target: Target, canvas: Stage) => Promise<Scene>][] = [
  [
    "signing out",
    async ({ base, signIn }, { people: { owner, viewer } }) => {
      const other = await signIn(viewer.email);
      const act = () => post(base, "/auth/logout", viewer.headers, "");
      return { out: [viewer], stays: [owner, other], act };
    },
  ],
  [
    "signing in again in the same browser",
    async ({ base, signIn }, { people: { owner, viewer } }) => {
      const other = await signIn(viewer.email);
      const body = JSON.stringify({ email: viewer.email });
      const act = () => post(base, "/auth/dev/session", [...viewer.headers, JSON_TYPE], body);
      return { out: [viewer], stays: [owner, other], act };
    },
  ],
  [
    "a session that is ended from another one",
    async (target, { people: { owner, viewer } }) => {
      const other = await target.signIn(viewer.email);
      const { sessions } = (await manage(target, viewer, "GET", "/api/sessions")).json;
      const { id } = (sessions as { id: string; current: boolean }[]).find(({ current }) => current) ?? {};
      const act = () => manage(target, other, "DELETE", `/api/sessions/${id}`);
      return { out: [viewer], stays: [owner, other], act };
    },
  ],
  [
    "an access token that is deleted",
    async (target, { people: { owner, viewer } }) => {
      const [token, other] = [await tokenOf(target, viewer), await tokenOf(target, viewer)];
      const act = () => manage(target, viewer, "DELETE", `/api/tokens/${token.id}`);
      return { out: [token], stays: [owner, viewer, other], act };
    },
  ],
  [
    "a deactivated user",
    async (target, { people: { owner, editor, viewer } }) => {
      const token = await tokenOf(target, viewer);
      const again = await target.signIn(viewer.email);
      return { out: [viewer, again, token], stays: [owner, editor], act: () => deactivate(target, viewer) };
    },
  ],
  [
    "removal from a team",
    async (target, canvas) => {
      const [first, second] = [await target.signIn(freshEmail("a")), await target.signIn(freshEmail("b"))];
      const team = await makeTeam(target, canvas.people.owner, [first, second]);
      await amend(target, canvas, { teams: [{ id: team.id, role: "editor" }] });
      return {
        out: [first],
        stays: [second, canvas.people.owner],
        act: () => regroup(target, team, [second]),
      };
    },
  ],
  [
    "an organisation that loses a domain",
    async (target) => {
      const [one, other] = [domain(), domain()];
      const admin = await target.signIn(target.admin);
      const put = (domains: string[]) =>
        manage(target, admin, "PUT", `/api/admin/orgs/${one.split(".")[0]}`, { name: one, domains });
      assert.equal((await put([one, other])).status, 200);
      const [owner, colleague, leaving] = await Promise.all(
        [`owner@${one}`, `colleague@${one}`, `leaving@${other}`].map((email) => target.signIn(email)),
      );
      assert.ok(owner && colleague && leaving);
      const people = { owner, editor: colleague, viewer: leaving, stranger: leaving };
      const canvas = await stage(target, { people, access: "whole_org" });
      await share(target, canvas, "whole_org", {});
      return { out: [leaving], stays: [owner, colleague], act: () => put([one]), canvas };
    },
  ],
  [
    "a revoked invitation",
    async (target, canvas) => {
      const [guest, other] = [await guestOf(target, canvas), await guestOf(target, canvas)];
      return { out: [guest], stays: [other, canvas.people.viewer], act: () => revoke(target, canvas, guest) };
    },
  ],
  ["disabled", async (target, canvas) => everyone(canvas, () => disable(target, canvas))],
  ["archived", async (target, canvas) => everyone(canvas, () => archive(target, canvas))],
  [
    "deleted",
    async (target, canvas) => {
      await publish(target, canvas, "home");
      return everyone(canvas, () => remove(target, canvas));
    },
  ],
  [
    "a new slug",
    async (target, canvas) => {
      const path = `/api/canvases/${canvas.id}`;
      return everyone(canvas, () =>
        manage(target, canvas.people.owner, "PATCH", path, { slug: freshSlug() }),
      );
    },
  ],
  [
    "an empty list of people",
    async (target, canvas) => {
      const { owner, editor, viewer } = canvas.people;
      const act = () => share(target, canvas, "private", {});
      return { out: [editor, viewer], stays: [owner], act };
    },
  ],
];

const domain = () => `d${randomBytes(6).toString("hex")}.example`;
const everyone = ({ people: { owner, editor, viewer } }: Stage, act: Scene["act"]): Scene => ({
  out: [owner, editor, viewer],
  stays: [],
  act,
});

await onSqlite(
  "connections are closed on every node when their users lose access",
  (target, env) => {
    const dial = onBothNodes(target, env);

    for (const [name, make] of LOSSES) {
      it(name, async () => {
        const usual = await stage(target);
        const { canvas = usual, out, stays, act } = await make(target, usual);
        const [losing, keeping] = [await dial(canvas, out), await dial(canvas, stays)];
        for (const socket of [...losing, ...keeping]) are(await socket.settled(), []);
        await act();
        for (const socket of losing) same(await socket.end(), { code: 4401, frames: [] });
        for (const socket of keeping) are(await socket.settled(), []);
      });
    }
  },
  { SERVICE_TENANCY: "on" },
);
