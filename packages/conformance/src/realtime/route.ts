import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readableFrom, unreadable, withoutCors } from "../cors.ts";
import { type Stage, stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { call, JSON_TYPE, pageOrigin } from "../page.ts";
import { disabled, refused, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { knock, UPGRADE } from "./handshake.ts";

const without = (name: string) => UPGRADE.filter(([each]) => each !== name);
const withOther = (name: string, value: string): Header[] => [...without(name), [name, value]];

/** Invalid WebSocket handshakes, each with the response statuses that are allowed. */
const MALFORMED: [name: string, upgrade: Header[], statuses: number[]][] = [
  ["no key", without("Sec-WebSocket-Key"), [400]],
  ["an empty key", withOther("Sec-WebSocket-Key", ""), [400]],
  ["a key of 15 bytes", withOther("Sec-WebSocket-Key", Buffer.alloc(15).toString("base64")), [400]],
  ["a key that is no base64", withOther("Sec-WebSocket-Key", "!".repeat(24)), [400]],
  ["no version", without("Sec-WebSocket-Version"), [400, 426]],
  ["version 12", withOther("Sec-WebSocket-Version", "12"), [426]],
  ["a version that is none", withOther("Sec-WebSocket-Version", "thirteen"), [400, 426]],
  ["another protocol than WebSocket", withOther("Upgrade", "h2c"), [400, 426]],
  ["Upgrade that Connection does not name", withOther("Connection", "keep-alive"), [400, 426]],
];

/** Tests `/realtime` as an HTTP route: it has one path and one method, and responds with 426 to a request without an upgrade. */
export function route(target: Target): void {
  const subdomain = target.urlMode === "subdomain";
  describe("GET /realtime without an upgrade, and invalid handshakes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    it("426 UPGRADE_REQUIRED, naming the protocol", async () => {
      const { slug, people } = canvas;
      const origin = pageOrigin(target, slug);
      for (const path of ["/realtime", "/realtime?channel=c", "/%72ealtime"]) {
        const answer = await call(target, slug, people.viewer, "GET", path, [["Origin", origin]]);
        refused(answer, 426, "UPGRADE_REQUIRED");
        assert.equal(answer.headers.upgrade?.toLowerCase(), "websocket");
        if (subdomain) readableFrom(answer, origin);
        else withoutCors(answer);
      }
    });

    it("HEAD is GET without the body", async () => {
      const answer = await canvas.pages.viewer.send("HEAD", "/realtime");
      assert.deepEqual([answer.status, answer.text], [426, ""]);
    });

    for (const [off, reason] of [
      [{ realtime: false }, "feature_off"],
      [{ backendEnabled: false }, "backend_off"],
    ] as const) {
      it(`${reason}: 403 CAPABILITY_DISABLED, for everyone alike`, async () => {
        const dark = await stage(target, { people: canvas.people, switches: off });
        for (const role of ["owner", "viewer"] as const) {
          disabled(await dark.pages[role].get("/realtime"), "realtime", reason);
          assert.equal((await dark.pages[role].send("HEAD", "/realtime")).status, 403);
        }
        refused(await dark.pages.stranger.get("/realtime"), 404, "OWNER_ONLY");
      });
    }

    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      it(`${method}: 405 METHOD_NOT_ALLOWED, Allow: GET; with an upgrade, too`, async () => {
        const { slug, people, pages } = canvas;
        const body = method === "DELETE" ? undefined : "{}";
        wrongMethod(await pages.owner.send(method, "/realtime", body ? [JSON_TYPE] : [], body), ["GET"]);
        wrongMethod(await knock(target, slug, people.owner, { method }), ["GET"]);
      });
    }

    it("a preflight is answered before all checks: 204, with or without an upgrade", async () => {
      const { slug } = canvas;
      const headers: Header[] = [
        ["Origin", pageOrigin(target, slug)],
        ["Access-Control-Request-Method", "GET"],
      ];
      for (const answer of [
        await call(target, slug, null, "OPTIONS", "/realtime", headers),
        await knock(target, slug, null, { method: "OPTIONS", headers }),
      ]) {
        assert.equal(answer.status, 204, answer.text);
        const methods = answer.headers["access-control-allow-methods"]?.replaceAll(" ", "");
        assert.equal(methods, "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS");
        if (subdomain) readableFrom(answer, pageOrigin(target, slug));
        else unreadable(answer);
      }
    });

    for (const path of ["/realtime/more", "/REALTIME", "/realtime%2F", "/no-such-path"]) {
      it(`an upgrade at ${path}: 404 NOT_FOUND`, async () => {
        const { slug, people } = canvas;
        const answer = await knock(target, slug, people.owner, { path: `/v1/c/${slug}${path}` });
        refused(answer, 404, "NOT_FOUND");
      });
    }

    for (const path of ["/v1/c/SLUG/me", "/v1/c/SLUG/kv", "/c/SLUG/", "/api/me", "/", "/healthz"]) {
      it(`an upgrade at ${path} is answered, and not with 101`, async () => {
        const { slug, people } = canvas;
        const answer = await knock(target, slug, people.owner, { path: path.replace("SLUG", slug) });
        assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status} ${answer.text}`);
      });
    }

    it("segments are decoded once, and a query is ignored", async () => {
      const { slug, people } = canvas;
      const encoded = `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`;
      for (const path of [`${encoded}/realtime`, `${slug}/%72ealtime`, `${slug}/realtime?a=b&a=%ff`]) {
        const answer = await knock(target, slug, people.viewer, { path: `/v1/c/${path}` });
        assert.equal(answer.status, 101, `${path}: ${answer.text}`);
      }
      refused(
        await knock(target, slug, people.viewer, { path: `/v1/c/${slug}/%2572ealtime` }),
        404,
        "NOT_FOUND",
      );
    });

    for (const [name, upgrade, statuses] of MALFORMED) {
      it(`${name}: ${statuses.join(" or ")}, for those who may enter`, async () => {
        const { slug, people } = canvas;
        const answer = await knock(target, slug, people.owner, { upgrade });
        assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.text}`);
        if (name === "version 12") assert.match(String(answer.headers["sec-websocket-version"]), /\b13\b/);
        refused(await knock(target, slug, people.stranger, { upgrade }), 404, "OWNER_ONLY");
      });
    }
  });
}
