import assert from "node:assert/strict";
import { before, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { sweep } from "../../src/canvases/sweep.ts";
import { signOutUser } from "../../src/identity/sign-out.ts";
import { whoAmI } from "../support/client.ts";
import { onEngines } from "../support/engines.ts";
import { DAY_MS, HOUR_MS, later, MINUTE_MS, still } from "../support/time.ts";
import {
  APP_REDIRECT,
  codeOf,
  connectApp,
  grantedBy,
  listTools,
  newAppAttempt,
  redeemAs,
  refreshAs,
  register,
} from "./oauth-app.ts";
import { callAs, failed } from "./oauth-client.ts";

const SECOND_MS = 1_000;

await onEngines("a program that a person connects", (target, env) => {
  const { base, signIn } = target;
  let clientId: string;
  let ada: Person;
  before(async () => {
    clientId = await register(base);
    ada = await signIn(freshEmail("ada"));
  });

  const status = async (token: string) => (await listTools(base, token)).status;
  const refresh = (token: string) => refreshAs(base, clientId, token);
  /** The connected tools of a person. */
  const appsOf = ({ email }: Person) =>
    env.db.all<Record<string, unknown>>`
      select apps.* from apps join users on users.id = user_id where email = ${email} order by apps.id`;
  /** The reasons for which connected tools of a person have ended. */
  const endsOf = async ({ email }: Person) => {
    const rows = await env.db.all<{ details: string }>`
      select details from audit where act = 'app.end' and actor_email = ${email} order by id`;
    return rows.map(({ details }) => (JSON.parse(details) as { reason: string }).reason);
  };

  it("gets an hour of access to the tools, and a refresh token", async () => {
    const person = await signIn(freshEmail("first"));
    const granted = await connectApp(base, clientId, person);
    const { access_token, refresh_token, ...rest } = granted;
    assert.deepEqual(rest, { token_type: "Bearer", expires_in: 3_600, scope: "full" });
    assert.match(access_token, /^easel_mcp_/);
    assert.match(refresh_token, /^easel_refresh_/);
    assert.equal(await status(access_token), 200);
    const [app] = await appsOf(person);
    const { client_name, client_host, redirect_host, verified, own_only, confirms } = app ?? {};
    assert.deepEqual(
      { client_name, client_host, redirect_host, verified, own_only, confirms },
      {
        client_name: "Test tool",
        client_host: null,
        redirect_host: "127.0.0.1:49153",
        verified: 0,
        own_only: 0,
        confirms: 1,
      },
    );
    assert.equal(Number(app?.expires_at) - Number(app?.created_at), 90 * DAY_MS);
    const [entry] = await env.db.all<{ act: string; actor_email: string; details: string }>`
      select act, actor_email, details from audit where target = ${String(app?.id)}`;
    assert.deepEqual([entry?.act, entry?.actor_email], ["app.create", person.email]);
    assert.deepEqual(JSON.parse(entry?.details ?? ""), {
      client: "Test tool",
      clientId,
      clientHost: null,
      redirectHost: "127.0.0.1:49153",
      verified: false,
      scope: "full",
      canvasId: null,
      ownOnly: false,
      confirms: true,
    });
  });

  it("has no access to the APIs, and the tokens of these none to the tools", async () => {
    const { access_token, refresh_token } = await connectApp(base, clientId, ada);
    for (const token of [access_token, refresh_token])
      assert.equal((await whoAmI(base, [["Authorization", `Bearer ${token}`]])).status, 401);
    assert.equal(await status(refresh_token), 401);
    const { json } = await manage(target, ada, "POST", "/api/tokens", { name: "ci" });
    assert.equal(await status(String(json.token)), 401);
  });

  it("a code is valid for 60 s, for its client, redirect URI, verifier and resource", async () => {
    await still(env, async () => {
      const attempt = await newAppAttempt(base, clientId);
      const code = await codeOf(attempt, ada);
      const other = await newAppAttempt(base, clientId);
      const another = await register(base, "Another");
      for (const changes of [
        { code_verifier: other.verifier },
        { redirect_uri: `${APP_REDIRECT}/other` },
        { client_id: another },
        { client_id: "easel-cli" },
      ])
        failed(await redeemAs(attempt, code, changes), "invalid_grant");
      failed(await redeemAs(attempt, code, { code_verifier: "" }), "invalid_request");
      failed(await redeemAs(attempt, code, { resource: `${base}/api` }), "invalid_target");
      await later(env, MINUTE_MS, async () => failed(await redeemAs(attempt, code), "invalid_grant"));
      await later(env, MINUTE_MS - 1, async () => grantedBy(await redeemAs(attempt, code)));
    });
  });

  it("a code that is used a second time ends the tool that it connected", async () => {
    const person = await signIn(freshEmail("twice"));
    const attempt = await newAppAttempt(base, clientId);
    const code = await codeOf(attempt, person);
    const granted = grantedBy(await redeemAs(attempt, code));
    failed(await redeemAs(attempt, code), "invalid_grant");
    assert.equal(await status(granted.access_token), 401);
    failed(await refresh(granted.refresh_token), "invalid_grant");
    assert.deepEqual([await appsOf(person), await endsOf(person)], [[], ["code used twice"]]);
  });

  it("a code that is used 10 times at once connects at most one tool, which is ended", async () => {
    const person = await signIn(freshEmail("race"));
    const attempt = await newAppAttempt(base, clientId);
    const code = await codeOf(attempt, person);
    const answers = await Promise.all(Array.from({ length: 10 }, () => redeemAs(attempt, code)));
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    assert.deepEqual(await appsOf(person), []);
  });

  it("a refresh token gives new tokens, and the access token of before stays valid until its end", async () => {
    await still(env, async () => {
      const first = await connectApp(base, clientId, ada);
      await later(env, 50 * MINUTE_MS, async () => {
        const second = grantedBy(await refresh(first.refresh_token));
        assert.notEqual(second.refresh_token, first.refresh_token);
        assert.equal(await status(first.access_token), 200);
        assert.equal(await status(second.access_token), 200);
        await later(env, 10 * MINUTE_MS, async () => {
          assert.equal(await status(first.access_token), 401);
          assert.equal(await status(second.access_token), 200);
        });
      });
    });
  });

  it("a refresh token belongs to its client", async () => {
    const another = await register(base, "Another");
    const granted = await connectApp(base, clientId, ada);
    for (const id of [another, "easel-cli", "https://tool.example/client"])
      failed(await refreshAs(base, id, granted.refresh_token), "invalid_grant");
    for (const token of [`${granted.refresh_token}x`, granted.access_token, "easel_refresh_", "'"])
      failed(await refresh(token), "invalid_grant");
    failed(
      await callAs(base, "/oauth/token", { grant_type: "refresh_token", client_id: clientId }),
      "invalid_request",
    );
    failed(
      await refreshAs(base, clientId, granted.refresh_token, { resource: "https://other.example/mcp" }),
      "invalid_target",
    );
    const { scope } = grantedBy(await refreshAs(base, clientId, granted.refresh_token, { scope: "read" }));
    assert.equal(scope, "full");
  });

  it("a spent refresh token that is used again ends the tool", async () => {
    const person = await signIn(freshEmail("stolen"));
    const first = await connectApp(base, clientId, person);
    const second = grantedBy(await refresh(first.refresh_token));
    const third = grantedBy(await refresh(second.refresh_token));
    failed(await refresh(first.refresh_token), "invalid_grant");
    for (const { access_token, refresh_token } of [second, third]) {
      assert.equal(await status(access_token), 401);
      failed(await refresh(refresh_token), "invalid_grant");
    }
    assert.deepEqual([await appsOf(person), await endsOf(person)], [[], ["refresh token used twice"]]);
  });

  it("a refresh token whose response was lost can be used again for a minute, and its first successor no more", async () => {
    await still(env, async () => {
      const person = await signIn(freshEmail("lost"));
      const first = await connectApp(base, clientId, person);
      const lost = grantedBy(await refresh(first.refresh_token));
      const again = grantedBy(await later(env, MINUTE_MS - 1, async () => refresh(first.refresh_token)));
      assert.equal(await status(lost.access_token), 401);
      assert.equal(await status(again.access_token), 200);
      failed(await refresh(lost.refresh_token), "invalid_grant");
      assert.equal(await status(again.access_token), 401);
      assert.deepEqual(await endsOf(person), ["refresh token used twice"]);
    });
  });

  it("a minute after its use, a refresh token whose response was lost ends the tool", async () => {
    await still(env, async () => {
      const person = await signIn(freshEmail("late"));
      const first = await connectApp(base, clientId, person);
      grantedBy(await refresh(first.refresh_token));
      await later(env, MINUTE_MS, async () => failed(await refresh(first.refresh_token), "invalid_grant"));
      assert.deepEqual(await endsOf(person), ["refresh token used twice"]);
    });
  });

  it("a refresh token whose successor gave access that was used ends the tool", async () => {
    const person = await signIn(freshEmail("used"));
    const first = await connectApp(base, clientId, person);
    const second = grantedBy(await refresh(first.refresh_token));
    assert.equal(await status(second.access_token), 200);
    // The use is recorded without waiting for it.
    const unused = () => env.db.get`select tokens.id from tokens join users on users.id = user_id
      where email = ${person.email} and tokens.used_at is null and tokens.id in (
        select token_id from app_refresh_tokens where spent_at is null)`;
    while ((await unused()) !== undefined) await setTimeout(5);
    failed(await refresh(first.refresh_token), "invalid_grant");
    assert.deepEqual(await endsOf(person), ["refresh token used twice"]);
  });

  it("of 10 refreshes at once with one token, at most one leads on", async () => {
    const person = await signIn(freshEmail("many"));
    const { refresh_token } = await connectApp(base, clientId, person);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refresh_token)));
    const granted = answers.filter((answer) => answer.status === 200).map(grantedBy);
    assert.ok(granted.length >= 1);
    const unspent = await env.db.all`
      select secret_hash from app_refresh_tokens join apps on apps.id = app_id join users on users.id = user_id
      where email = ${person.email} and spent_at is null`;
    assert.equal(unspent.length, 1);
    const works = await Promise.all(granted.map(({ access_token }) => status(access_token)));
    assert.equal(works.filter((each) => each === 200).length, 1);
  });

  it("ends after 30 days without use, and after 90 days with it", async () => {
    await still(env, async () => {
      const idle = await connectApp(base, clientId, ada);
      await later(env, 30 * DAY_MS, async () => failed(await refresh(idle.refresh_token), "invalid_grant"));
      let { refresh_token } = await connectApp(base, clientId, ada);
      for (const days of [29, 58, 87])
        await later(env, days * DAY_MS, async () => {
          refresh_token = grantedBy(await refresh(refresh_token)).refresh_token;
        });
      await later(env, 90 * DAY_MS - 600 * SECOND_MS, async () => {
        const last = grantedBy(await refresh(refresh_token));
        assert.equal(last.expires_in, 600);
        refresh_token = last.refresh_token;
      });
      await later(env, 90 * DAY_MS, async () => failed(await refresh(refresh_token), "invalid_grant"));
    });
  });

  it("a person who is deactivated between the issue and the refresh: both tokens end with the next request", async () => {
    const person = await signIn(freshEmail("gone"));
    const attempt = await newAppAttempt(base, clientId);
    const code = await codeOf(attempt, person);
    const { access_token, refresh_token } = await connectApp(base, clientId, person);
    await env.db.run`update users set deactivated_at = 1 where email = ${person.email}`;
    assert.equal(await status(access_token), 401);
    failed(await refresh(refresh_token), "invalid_grant");
    failed(await redeemAs(attempt, code), "invalid_grant");
    assert.equal((await appsOf(person)).length, 1);
  });

  it("a tool that its person ends while it refreshes has no access left", async () => {
    const person = await signIn(freshEmail("ended"));
    for (let rounds = 0; rounds < 5; rounds++) {
      const { refresh_token } = await connectApp(base, clientId, person);
      const [app] = await appsOf(person);
      const [answer, ended] = await Promise.all([
        refresh(refresh_token),
        manage(target, person, "DELETE", `/api/apps/${app?.id}`),
      ]);
      assert.equal(ended.status, 204, ended.text);
      if (answer.status === 200) {
        const granted = grantedBy(answer);
        assert.equal(await status(granted.access_token), 401);
        failed(await refresh(granted.refresh_token), "invalid_grant");
      } else failed(answer, "invalid_grant");
      assert.deepEqual(await appsOf(person), []);
    }
  });

  it("a person whom an administrator signs out between the answer and the exchange: no tool", async () => {
    const person = await signIn(freshEmail("out"));
    const attempt = await newAppAttempt(base, clientId);
    const code = await codeOf(attempt, person);
    const { refresh_token } = await connectApp(base, clientId, person);
    const row = await env.db.get<{ id: string }>`select id from users where email = ${person.email}`;
    assert.equal(await signOutUser(row?.id ?? "", { tokens: true }, env), true);
    failed(await redeemAs(attempt, code), "invalid_grant");
    failed(await refresh(refresh_token), "invalid_grant");
    assert.deepEqual(await appsOf(person), []);
  });

  it("tokens of a program are not ended by another one", async () => {
    const person = await signIn(freshEmail("kept"));
    const other = await register(base, "Another tool");
    const { access_token, refresh_token } = await connectApp(base, clientId, person);
    for (const client_id of [other, "easel-cli", "unknown"])
      for (const token of [access_token, refresh_token])
        failed(await callAs(base, "/oauth/revoke", { client_id, token }), "invalid_grant");
    assert.deepEqual([await status(access_token), await endsOf(person)], [200, []]);
    grantedBy(await refresh(refresh_token));
  });

  it("a refresh token that is revoked ends the tool, and an access token that is revoked only itself", async () => {
    const person = await signIn(freshEmail("revoked"));
    const revoke = (token: string) => callAs(base, "/oauth/revoke", { client_id: clientId, token });
    const first = await connectApp(base, clientId, person);
    assert.equal((await revoke(first.access_token)).status, 200);
    assert.equal(await status(first.access_token), 401);
    const second = grantedBy(await refresh(first.refresh_token));
    assert.equal((await revoke(second.refresh_token)).status, 200);
    assert.equal(await status(second.access_token), 401);
    failed(await refresh(second.refresh_token), "invalid_grant");
    assert.deepEqual([await appsOf(person), await endsOf(person)], [[], ["revoked by the program"]]);
  });

  it("what has ended is removed: idle and expired tools, spent refresh tokens, access tokens, codes", async () => {
    await still(env, async () => {
      const person = await signIn(freshEmail("swept"));
      const { refresh_token } = await connectApp(base, clientId, person);
      const counts = async () => {
        const [row] = await env.db.all<Record<string, number>>`
          select (select count(*) from apps join users on users.id = user_id where email = ${person.email}) as apps,
            (select count(*) from tokens join users on users.id = user_id where email = ${person.email}) as tokens,
            (select count(*) from app_codes join users on users.id = user_id where email = ${person.email}) as codes`;
        return Object.values(row ?? {}).map(Number);
      };
      await sweep(env);
      assert.deepEqual(await counts(), [1, 1, 1]);
      await later(env, 2 * HOUR_MS, () => sweep(env));
      assert.deepEqual(await counts(), [1, 0, 0]);
      const second = await later(env, 29 * DAY_MS, () => refresh(refresh_token));
      await later(env, 31 * DAY_MS, () => sweep(env));
      assert.deepEqual((await counts())[0], 1);
      grantedBy(await later(env, 31 * DAY_MS, () => refresh(grantedBy(second).refresh_token)));
      await later(env, 62 * DAY_MS, () => sweep(env));
      assert.deepEqual(await counts(), [0, 0, 0]);
    });
  });
});
