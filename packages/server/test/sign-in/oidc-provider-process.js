import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

/*
 * The process of an OpenID Connect provider that accepts every account. It listens on a free loopback port, sends the issuer to its parent,
 * and serves requests once the parent has sent the client: `{ client_id, redirect_uris, … }`.
 */

/**
 * Returns the claims of the account with this address. `unverified…` is an address that is not verified, `nameless…` is one without a name.
 */
function claimsOf(email) {
  const local = email.split("@", 1)[0];
  return {
    sub: `account of ${email}`,
    email,
    email_verified: !local.startsWith("unverified"),
    ...(local.startsWith("nameless") ? {} : { name: `Name of ${local}` }),
  };
}

/** @param {string} issuer @param {Record<string, unknown>} client */
function providerOf(issuer, client) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "one", use: "sig" }] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    pkce: { required: () => true },
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_context, email) => ({ accountId: email, claims: () => claimsOf(email) }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  }).callback();
}

let answer = (_request, response) => response.writeHead(503).end();
const server = createServer((request, response) => answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://localhost:${server.address().port}`;
  process.on("message", (client) => {
    answer = providerOf(issuer, client);
    process.send("ready");
  });
  process.on("disconnect", () => process.exit());
  process.send(issuer);
});
