import assert from "node:assert/strict";
import { it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { LIMITS } from "@easel/protocol/limits";
import { newId } from "../../src/crypto/ids.ts";
import { onSqlite } from "../support/engines.ts";

const HOUR_MS = 60 * 60 * 1000;
const { tokensPerPerson, expiredTokensPerPerson, invitesPerCanvas } = LIMITS;

type Listed = { id: string; name: string }[];

await onSqlite("ceilings of what a person creates", (target, env) => {
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  /** Inserts access tokens of a person. */
  const addTokens = async (person: Person, count: number, expiresAt: number | null) => {
    const user = await idOf(person);
    for (let n = 0; n < count; n++) {
      const id = newId();
      await env.db.run`insert into tokens (id, user_id, name, token_hash, created_at, expires_at)
        values (${id}, ${user}, ${`token ${n}`}, ${id}, 0, ${expiresAt})`;
    }
  };
  const create = (person: Person) => manage(target, person, "POST", "/api/tokens", { name: "New" });
  const list = async (person: Person, query = "") => {
    const { json } = await manage(target, person, "GET", `/api/tokens${query}`);
    return json as { tokens: Listed; nextCursor: string | null };
  };
  const created = (answers: Answer[]) => {
    for (const answer of answers) if (answer.status !== 201) refused(answer, 409, "KEY_LIMIT");
    return answers.filter(({ status }) => status === 201).length;
  };

  it("a person has at most 100 unexpired access tokens", async () => {
    const person = await target.signIn(freshEmail("tokens"));
    await addTokens(person, 5, env.clock() - HOUR_MS);
    await addTokens(person, tokensPerPerson.value - 3, env.clock() + HOUR_MS);
    assert.equal(created(await Promise.all(Array.from({ length: 10 }, () => create(person)))), 3);
    const { tokens } = await list(person);
    const ended = await manage(target, person, "DELETE", `/api/tokens/${tokens[0]?.id}`);
    assert.equal(ended.status, 204);
    assert.equal(created([await create(person), await create(person)]), 1);
  });

  it("the oldest expired access tokens are removed when one is created", async () => {
    const person = await target.signIn(freshEmail("expired"));
    await addTokens(person, expiredTokensPerPerson.value + 20, env.clock() - HOUR_MS);
    assert.equal((await create(person)).status, 201);
    const { tokens, nextCursor } = await list(person);
    assert.deepEqual([tokens.length, nextCursor], [expiredTokensPerPerson.value + 1, null]);
    assert.equal(tokens.at(-1)?.name, "token 20");
  });

  it("access tokens are listed in pages", async () => {
    const person = await target.signIn(freshEmail("pages"));
    await addTokens(person, 60, null);
    const all = (await list(person)).tokens;
    const read: Listed = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await list(person, `?limit=25${cursor && `&cursor=${cursor}`}`);
      read.push(...page.tokens);
      cursor = page.nextCursor;
    }
    assert.equal(all.length, 60);
    assert.deepEqual(read, all);
    const visit = async (path: string) =>
      (await send(target.base, { method: "GET", path, headers: person.headers })).text;
    const first = await visit("/tokens");
    const [, next = ""] = /href="(\/tokens\?cursor=[^"]+)"/.exec(first) ?? [];
    const second = await visit(next);
    const shown = (text: string) => [...text.matchAll(/name="remove" value="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(
      [...shown(first), ...shown(second)],
      all.map(({ id }) => id),
    );
  });

  it("the page /tokens and the sign-in of the command line tell a person with too many tokens", async () => {
    const person = await target.signIn(freshEmail("full"));
    await addTokens(person, tokensPerPerson.value, null);
    const form: [string, string][] = [
      ["Content-Type", "application/x-www-form-urlencoded"],
      ["Origin", target.base],
      ["Accept", "text/html"],
    ];
    const headers = [...person.headers, ...form];
    const page = await send(target.base, { method: "POST", path: "/tokens", headers, body: "name=New" });
    assert.equal(page.status, 400);
    assert.match(page.text, /100 access tokens/);
    const query = new URLSearchParams({
      response_type: "code",
      client_id: "easel-cli",
      redirect_uri: "http://127.0.0.1:4000/callback",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
      state: "s",
    });
    const path = `/oauth/authorize?${query}`;
    const asked = await send(target.base, {
      method: "GET",
      path,
      headers: [...person.headers, ["Accept", "text/html"]],
    });
    assert.equal(asked.status, 409);
    assert.match(asked.text, /100 access tokens/);
  });

  it("a canvas has at most 1,000 invitations that are not revoked, listed in pages", async () => {
    const site = await stage(target);
    const { owner } = site.people;
    const user = await idOf(owner);
    const path = `/api/canvases/${site.id}/invites`;
    const insert = async (count: number, revokedAt: number | null) => {
      for (let n = 0; n < count; n++) {
        const id = newId();
        await env.db
          .run`insert into invites (id, canvas_id, email, name, token_hash, created_at, created_by, revoked_at)
          values (${id}, ${site.id}, 'guest@example.com', 'Guest', ${id}, 0, ${user}, ${revokedAt})`;
      }
    };
    await insert(2, 1);
    await insert(invitesPerCanvas.value - 2, null);
    const invite = () => manage(target, owner, "POST", path, { email: freshEmail("guest") });
    assert.equal(created(await Promise.all(Array.from({ length: 6 }, invite))), 2);
    const first = (await manage(target, owner, "GET", path)).json as { invites: Listed; nextCursor: string };
    const rest = (await manage(target, owner, "GET", `${path}?cursor=${first.nextCursor}`)).json;
    assert.equal(first.invites.length, 1_000);
    assert.deepEqual([(rest.invites as Listed).length, rest.nextCursor], [2, null]);
    assert.equal((await manage(target, owner, "DELETE", `${path}/${first.invites[0]?.id}`)).status, 204);
    assert.equal(created([await invite(), await invite()]), 1);
  });
});
