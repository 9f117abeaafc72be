import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { deactivate } from "@easel/conformance/admin";
import { manage, share, stage } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import type { Header } from "@easel/conformance/http";
import { are, enter, message } from "@easel/conformance/realtime/frame";
import { knock } from "@easel/conformance/realtime/handshake";
import { line } from "@easel/conformance/realtime/line";
import { userOf } from "@easel/conformance/realtime/room";
import type { Socket } from "@easel/conformance/realtime/socket";
import { unauthenticated } from "@easel/conformance/refusal";
import { same } from "@easel/conformance/same";
import { type Person, proxyTarget, type Target } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { createToken } from "../../../src/identity/tokens.ts";
import { upsertUser } from "../../../src/identity/users.ts";
import { newKey, sign, signedBy, startKeyServer, TOKEN_HEADER } from "../../identity/proxy-tokens.ts";
import { startDev } from "../../support/engines.ts";
import { PROXY } from "../../support/service.ts";
import { HOUR_MS, MINUTE_MS, SECOND } from "../../support/time.ts";
import { Clock, startNode } from "./realtime-node.ts";

/** The setting that names the administrator of a service behind a proxy. */
const ADMIN = { SERVICE_ADMIN_EMAILS: "dev@example.com" };
const lost = async (...sockets: Socket[]) => {
  for (const socket of sockets) same(await socket.end(), { code: 4401, frames: [] });
};
const live = async (...sockets: Socket[]) => {
  for (const socket of sockets) are(await socket.settled(), []);
};

/** Registers the tests that apply to every way in which a proxy identifies people. */
function asserted(target: Target): void {
  const dial = line(target);

  it("a connection stays open until its user is deactivated or loses access", async () => {
    const canvas = await stage(target);
    const { owner, editor, viewer } = canvas.people;
    const [a, b, c] = [await dial(canvas, owner), await dial(canvas, editor), await dial(canvas, viewer)];
    await deactivate(target, viewer);
    await lost(c);
    await live(a, b);
    await share(target, canvas, "private", {});
    await lost(b);
    await live(a);
  });

  it("others see the name that the proxy has sent last", async () => {
    const canvas = await stage(target);
    const { owner, viewer } = canvas.people;
    const [hears, says] = [await dial(canvas, owner), await dial(canvas, viewer)];
    await enter(hears, "participants:c");
    const renamed = await target.signIn(viewer.email, "Somebody else");
    const user = await userOf(target, renamed);
    assert.equal(user.name, "Somebody else");
    says.send({ type: "publish", channel: "participants:c" });
    are([await hears.next()], [message("participants:c", "", null, user, "viewer")]);
  });
}

describe("behind a proxy with signed assertions", async () => {
  const scope = { after };
  const key = await newKey("RS", "rsa");
  const { env: main } = await startDev(scope, { ...ADMIN, ...signedBy(await startKeyServer(scope, key)) });
  const clock = new Clock();
  const { env } = await startNode(scope, main, { clock: clock.now });
  /** Returns a person whose assertion, the signed token of the proxy, expires in one minute. */
  const signIn: Target["signIn"] = async (email, name = `Name of ${email}`): Promise<Person> => {
    const exp = Math.floor((clock.now() + MINUTE_MS) / SECOND);
    return { email, name, headers: [[TOKEN_HEADER, await sign(key, "RS256", { email, name, exp })]] };
  };
  const target = { ...proxyTarget(env.base.origin, "path"), signIn };
  const dial = line(target);

  asserted(target);

  it("a connection ends with its assertion, plus half a minute of tolerance", async () => {
    const canvas = await stage(target);
    const { owner, viewer } = canvas.people;
    const [first, second] = [await dial(canvas, owner), await dial(canvas, viewer)];
    await enter(first, "participants:c");
    clock.pass(MINUTE_MS + 29 * SECOND);
    await live(first, second);
    clock.pass(SECOND);
    // A new assertion (the signed token of the proxy) does not extend a connection that is open already.
    const again = await dial(canvas, await target.signIn(viewer.email, viewer.name));
    again.send({ type: "publish", channel: "participants:c" });
    await lost(first, second);
    await live(again);
  });

  it("an expired assertion opens no connection", async () => {
    const { slug, people } = await stage(target);
    assert.equal((await knock(target, slug, people.owner)).status, 101);
    clock.pass(HOUR_MS);
    unauthenticated(await knock(target, slug, people.owner), target);
  });

  it("an access token alone opens nothing, and beside an assertion it is ignored", async () => {
    const { slug, people, id } = await stage(target);
    // The API creates no tokens here, but the database may have tokens from before the proxy signed its requests.
    const user = await upsertUser(env.db, people.owner.email, null, Date.now());
    const { token } = await createToken(
      { user: user ?? assert.fail(), credential: null },
      { name: "A program" },
      env,
    );
    const bearer: Header = ["Authorization", `Bearer ${token}`];
    unauthenticated(await knock(target, slug, { ...people.owner, headers: [bearer] }), target);
    const both = { ...people.owner, headers: [...people.owner.headers, bearer] };
    const socket = await line(target, after)({ slug }, both);
    await env.db.run`delete from tokens`;
    assert.equal((await manage(target, people.owner, "GET", `/api/canvases/${id}`)).status, 200);
    await live(socket);
  });
});

describe("behind a proxy trusted by its address", async () => {
  const scope = { after };
  const { env: main } = await startDev(scope, { ...ADMIN, ...PROXY });
  const clock = new Clock();
  const { env } = await startNode(scope, main, { clock: clock.now });
  const target = proxyTarget(env.base.origin, "path");
  const dial = line(target);

  asserted(target);

  it("the identity of the handshake is valid for as long as the connection", async () => {
    const canvas = await stage(target);
    const { owner, viewer } = canvas.people;
    const sockets = [await dial(canvas, owner), await dial(canvas, viewer)] as const;
    for (let round = 0; round < 3; round++) {
      clock.pass(HOUR_MS);
      await live(...sockets);
    }
    same(await enter(sockets[1], "c"), [
      await userOf(target, await target.signIn(viewer.email, viewer.name)),
    ]);
  });

  it("sessions of guests and access tokens end independently of the proxy", async () => {
    const canvas = await stage(target);
    const { viewer } = canvas.people;
    const [guest, other] = [await guestOf(target, canvas), await guestOf(target, canvas)];
    const token = await tokenOf(target, viewer);
    const [first, second] = [await dial(canvas, guest), await dial(canvas, other)];
    const [program, page] = [await dial(canvas, token, []), await dial(canvas, viewer)];
    await revoke(target, canvas, guest);
    await lost(first);
    await live(second, program, page);
    assert.equal((await manage(target, viewer, "DELETE", `/api/tokens/${token.id}`)).status, 204);
    await lost(program);
    await live(second, page);
  });
});
