import assert from "node:assert/strict";
import { after, it } from "node:test";
import { amend, manage, type Role } from "@easel/conformance/fixture";
import { enter } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { room } from "@easel/conformance/realtime/room";
import { type AccessChange, onAccessChange } from "../../../src/canvases/open-connections.ts";
import { newId } from "../../../src/crypto/ids.ts";
import { type Db, textOf, Unavailable } from "../../../src/drivers/db/db.ts";
import { changedDb } from "../../support/changed-db.ts";
import { onSqlite } from "../../support/engines.ts";
import { entryOf, SlowDb, startNode } from "./realtime-node.ts";

/** The number of acts that change the access to a canvas during one recheck. */
const ACTS = 12;

/** Acts that are refused. `ID` stands for the canvas, `UNKNOWN` for an id of nothing. */
const REFUSED: [who: Role, method: string, path: string, body: object | undefined, status: number][] = [
  ["stranger", "PUT", "/api/canvases/ID/sharing", { access: "private" }, 404],
  ["stranger", "PUT", "/api/canvases/ID/sharing", undefined, 404],
  ["stranger", "PATCH", "/api/canvases/ID/capabilities", { kv: false }, 404],
  ["stranger", "DELETE", "/api/canvases/ID", undefined, 404],
  ["stranger", "POST", "/api/canvases/ID/unpublish", undefined, 404],
  ["stranger", "DELETE", "/api/sessions/UNKNOWN", undefined, 404],
  ["stranger", "DELETE", "/api/tokens/UNKNOWN", undefined, 404],
  ["stranger", "DELETE", "/api/teams/UNKNOWN", undefined, 404],
  ["stranger", "POST", "/api/teams", { name: "" }, 400],
  ["stranger", "PATCH", "/api/admin/users/UNKNOWN", { deactivated: true }, 403],
  ["viewer", "PUT", "/api/canvases/ID/sharing", { access: "private" }, 403],
  ["editor", "DELETE", "/api/canvases/ID", undefined, 403],
  ["owner", "PUT", "/api/canvases/ID/sharing", { access: "nobody" }, 400],
  ["owner", "PATCH", "/api/canvases/ID/capabilities", { expectedRuntimePolicy: "x", runtimePolicy: {} }, 409],
  ["owner", "POST", "/api/canvases/ID/versions/UNKNOWN/publish", undefined, 404],
];

await onSqlite("announcements of acts", (main, env) => {
  const slow = new SlowDb(env.db);
  let watched = "";
  let reads = 0;
  const getCached: Db["getCached"] = (text, ...values) => {
    if (entryOf(watched)(textOf(text), values)) reads++;
    return slow.db.getCached(text, ...values);
  };
  /** Connects the viewer of a new canvas to a node that counts in `reads` how often it reads the viewer's access. */
  const seated = async () => {
    const here = await room(main, { access: "private" });
    const { target } = await startNode({ after }, env, { db: changedDb(slow.db, { getCached }) });
    const viewer = await line(target, after)(here, here.people.viewer);
    await enter(viewer, "c");
    watched = here.people.viewer.email;
    reads = 0;
    return { here, viewer };
  };

  /** Collects the announcements of all nodes in `announced`, until `end` is called. */
  const listening = async () => {
    const announced: AccessChange[] = [];
    const end = await onAccessChange((concerned) => announced.push(concerned), env);
    return { announced, end };
  };

  it("a refused act announces nothing and rechecks no connection", async () => {
    const { here } = await seated();
    const { announced, end } = await listening();
    for (const [who, method, path, body, status] of REFUSED) {
      const url = path.replace("ID", here.id).replace("UNKNOWN", newId());
      const answer = await manage(main, here.people[who], method, url, body);
      assert.equal(answer.status, status, `${who}: ${method} ${path}: ${answer.text}`);
    }
    assert.deepEqual({ announced, reads }, { announced: [], reads: 0 });
    await amend(main, here, { access: "private" });
    assert.deepEqual({ announced, reads }, { announced: [{ canvas: here.id }], reads: 1 });
    await end();
  });

  it("an act is announced if the database commits it, but does not confirm this", async () => {
    const { here } = await seated();
    const { announced, end } = await listening();
    const batch: Db["batch"] = async (steps) => {
      await env.db.batch(steps);
      throw new Unavailable("the connection was lost");
    };
    const { target } = await startNode({ after }, env, { db: changedDb(env.db, { batch }) });
    const change = { access: "private", people: [] };
    const answer = await manage(target, here.people.owner, "PUT", `/api/canvases/${here.id}/sharing`, change);
    assert.deepEqual({ status: answer.status, announced }, { status: 503, announced: [{ canvas: here.id }] });
    await end();
  });

  it("acts during a recheck cause one further recheck", async () => {
    const { here, viewer } = await seated();
    const held = slow.hold(entryOf(watched));
    await amend(main, here, { access: "private" });
    await held.reached;
    for (let done = 0; done < ACTS; done++) await amend(main, here, { access: "private" });
    assert.equal(reads, 1);
    held.pass();
    await viewer.settled();
    // The held one, one for all acts, and one before the frame of the client.
    assert.equal(reads, 3);
  });
});
