import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, it } from "node:test";
import { send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { authorizationCodeGrant, type Configuration, tokenRevocation } from "openid-client";
import { sweep } from "../../src/canvases/sweep.ts";
import { whoAmI } from "../support/client.ts";
import { onEngines } from "../support/engines.ts";
import { DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND, still } from "../support/time.ts";
import {
  type Attempt,
  answerAttempt,
  callAs,
  DEVICE_GRANT,
  discover,
  exchange,
  failed,
  newAttempt,
  openPage,
  submitTo,
  ticketOf,
} from "./oauth-client.ts";

await onEngines("a token for the command line", ({ base, signIn }, env) => {
  let config: Configuration;
  let ada: Person;
  before(async () => {
    config = await discover(base);
    ada = await signIn(freshEmail("ada"));
  });

  const status = async (token: unknown) =>
    (await whoAmI(base, [["Authorization", `Bearer ${token}`]])).status;
  const tokensOf = async ({ headers }: Person) => {
    const { json } = await send(base, { method: "GET", path: "/api/tokens", headers });
    return json.tokens as { id: string; name: string; scope: string; expiresAt: number; createdAt: number }[];
  };
  const codeFor = async (attempt: Attempt, person = ada): Promise<string> =>
    (await answerAttempt(attempt, person.headers, "allow")).searchParams.get("code") ?? assert.fail();
  const startDevice = async (fields: Record<string, string> = {}) => {
    const { status, json, text } = await callAs(base, "/oauth/device_authorization", {
      host: "build-box",
      ...fields,
    });
    assert.equal(status, 200, text);
    return { device: String(json.device_code), user: String(json.user_code), json };
  };
  const poll = (device: string) =>
    callAs(base, "/oauth/token", { grant_type: DEVICE_GRANT, device_code: device });
  const enter = async (typed: string, person = ada) =>
    submitTo(base, "/oauth/device", person.headers, { user_code: typed });
  const answer = async (typed: string, given: string, person = ada) =>
    submitTo(base, "/oauth/device", person.headers, {
      ticket: ticketOf(await enter(typed, person)),
      answer: given,
    });

  it("a program gets the token over a loopback redirect, with PKCE, state and issuer", async () => {
    const attempt = await newAttempt(base);
    const back = await answerAttempt(attempt, ada.headers, "allow");
    assert.equal(back.origin + back.pathname, "http://127.0.0.1:49152/callback");
    assert.deepEqual([...back.searchParams.keys()], ["code", "state", "iss"]);
    const given = await authorizationCodeGrant(config, back, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
    });
    assert.deepEqual(
      [given.token_type, given.scope, given.expires_in],
      ["bearer", "full", (90 * DAY_MS) / SECOND],
    );
    assert.match(given.access_token, /^easel_pat_/);
    const me = await whoAmI(base, [["Authorization", `Bearer ${given.access_token}`]]);
    assert.equal(me.json.email, ada.email);
    const [newest] = await tokensOf(ada);
    assert.deepEqual([newest?.name, newest?.scope], ["easel on adas-laptop", "full"]);
    assert.equal((newest?.expiresAt ?? 0) - (newest?.createdAt ?? 0), 90 * DAY_MS);
    const [entry] = await env.db.all`select act, actor_email from audit where target = ${newest?.id ?? ""}`;
    assert.deepEqual(entry, { act: "token.create", actor_email: ada.email });
    await tokenRevocation(config, given.access_token);
    assert.equal(await status(given.access_token), 401);
    assert.deepEqual(await tokensOf(ada), []);
    assert.equal(
      (await env.db.all`select id from audit where act = 'token.delete' and target = ${newest?.id ?? ""}`)
        .length,
      1,
    );
  });

  it("a cancelled request gives access_denied, and no code", async () => {
    const back = await answerAttempt(await newAttempt(base), ada.headers, "deny");
    assert.equal(back.searchParams.get("error"), "access_denied");
    assert.equal(back.searchParams.has("code"), false);
  });

  it("a token has the scope that was asked for", async () => {
    for (const scope of ["deploy", "read"]) {
      const attempt = await newAttempt(base, { scope });
      const { json } = await exchange(attempt, await codeFor(attempt));
      assert.equal(json.scope, scope);
      assert.equal((await tokensOf(ada))[0]?.scope, scope);
    }
  });

  it("a code is valid for 60 s, for its redirect URI and its verifier: otherwise invalid_grant, and it stays valid", async () => {
    await still(env, async () => {
      const attempt = await newAttempt(base);
      const code = await codeFor(attempt);
      const other = await newAttempt(base);
      failed(await exchange(attempt, code, { code_verifier: other.verifier }), "invalid_grant");
      failed(
        await exchange(attempt, code, { redirect_uri: "http://127.0.0.1:49152/other" }),
        "invalid_grant",
      );
      failed(await exchange(attempt, code, { client_id: "other" }), "invalid_grant");
      failed(await exchange(attempt, code, { code_verifier: "" }), "invalid_request");
      failed(await exchange(attempt, code, { grant_type: DEVICE_GRANT, device_code: code }), "invalid_grant");
      await later(env, MINUTE_MS, async () => failed(await exchange(attempt, code), "invalid_grant"));
      await later(env, MINUTE_MS - 1, async () => assert.equal((await exchange(attempt, code)).status, 200));
    });
  });

  it("a code that is used a second time ends the token that it gave", async () => {
    const attempt = await newAttempt(base);
    const code = await codeFor(attempt);
    const { access_token: token } = (await exchange(attempt, code)).json;
    assert.equal(await status(token), 200);
    failed(await exchange(attempt, code), "invalid_grant");
    assert.equal(await status(token), 401);
  });

  it("a code that is used 20 times at once gives at most one token, which is ended", async () => {
    const attempt = await newAttempt(base);
    const code = await codeFor(attempt);
    const known = (await tokensOf(ada)).length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(attempt, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await tokensOf(ada)).length, known);
  });

  it("a person who is deactivated after the consent gets no token", async () => {
    const eve = await signIn(freshEmail("eve"));
    const [attempt, { device, user }] = [await newAttempt(base), await startDevice()];
    const code = await codeFor(attempt, eve);
    assert.equal((await answer(user, "allow", eve)).status, 200);
    await env.db.run`update users set deactivated_at = 1 where email = ${eve.email}`;
    failed(await exchange(attempt, code), "invalid_grant");
    failed(await poll(device), "invalid_grant");
    const made = await env.db
      .all`select 1 from tokens join users on users.id = user_id where email = ${eve.email}`;
    assert.deepEqual(made, []);
  });

  it("a device gets the token after the person has entered its code, in any case, with or without the dash", async () => {
    for (const written of [
      (code: string) => code,
      (code: string) => code.replace("-", "").toLowerCase(),
      (code: string) => ` ${code.replace("-", " – ")} `,
    ]) {
      const { device, user, json } = await startDevice();
      assert.match(user, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      assert.deepEqual(
        [json.verification_uri, json.verification_uri_complete, json.expires_in, json.interval],
        [`${base}/oauth/device`, undefined, 600, 5],
      );
      failed(await poll(device), "authorization_pending");
      const question = await enter(written(user));
      assert.match(question.text, /<bdi>build-box<\/bdi>/);
      assert.match(question.text, /127\.0\.0\.1/);
      assert.match(question.text, RegExp(user));
      assert.equal((await answer(written(user), "allow")).status, 200);
      const given = await poll(device);
      assert.equal(given.status, 200, given.text);
      assert.equal(given.headers["cache-control"], "no-store");
      assert.equal(await status(given.json.access_token), 200);
    }
  });

  it("a device: pending, slow_down, denied, expired, and used twice", async () => {
    await still(env, async () => {
      const { device, user } = await startDevice();
      failed(await poll(device), "authorization_pending");
      failed(await poll(device), "slow_down");
      // The clock of the database counts: that of the node which the device asks now may be ahead.
      await later(env, 5 * SECOND, async () => failed(await poll(device), "slow_down"));
      await env.db.run`update oauth_codes set polled_at = polled_at - 5000`;
      failed(await poll(device), "authorization_pending");
      assert.equal((await answer(user, "deny")).status, 200);
      failed(await poll(device), "access_denied");
      assert.equal((await enter(user)).status, 400);

      const late = await startDevice();
      const question = ticketOf(await enter(late.user));
      await later(env, 10 * MINUTE_MS, async () => {
        failed(await poll(late.device), "expired_token");
        assert.equal((await enter(late.user)).status, 400);
        const fields = { ticket: question, answer: "allow" };
        assert.equal((await submitTo(base, "/oauth/device", ada.headers, fields)).status, 400);
      });

      const twice = await startDevice();
      await answer(twice.user, "allow");
      const { access_token: token } = (await poll(twice.device)).json;
      assert.equal(await status(token), 200);
      failed(await poll(twice.device), "invalid_grant");
      assert.equal(await status(token), 401);
    });
  });

  it("the database has neither code of a device, and no hash that is made without the secret", async () => {
    const { device, user } = await startDevice();
    const typed = user.replace("-", "");
    const rows = await env.db.all<{
      user_code: string;
    }>`select * from oauth_codes where user_code is not null`;
    assert.ok(rows.length > 0);
    const hashes = (["sha256", "sha512"] as const).flatMap((method) =>
      (["hex", "base64url"] as const).flatMap((encoding) =>
        [typed, user].map((code) => createHash(method).update(code).digest(encoding)),
      ),
    );
    const stored = JSON.stringify(rows);
    for (const text of [device, user, typed, ...hashes]) assert.ok(!stored.includes(text), text);
  });

  it("the first answer to a device counts", async () => {
    const bob = await signIn(freshEmail("bob"));
    const { device, user } = await startDevice();
    const question = ticketOf(await enter(user, bob));
    await answer(user, "allow");
    const second = await submitTo(base, "/oauth/device", bob.headers, { ticket: question, answer: "allow" });
    assert.equal(second.status, 400);
    const { access_token: token } = (await poll(device)).json;
    assert.equal((await whoAmI(base, [["Authorization", `Bearer ${token}`]])).json.email, ada.email);
  });

  it("at most 100 devices of a network wait at a time: 503; neither expired ones nor other networks count", async () => {
    const waiting = (network: string, expiresAt: number) => env.db.run`
      insert into oauth_codes (secret_hash, user_code, network, host, scope, expires_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100)
      select ${network} || n, ${network} || n, cast(${network} as text), 'a', 'full', cast(${expiresAt} as bigint)
      from numbers`;
    await env.db.run`delete from oauth_codes`;
    for (const other of ["192.0.2.1", "192.0.2.2", "2001:db8:0:0::/64"])
      await waiting(other, env.clock() + 600 * SECOND);
    await waiting("127.0.0.1", env.clock());
    await startDevice();
    await env.db.run`delete from oauth_codes`;
    await waiting("127.0.0.1", env.clock() + 600 * SECOND);
    failed(await callAs(base, "/oauth/device_authorization", {}), "temporarily_unavailable", 503);
    await later(env, 600 * SECOND, startDevice);
    await env.db.run`delete from oauth_codes`;
  });

  it("a person has at most 50 codes that have not expired, and the sweep removes codes an hour after their end", async () => {
    const many = await signIn(freshEmail("many"));
    const attempt = await newAttempt(base);
    const [{ id = "" } = {}] = await env.db.all<{
      id: string;
    }>`select id from users where email = ${many.email}`;
    const end = env.clock() + 60 * SECOND;
    for (let n = 0; n < 50; n++)
      await env.db.run`insert into oauth_codes (secret_hash, host, scope, user_id, expires_at)
        values (${`${id}-${n}`}, ${"a"}, ${"full"}, ${id}, ${end})`;
    const fields = { ticket: ticketOf(await openPage(attempt.url, many.headers)), answer: "allow" };
    assert.equal((await submitTo(base, "/oauth/authorize", many.headers, fields)).status, 429);
    await later(env, 61 * SECOND, () => answerAttempt(attempt, many.headers, "allow"));
    const stored = async () => (await env.db.all`select 1 from oauth_codes where user_id = ${id}`).length;
    assert.equal(await stored(), 51);
    await sweep({ ...env, clock: () => end + HOUR_MS });
    assert.equal(await stored(), 1);
  });
});
