import assert from "node:assert/strict";
import { before, it } from "node:test";
import { freshSlug, manage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { Organisation } from "@easel/protocol/management";
import { onSqlite } from "../support/engines.ts";

await onSqlite("administration of organisations", (target, env) => {
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  const call = (method: string, id: string, body?: object) =>
    manage(target, admin, method, `/api/admin/orgs${id && `/${id}`}`, body);
  const put = (id: string, domains: string[], name = "Organisation") => call("PUT", id, { name, domains });
  const list = async () => (await call("GET", "")).json.orgs as Organisation[];
  const domainsOf = async (id: string) => (await call("GET", id)).json.domains;
  /** Returns an unused id of an organisation, and a domain that begins with it. */
  const fresh = () => {
    const id = freshSlug();
    return { id, domain: `${id}.example` };
  };

  it("PUT creates an organisation, and GET returns it, alone and in the list", async () => {
    const { id, domain } = fresh();
    const from = Date.now();
    refused(await call("GET", id), 404, "NOT_FOUND");
    const { status, json } = await put(id, [domain, `a.${domain}`], "  Acme & Söhne ");
    assert.equal(status, 200);
    const { createdAt, ...org } = json;
    assert.ok(Number(createdAt) >= from && Number(createdAt) <= Date.now());
    assert.deepEqual(org, { id, name: "Acme & Söhne", domains: [`a.${domain}`, domain], members: 0 });
    assert.deepEqual((await call("GET", id)).json, json);
    assert.deepEqual(
      (await list()).find((each) => each.id === id),
      json,
    );
  });

  it("PUT again replaces name and domains and keeps createdAt", async () => {
    const { id, domain } = fresh();
    const first = (await put(id, [domain, `old.${domain}`])).json;
    const second = (await put(id, [`new.${domain}`, domain], "Renamed")).json;
    assert.deepEqual(second, { ...first, name: "Renamed", domains: [domain, `new.${domain}`] });
    assert.deepEqual((await put(id, [])).json.domains, []);
    assert.equal((await put(fresh().id, [`old.${domain}`])).status, 200);
  });

  it("domains are stored in lower case without duplicates", async () => {
    const { id, domain } = fresh();
    const given = [` ${domain.toUpperCase()} `, domain, `B.${domain}`, "localhost"];
    assert.deepEqual((await put(id, given)).json.domains, [`b.${domain}`, domain, "localhost"].sort());
    await call("DELETE", id);
  });

  const label = "a".repeat(63);
  it("the longest id, name and domain, and a hundred domains", async () => {
    const id = `${"9".repeat(31)}-${freshSlug()}`.padEnd(63, "z");
    const longest = `${label}.${label}.${label}.${"b".repeat(61)}`;
    const { json } = await put(id, [longest], "n".repeat(100));
    assert.deepEqual([json.id, json.domains, json.name], [id, [longest], "n".repeat(100)]);
    const { id: many, domain } = fresh();
    const hundred = Array.from({ length: 100 }, (_, index) => `d${index}.${domain}`);
    assert.equal(((await put(many, hundred)).json.domains as string[]).length, 100);
    refused(await put(many, [...hundred, `more.${domain}`]), 400, "INVALID_BODY");
  });

  for (const id of ["A", "-a", "a_b", "a.b", "%C3%A9", "%00", "a%20b", "a%2Fb", "z".repeat(64)]) {
    it(`invalid id ${id.slice(0, 10)}: 400 INVALID_BODY`, async () => {
      refused(await put(id, []), 400, "INVALID_BODY");
      refused(await call("GET", id), 404, "NOT_FOUND");
      refused(await call("DELETE", id), 404, "NOT_FOUND");
    });
  }

  const bad = [
    "",
    ".",
    "a..b",
    ".example.com",
    "example.com.",
    "-a.com",
    "a-.com",
    "a_b.com",
    "a b.com",
    "a@b.com",
    "*.example.com",
    "example.com/x",
    "bücher.de",
    "\u212aelvin.com",
    "a\0.com",
    "a.com\n.b",
    `${"a".repeat(64)}.com`,
    `${label}.${label}.${label}.${label}`,
  ];
  for (const domain of bad) {
    it(`invalid domain ${JSON.stringify(domain).slice(0, 30)}`, async () => {
      const { id } = fresh();
      refused(await put(id, ["good.example", domain]), 400, "INVALID_BODY");
      refused(await call("GET", id), 404, "NOT_FOUND");
    });
  }

  const bodies = [
    {},
    { name: "Only a name" },
    { domains: [] },
    { name: "", domains: [] },
    { name: "  ", domains: [] },
    { name: "a\0b", domains: [] },
    { name: "n".repeat(101), domains: [] },
    { name: 1, domains: [] },
    { name: "Name", domains: "example.com" },
    { name: "Name", domains: [1] },
    { name: "Name", domains: null },
    { name: "Name", domains: [], id: "other" },
    { name: "Name", domains: [], members: 3 },
  ];
  it("any other body: 400 INVALID_BODY, and no organisation is created", async () => {
    const { id } = fresh();
    for (const body of bodies) refused(await call("PUT", id, body), 400, "INVALID_BODY");
    refused(await call("GET", id), 404, "NOT_FOUND");
  });

  it("a domain of another organisation: 400 INVALID_BODY that names it, and nothing changes", async () => {
    const [one, other] = [fresh(), fresh()];
    await put(one.id, [one.domain]);
    const answer = await put(other.id, [`a.${other.domain}`, one.domain, other.domain]);
    refused(answer, 400, "INVALID_BODY");
    assert.ok(String(answer.json.message).includes(`\`${one.domain}\``), answer.text);
    refused(await call("GET", other.id), 404, "NOT_FOUND");
    const previous = (await put(other.id, [other.domain])).json;
    refused(await put(other.id, [`z.${other.domain}`, one.domain], "Renamed"), 400, "INVALID_BODY");
    assert.deepEqual((await call("GET", other.id)).json, previous);
    assert.deepEqual(await domainsOf(one.id), [one.domain]);
  });

  it("of two concurrent PUTs with the same domain one succeeds, the other is 400", async () => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = [fresh(), fresh()];
      const racers = [one, other].map(({ id, domain }) => put(id, [`shared.${one.domain}`, domain]));
      const answers = await Promise.all(racers);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      const [loser] = answers.filter(({ status }) => status === 400);
      assert.ok(loser?.text.includes(`shared.${one.domain}`));
    }
  });

  it("many concurrent moves of domains: a domain never has two organisations, and no response is a 5xx", async () => {
    const crowd = Array.from({ length: 4 }, fresh);
    const domains = crowd.map(({ domain }) => domain);
    const moves = Array.from({ length: 40 }, (_, index) => {
      const { id } = crowd[index % crowd.length] as { id: string };
      const [first = "", second = ""] = [domains[(index * 3) % 4], domains[(index * 5 + 1) % 4]];
      return index % 7 === 6 ? call("DELETE", id) : put(id, [first, second]);
    });
    for (const { status, text } of await Promise.all(moves)) {
      assert.ok([200, 204, 400, 404].includes(status), text);
    }
    const held = (await list()).filter(({ id }) => crowd.some((each) => each.id === id));
    const all = held.flatMap((org) => org.domains);
    assert.equal(new Set(all).size, all.length);
  });

  it("after concurrent PUTs of one organisation it equals one of them", async () => {
    const { id, domain } = fresh();
    const sets = Array.from({ length: 12 }, (_, index) => [`${index}.${domain}`, `x${index}.${domain}`]);
    const answers = await Promise.all(sets.map((domains, index) => put(id, domains, `Name ${index}`)));
    assert.ok(answers.every(({ status }) => status === 200));
    const { name, domains } = (await call("GET", id)).json;
    const index = Number(String(name).split(" ")[1]);
    assert.deepEqual(domains, sets[index]);
  });

  it("members are those who have signed in with an address of its domains and are not deactivated", async () => {
    const { id, domain } = fresh();
    await put(id, [domain, `sub.${domain}`]);
    const joined = ["a", "b", "o'c%_"].map((name) => target.signIn(`${name}@${domain}`));
    await Promise.all([...joined, target.signIn(`d@sub.${domain}`)]);
    await Promise.all(
      [`e@other.${domain}`, `f@x${domain}`, `${domain}@example.com`].map((each) => target.signIn(each)),
    );
    assert.equal((await call("GET", id)).json.members, 4);
    await env.db.run`update users set deactivated_at = 1 where email = ${`a@${domain}`}`;
    assert.equal((await call("GET", id)).json.members, 3);
    assert.equal((await put(id, [`sub.${domain}`])).json.members, 1);
    assert.equal((await put(id, [])).json.members, 0);
  });

  it("DELETE frees the domains and unsets the home of its canvases", async () => {
    const [one, other] = [fresh(), fresh()];
    await put(one.id, [one.domain]);
    await put(other.id, [other.domain]);
    const [here, there] = [await stage(target), await stage(target)];
    await env.db.run`update canvases set org_id = ${one.id} where id = ${here.id}`;
    await env.db.run`update canvases set org_id = ${other.id} where id = ${there.id}`;
    const { status, text } = await call("DELETE", one.id);
    assert.deepEqual([status, text], [204, ""]);
    refused(await call("GET", one.id), 404, "NOT_FOUND");
    refused(await call("DELETE", one.id), 404, "NOT_FOUND");
    const home = async (id: string) =>
      (await env.db.get<{ org_id: string | null }>`select org_id from canvases where id = ${id}`)?.org_id;
    assert.deepEqual([await home(here.id), await home(there.id)], [null, other.id]);
    assert.deepEqual((await put(other.id, [one.domain])).json.domains, [one.domain]);
  });

  it("the list is sorted by id", async () => {
    const ids = (await list()).map(({ id }) => id);
    assert.ok(ids.length > 5);
    assert.deepEqual(ids, ids.toSorted());
  });
});
