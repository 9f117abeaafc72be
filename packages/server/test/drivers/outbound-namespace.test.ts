import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Zone } from "../support/dns-server.ts";
import { type InnerService, type Namespace, noNamespace, startNamespace } from "../support/namespace.ts";
import { APPROVABLE, HOSTS, OWN, PUBLIC } from "../support/namespace-facts.ts";
import type { Scope } from "../support/service.ts";

/** A canvas that may call every profile which `profile` creates. */
interface Caller {
  /** Creates a profile and grants it. Its host is derived from `name`, unless `origin` is given. Returns the status. */
  profile(name: string, origin?: string): Promise<number>;
  /** Sends a request through a profile. Returns `200`, or the status and code of the error, such as `403 DESTINATION_BLOCKED`. */
  call(name: string, path?: string): Promise<string>;
}

const hostOf = (name: string) => `${name}.api.test`;

async function callerOn({ send }: InnerService): Promise<Caller> {
  const session = await send("POST", "/auth/dev/session", {}, { email: "dev@example.com" });
  const [cookie = ""] = [session.headers["set-cookie"] ?? ""].flat().map((line) => line.split(";")[0]);
  const ask = (method: string, url: string, body?: unknown) => send(method, url, { cookie }, body);
  const created = await ask("POST", "/api/canvases", { title: "Caller", slug: "caller-1" });
  const { id } = JSON.parse(created.body);
  await ask("PATCH", `/api/canvases/${id}/capabilities`, { backendEnabled: true });
  return {
    async profile(name, origin = `https://${hostOf(name)}`) {
      const { status } = await ask("PUT", `/api/admin/connections/${name}`, { origin, methods: ["GET"] });
      if (status === 200) await ask("PUT", `/api/admin/connections/${name}/grants/${id}`);
      return status;
    },
    async call(name, path = "/") {
      const { status, body } = await ask("GET", `/v1/c/caller-1/connections/${name}${path}`);
      return status === 200 ? "200" : `${status} ${JSON.parse(body).code}`;
    },
  };
}

const BLOCKED = "403 DESTINATION_BLOCKED";
const UNAVAILABLE = "502 UPSTREAM_UNAVAILABLE";

/** One address of each kind that no page may reach. */
const FORBIDDEN: Record<string, string> = {
  "this-network": "0.0.0.0",
  "this-network-2": "0.1.2.3",
  "private-10": "10.0.0.1",
  "private-172": "172.31.255.254",
  "private-192": "192.168.1.1",
  shared: "100.100.100.200",
  loopback: "127.0.0.1",
  "loopback-2": "127.8.8.8",
  "link-local": "169.254.169.254",
  azure: "168.63.129.16",
  protocols: "192.0.0.192",
  documentation: "192.0.2.1",
  "documentation-2": "198.51.100.1",
  "documentation-3": "203.0.113.1",
  "as112-v4": "192.175.48.1",
  relays: "192.88.99.1",
  benchmark: "198.19.255.1",
  multicast: "224.0.0.1",
  reserved: "240.0.0.1",
  broadcast: "255.255.255.255",
  unspecified: "::",
  "loopback-v6": "::1",
  compatible: "::7f00:1",
  mapped: "::ffff:10.0.0.1",
  "mapped-public": `::ffff:${PUBLIC.v4}`,
  translated: "::ffff:0:a00:1",
  nat64: "64:ff9b::a00:1",
  "nat64-local": "64:ff9b:1::a00:1",
  discard: "100::1",
  teredo: "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "documentation-v6": "2001:db8::1",
  "documentation-v6-2": "3fff::1",
  "six-to-four": "2002:a00:1::1",
  "as112-v6": "2620:4f:8000::1",
  "segment-routing": "5f00::1",
  "unique-local": "fd00:ec2::254",
  "link-local-v6": "fe80::1",
  "site-local": "fec0::1",
  "multicast-v6": "ff02::1",
  unassigned: "4000::1",
  "unique-local-2": APPROVABLE.v6,
  "private-10-2": APPROVABLE.v4,
  own: OWN,
};

const { v4, second, v6 } = PUBLIC;
const PRIVATE = "10.0.0.1";
const MANY = Array.from({ length: 24 }, () => [v4, second]).flat();

/** Answers of the DNS server that have allowed and forbidden addresses, or lead to a forbidden one by another name. */
const MIXED: Record<string, string[]> = {
  "public-first": [v4, PRIVATE],
  "private-first": [PRIVATE, v4],
  "public-v4-private-v6": [v4, "fd00::1"],
  "private-v4-public-v6": [PRIVATE, v6],
  "public-v4-mapped-v6": [v4, "::ffff:10.0.0.1"],
  "last-of-many": [...MANY.slice(1), "169.254.169.254"],
  alias: [hostOf("private-10")],
  "alias-of-mixed": [hostOf("public-first")],
  "alias-to-loopback": [hostOf("loopback")],
};

const ALLOWED: Record<string, string[]> = {
  "public-v4": [v4],
  "public-v6": [v6],
  "public-both": [v4, v6],
  "public-two": [v4, second],
  "public-many": MANY.slice(0, 25),
  "public-alias": [hostOf("public-v4")],
};

/** Names whose addresses change from one lookup to the next. */
const CHANGING: Zone = {
  [hostOf("rebinding")]: [[v4], [PRIVATE]],
  [hostOf("rebinding-back")]: [[PRIVATE], [v4]],
  [hostOf("closing")]: [[v4], ["127.0.0.1"]],
  [hostOf("redirecting")]: [[v4], ["169.254.169.254"]],
  [hostOf("redirecting-later")]: [[v4], [second], [v4, PRIVATE]],
  [hostOf("steady")]: [[v4]],
  [hostOf("gone")]: [[]],
  [hostOf("silent")]: [null],
};

/** Values that no profile can have as its origin: those with an IP address, `http:`, a user name or a path. */
const NO_ORIGINS = [
  "https://10.0.0.1",
  "https://10.1",
  "https://0x7f.1",
  "https://2130706433",
  "https://0177.0.0.1",
  "https://[::1]",
  "https://[::ffff:10.0.0.1]",
  `https://${v4}`,
  "http://public-v4.api.test",
  "https://user@public-v4.api.test",
  "https://public-v4.api.test/path",
];

/** Host names with their addresses, and the result of a call through the service that has approved ranges. */
const APPROVED: [name: string, addresses: string[], expected: string][] = [
  ["approved-v4", [APPROVABLE.v4], "200"],
  ["approved-v6", [APPROVABLE.v6], "200"],
  ["approved-and-public", [APPROVABLE.v4, v4], "200"],
  ["beside-v4", ["10.8.255.255"], BLOCKED],
  ["beside-v6", ["fd0a::1"], BLOCKED],
  ["approved-and-private", [APPROVABLE.v4, "10.8.0.1"], BLOCKED],
  ["approved-mapped", [`::ffff:${APPROVABLE.v4}`], BLOCKED],
  ["approved-own", [OWN], BLOCKED],
  ["approved-own-and-public", [v4, OWN], BLOCKED],
  ["approved-unspecified", ["0.0.0.0"], BLOCKED],
  ["approved-multicast", ["224.0.0.1"], BLOCKED],
];

/** The approved ranges of the second service. Addresses in the last three stay blocked although they are approved. */
const RANGES = ["10.9.0.0/16", "fd09::/16", "127.0.0.0/8", "0.0.0.0/8", "224.0.0.0/4", `${OWN}/32`];

/** Environment variables that name proxies. They must have no effect; the test would notice a connection to one of the proxies. */
const PROXIES = {
  NODE_USE_ENV_PROXY: "1",
  HTTPS_PROXY: "http://10.0.0.2:8443",
  https_proxy: "http://10.0.0.2:8443",
  ALL_PROXY: "http://10.0.0.2:8443",
};

const once = (answers: Record<string, string[]>): Zone =>
  Object.fromEntries(Object.entries(answers).map(([name, answer]) => [hostOf(name), [answer]]));

suite("Connections in a network of their own", { skip: noNamespace }, () => {
  let end = async (): Promise<unknown> => undefined;
  const scope: Scope = {
    after(given) {
      end = given;
    },
  };
  after(() => end());
  let namespace: Namespace;
  let service: InnerService;
  let page: Caller;
  let approving: InnerService;

  before(async () => {
    namespace = await startNamespace(scope);
    const forbidden = Object.entries(FORBIDDEN).map(([name, address]) => [name, [address]]);
    await namespace.resolve({
      ...once({ ...Object.fromEntries(forbidden), ...MIXED, ...ALLOWED }),
      ...once({
        ...Object.fromEntries(APPROVED.map(([name, addresses]) => [name, addresses])),
        "own-port": ["127.0.0.1"],
      }),
      ...CHANGING,
    });
    [service, approving] = await Promise.all([
      namespace.start("closed", PROXIES),
      namespace.start("approving", { SERVICE_CONNECTIONS_PRIVATE_CIDRS: RANGES.join(",") }),
    ]);
    page = await callerOn(service);
  });

  const hits = async () => (await namespace.report()).hits;
  const lookups = async (name: string) => (await namespace.report()).lookups[hostOf(name)];

  for (const name of Object.keys(ALLOWED))
    test(`${name}: reached, by its name in TLS and in Host`, async () => {
      assert.equal(await page.profile(name), 200);
      assert.equal(await page.call(name, `/${name}`), "200");
      const { served } = await namespace.report();
      assert.equal(served.at(-1), `${hostOf(name)} ${hostOf(name)} /${name}`);
    });

  for (const [name, address] of Object.entries(FORBIDDEN))
    test(`${address} (${name}): blocked`, async () => {
      assert.equal(await page.profile(name), 200);
      assert.equal(await page.call(name), BLOCKED);
    });

  for (const [name, addresses] of Object.entries(MIXED))
    test(`${name}, the last of its addresses being ${addresses.at(-1)}: blocked`, async () => {
      assert.equal(await page.profile(name), 200);
      assert.equal(await page.call(name), BLOCKED);
    });

  test("addresses in the hosts file are checked, too", async () => {
    const [host = ""] = Object.keys(HOSTS);
    assert.equal(await page.profile("in-hosts-file", `https://${host}`), 200);
    assert.equal(await page.call("in-hosts-file"), BLOCKED);
    assert.equal(await page.profile("localhost", "https://localhost:8443"), 200);
    assert.equal(await page.call("localhost"), BLOCKED);
  });

  for (const origin of NO_ORIGINS)
    test(`${origin}: no profile can have this origin`, async () =>
      assert.equal(await page.profile("impossible", origin), 400));

  test("the origin of the service itself: no profile can have it", async () => {
    const own = service.base.replace("http:", "https:");
    assert.equal(await page.profile("impossible", own), 400);
  });

  test("a name that changes to a private address: the connection uses the checked address", async () => {
    await page.profile("rebinding");
    assert.equal(await page.call("rebinding"), "200");
    assert.equal(await lookups("rebinding"), 1);
  });

  test("a name that changes from a private to a public address: blocked, then reached", async () => {
    await page.profile("rebinding-back");
    assert.equal(await page.call("rebinding-back"), BLOCKED);
    assert.equal(await page.call("rebinding-back"), "200");
    assert.equal(await lookups("rebinding-back"), 2);
  });

  test("a new connection after the name has changed to a private address: blocked", async () => {
    await page.profile("closing");
    assert.equal(await page.call("closing", "/close"), "200");
    assert.equal(await page.call("closing"), BLOCKED);
  });

  test("a redirect after the name has changed to a private address: blocked before a second request", async () => {
    await page.profile("redirecting");
    assert.equal(await page.call("redirecting", "/redirect?to=/second-hop"), BLOCKED);
    const { served } = await namespace.report();
    assert.equal(served.filter((line) => line.endsWith(" /second-hop")).length, 0);
  });

  test("a name that gets a private address at the second redirect: blocked", async () => {
    await page.profile("redirecting-later");
    const to = encodeURIComponent("/redirect?to=/third-hop");
    assert.equal(await page.call("redirecting-later", `/redirect?to=${to}`), BLOCKED);
    assert.equal(await lookups("redirecting-later"), 3);
    const { served } = await namespace.report();
    assert.equal(served.filter((line) => line.endsWith(" /third-hop")).length, 0);
  });

  test("a redirect to another origin: blocked, and the other name is not looked up", async () => {
    await page.profile("steady");
    const before = await lookups("public-v6");
    for (const to of [`https://${hostOf("public-v6")}/`, "//10.0.0.1/", "https://steady.api.test:8443/"])
      assert.equal(await page.call("steady", `/redirect?to=${encodeURIComponent(to)}`), BLOCKED, to);
    assert.equal(await lookups("public-v6"), before);
  });

  for (const name of ["no-such-name", "gone", "silent"])
    test(`${name}: a name without an address is unavailable`, async () => {
      await page.profile(name);
      assert.equal(await page.call(name), UNAVAILABLE);
    });

  suite("with approved ranges", () => {
    before(async () => {
      page = await callerOn(approving);
    });

    for (const [name, addresses, expected] of APPROVED)
      test(`${name}, ${addresses.join(" and ")}: ${expected}`, async () => {
        assert.equal(await page.profile(name), 200);
        assert.equal(await page.call(name), expected);
      });

    test("the port of the service on an approved loopback address: blocked", async () => {
      const { port } = new URL(approving.base);
      assert.equal(await page.profile("own-port", `https://${hostOf("own-port")}:${port}`), 200);
      assert.equal(await page.call("own-port"), BLOCKED);
    });
  });

  test("no address but those of upstreams was connected to, and each other connection is noticed", async () => {
    assert.deepEqual(await hits(), []);
    assert.equal(await namespace.connect(PRIVATE, 443), true);
    assert.equal(await namespace.connect("fd00:ec2::254", 8443), true);
    assert.equal(await namespace.connect(OWN, 443), true);
    assert.deepEqual(await hits(), [`${PRIVATE} 443`, "fd00:ec2::254 8443", `${OWN} 443`]);
  });
});
