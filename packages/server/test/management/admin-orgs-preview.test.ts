import assert from "node:assert/strict";
import { before, it } from "node:test";
import { freshSlug, manage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { AuditEntry, MovedPeople, OrganisationPreview } from "@easel/protocol/management";
import { onEngines } from "../support/engines.ts";

await onEngines("what a change of domains would mean", (target, env) => {
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });
  const call = (method: string, path: string, body?: object) =>
    manage(target, admin, method, `/api/admin${path}`, body);
  const preview = async (id: string, domains: string[]) => {
    const { status, json, text } = await call("POST", `/orgs/${id}/preview`, { domains });
    assert.equal(status, 200, text);
    return json as unknown as OrganisationPreview;
  };
  const emailsOf = ({ people }: MovedPeople) => people.map(({ email }) => email);

  it("who would join or leave, from which organisation, and what canvases that concerns; nothing changes", async () => {
    const [one, other] = [freshSlug(), freshSlug()];
    const [kept, lost, taken] = [`kept.${one}.example`, `lost.${one}.example`, `taken.${one}.example`];
    await call("PUT", `/orgs/${one}`, { name: "One", domains: [kept, lost] });
    await call("PUT", `/orgs/${other}`, { name: "Other", domains: [taken] });
    for (const domain of [kept, lost, taken, `sub.${taken}`]) await target.signIn(`ada@${domain}`);
    const gone = await target.signIn(`bo@${lost}`);
    const { id } = (await manage(target, gone, "GET", "/api/me")).json;
    assert.equal((await call("PATCH", `/users/${id}`, { deactivated: true })).status, 200);
    for (const access of ["whole_org", "private"])
      await env.db
        .run`insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at, org_id, access)
        select ${freshSlug()}, ${freshSlug()}, 'Open', id, id, 0, 0, ${one}, ${access} from users where email = ${`ada@${kept}`}`;

    const before = (await call("GET", "/orgs")).json;
    const change = await preview(one, [taken.toUpperCase(), kept]);
    assert.deepEqual(emailsOf(change.joining), [`ada@${taken}`]);
    assert.deepEqual(emailsOf(change.leaving), [`ada@${lost}`]);
    assert.equal(change.leaving.people[0]?.name.length === 0, false);
    assert.deepEqual(change.taken, [{ domain: taken, org: { id: other, name: "Other" } }]);
    assert.equal(change.canvases, 1);
    assert.deepEqual((await call("GET", "/orgs")).json, before);
    const same = await preview(one, [kept, lost]);
    assert.deepEqual([same.joining.count, same.leaving.count, same.taken], [0, 0, []]);
    assert.deepEqual(emailsOf((await preview(freshSlug(), [taken])).joining), [`ada@${taken}`]);
    refused(await call("POST", "/orgs/A/preview", { domains: [] }), 400, "INVALID_BODY");
    refused(await call("POST", `/orgs/${one}/preview`, { domains: ["a b"] }), 400, "INVALID_BODY");
  });

  it("of many people the first 20 are named, and all are counted", async () => {
    const domain = `${freshSlug()}.example`;
    const names = Array.from({ length: 25 }, (_, index) => `p${String(index).padStart(2, "0")}@${domain}`);
    for (const email of names)
      await env.db
        .run`insert into users (id, email, name, created_at) values (${freshSlug()}, ${email}, 'P', 0)`;
    const { joining } = await preview(freshSlug(), [domain]);
    assert.equal(joining.count, 25);
    assert.deepEqual(emailsOf(joining), names.slice(0, 20));
  });

  it("a domain of another organisation is taken only if that is asked for, and the log says from whom", async () => {
    const [one, other, domain] = [freshSlug(), freshSlug(), `${freshSlug()}.example`];
    await call("PUT", `/orgs/${one}`, { name: "One", domains: [domain] });
    const body = { name: "Other", domains: [domain] };
    const answer = await call("PUT", `/orgs/${other}`, body);
    refused(answer, 400, "INVALID_BODY");
    assert.equal(answer.json.field, "domains");
    refused(await call("GET", `/orgs/${other}`), 404, "NOT_FOUND");
    assert.deepEqual((await call("PUT", `/orgs/${other}`, { ...body, take: true })).json.domains, [domain]);
    assert.deepEqual((await call("GET", `/orgs/${one}`)).json.domains, []);
    const [entry] = (await call("GET", "/audit?limit=1")).json.entries as AuditEntry[];
    const details = { before: null, after: body, taken: [{ domain, from: one }] };
    assert.deepEqual([entry?.act, entry?.target, entry?.details], ["org.put", other, details]);
  });
});
