import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ConfigError, readConfig } from "./config.ts";

const read = (value: unknown) =>
  readConfig({ SERVICE_OAUTH_CLIENTS: typeof value === "string" ? value : JSON.stringify(value) })
    .oauthClients;

const BOT = { clientId: "acme-bot", name: "Acme bot", redirectUris: ["https://bot.acme.test/callback"] };

suite("the clients of the operator", () => {
  test("by default there are none, and programs may register themselves", () => {
    const { oauthClients, oauthRegistration } = readConfig({});
    assert.deepEqual([oauthClients, oauthRegistration], [{ hosts: [], applications: [], clients: [] }, true]);
    assert.equal(readConfig({ SERVICE_OAUTH_REGISTRATION: "off" }).oauthRegistration, false);
  });

  test("hosts and clients are read in any order", () => {
    assert.deepEqual(
      read(["Claude.ai", BOT, "tools.acme.test:8443", "acme://oauth/callback", "vscode.dev:443"]),
      {
        hosts: ["claude.ai", "tools.acme.test:8443", "vscode.dev"],
        applications: ["acme://oauth/callback"],
        clients: [BOT],
      },
    );
    const redirectUris = ["http://localhost/callback", "cursor://a/b", "http://127.0.0.1:1/"];
    assert.deepEqual(read([{ ...BOT, redirectUris }]).clients, [{ ...BOT, redirectUris }]);
    assert.deepEqual(read("[]"), { hosts: [], applications: [], clients: [] });
  });

  const mistakes: [value: unknown, message: RegExp][] = [
    ["claude.ai", /it may hold JSON: an array of hosts/],
    ["{}", /it may hold JSON/],
    ["null", /it may hold JSON/],
    [["https://claude.ai"], /`https:\/\/claude\.ai` is no host such as `claude\.ai`/],
    [["claude.ai/oauth"], /is no host/],
    [["acme:"], /no address of an application such as `acme:\/\/oauth\/callback`/],
    [["acme://oauth/../callback"], /no address of an application/],
    [["javascript://a.test/%0aalert(1)"], /no address of an application/],
    [["*.claude.ai"], /is no host/],
    [["claude.ai."], /is no host/],
    [["claude.ai:0"], /is no host/],
    [["claude.ai:70000"], /is no host/],
    [[""], /is no host/],
    [["ada@claude.ai"], /is no host/],
    [[7], /a `clientId` has/],
    [[null], /a `clientId` has/],
    [[{}], /a `clientId` has/],
    [[{ ...BOT, clientId: "" }], /a `clientId` has/],
    [[{ ...BOT, clientId: "acme bot" }], /a `clientId` has/],
    [[{ ...BOT, clientId: "https://acme.test/bot" }], /a `clientId` has/],
    [[{ ...BOT, clientId: "easel-cli" }], /is not `easel-cli`/],
    [[{ ...BOT, clientId: "a".repeat(101) }], /a `clientId` has/],
    [[{ ...BOT, name: "" }], /the `name` of `acme-bot`/],
    [[{ ...BOT, name: "a".repeat(61) }], /the `name` of `acme-bot`/],
    [[{ ...BOT, name: "Acme\u202ebot" }], /the `name` of `acme-bot`/],
    [[{ ...BOT, redirectUris: [] }], /`acme-bot` needs `redirectUris`/],
    [[{ ...BOT, redirectUris: "https://a.test/cb" }], /`acme-bot` needs `redirectUris`/],
    [
      [{ ...BOT, redirectUris: ["http://bot.acme.test/cb"] }],
      /`http:\/\/bot\.acme\.test\/cb` of `acme-bot` is no redirect URI/,
    ],
    [[{ ...BOT, redirectUris: ["javascript:alert(1)"] }], /is no redirect URI/],
    [[{ ...BOT, redirectUris: [7] }], /is no redirect URI/],
    [[{ ...BOT, redirectUri: "https://a.test/cb" }], /unknown field `redirectUri`/],
    [[BOT, "claude.ai", BOT], /`acme-bot` is there twice/],
  ];
  for (const [value, message] of mistakes)
    test(`${JSON.stringify(value).slice(0, 70)}: told at the start`, () =>
      assert.throws(
        () => read(value),
        (error) => error instanceof ConfigError && message.test(error.message),
      ));
});
