import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { deactivate } from "@easel/conformance/admin";
import { manage, share, stage } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import { are, enter, message } from "@easel/conformance/realtime/frame";
import { knock } from "@easel/conformance/realtime/handshake";
import { line } from "@easel/conformance/realtime/line";
import { userOf } from "@easel/conformance/realtime/room";
import type { Socket } from "@easel/conformance/realtime/socket";
import { unauthenticated } from "@easel/conformance/refusal";
import { same } from "@easel/conformance/same";
import { type Person, proxyTarget, type Target } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { newKey, sign, signedBy, startKeyServer, TOKEN_HEADER } from "../../identity/proxy-tokens.ts";
import { startDev } from "../../support/engines.ts";
import { PROXY } from "../../support/service.ts";
import { HOUR_MS, MINUTE_MS, SECOND } from "../../support/time.ts";
import { Clock, startNode } from "./realtime-node.ts";

/** Who administers a service behind a proxy. */
const ADMIN = { SERVICE_ADMIN_EMAILS: "dev@example.com" };
const lost = async (...sockets: Socket[]) => {
  for (const socket of sockets) same(await socket.end(), { code: 4401, frames: [] });
};
const live = async (...sockets: Socket[]) => {
  for (const socket of sockets) are(await socket.settled(), []);
};

/** What holds however the proxy says who is there. */
function asserted(target: Target): void {
  const dial = line(target);

  it("what the proxy said of the handshake holds until the person is deactivated, or may not enter any more", async () => {
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

  it("a name that the proxy says later is the one that others read", async () => {
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

describe("behind a proxy that signs what it says", async () => {
  const scope = { after };
  const key = await newKey("RS", "rsa");
  const { env: main } = await startDev(scope, { ...ADMIN, ...signedBy(await startKeyServer(scope, key)) });
  const clock = new Clock();
  const { env } = await startNode(scope, main, { clock: clock.now });
  /** People come with an assertion of one minute. */
  const signIn: Target["signIn"] = async (email, name = `Name of ${email}`): Promise<Person> => {
    const exp = Math.floor((clock.now() + MINUTE_MS) / SECOND);
    return { email, name, headers: [[TOKEN_HEADER, await sign(key, "RS256", { email, name, exp })]] };
  };
  const target = { ...proxyTarget(env.base.origin, "path"), signIn };
  const dial = line(target);

  asserted(target);

  it("a connection ends with the assertion that opened it, half a minute for clocks included", async () => {
    const canvas = await stage(target);
    const { owner, viewer } = canvas.people;
    const [first, second] = [await dial(canvas, owner), await dial(canvas, viewer)];
    await enter(first, "participants:c");
    clock.pass(MINUTE_MS + 29 * SECOND);
    await live(first, second);
    clock.pass(SECOND);
    // A connection whose assertion has ended hears nothing of a new one.
    const again = await dial(canvas, await target.signIn(viewer.email, viewer.name));
    again.send({ type: "publish", channel: "participants:c" });
    await lost(first, second);
    await live(again);
  });

  it("an assertion that has ended opens no other connection", async () => {
    const { slug, people } = await stage(target);
    assert.equal((await knock(target, slug, people.owner)).status, 101);
    clock.pass(HOUR_MS);
    unauthenticated(await knock(target, slug, people.owner), target);
  });

  it("an access token opens nothing, and takes nothing from who comes with an assertion, too", async () => {
    const { slug, people, id } = await stage(target);
    const token = await tokenOf(target, people.owner);
    unauthenticated(await knock(target, slug, token), target);
    const both = { ...people.owner, headers: [...people.owner.headers, ...token.headers] };
    const socket = await line(target, after)({ slug }, both);
    assert.equal((await manage(target, people.owner, "DELETE", `/api/tokens/${token.id}`)).status, 204);
    assert.equal((await manage(target, people.owner, "GET", `/api/canvases/${id}`)).status, 200);
    await live(socket);
  });
});

describe("behind a proxy that is trusted by its address", async () => {
  const scope = { after };
  const { env: main } = await startDev(scope, { ...ADMIN, ...PROXY });
  const clock = new Clock();
  const { env } = await startNode(scope, main, { clock: clock.now });
  const target = proxyTarget(env.base.origin, "path");
  const dial = line(target);

  asserted(target);

  it("what the proxy said of the handshake holds as long as the connection", async () => {
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

  it("a guest has a session, and an access token is its own: each ends by itself", async () => {
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
