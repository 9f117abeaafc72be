import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { devTarget } from "@easel/conformance/target";
import { scimClient, TOKEN } from "../scim/scim-client.ts";
import { signIn, startWithFake } from "./oidc-fake.ts";
import { turnedDown, Visitor } from "./oidc-visitor.ts";

/* A provider that manages people by SCIM and signs them in by OpenID Connect: ending somebody there ends their sessions here. */

const { fake, base } = await startWithFake(
  { after },
  { SERVICE_SCIM_TOKEN: TOKEN, SERVICE_SCIM_ID_CLAIM: "oid" },
);
const { call, patch } = scimClient(devTarget(base, "path"));
beforeEach(() => fake.reset());

describe("a person of Entra whose UPN and mail differ", () => {
  const end = { op: "Replace", path: "active", value: "False" };
  const rows: [what: string, name: string, claims: (upn: string, mail: string, oid: string) => object][] = [
    ["signs in with the mail", "mail", (_, mail) => ({ email: mail })],
    ["signs in with the UPN", "upn", (upn) => ({ email: upn })],
    [
      "signs in with an address of which the directory knows nothing",
      "oid",
      (upn, _, oid) => ({ email: `other.${upn}`, oid }),
    ],
  ];
  for (const [what, name, claims] of rows)
    for (const first of ["the directory", "the person"])
      it(`${what}, ${first} came first: deactivated, they are signed out and cannot sign in`, async () => {
        const row = `${name}.${first.replace(" ", "-")}`;
        const [upn, mail, oid] = [`${row}@corp.example`, `${row}@mail.example`, `oid of ${row}`];
        fake.claims = { sub: `sub of ${row}`, ...claims(upn, mail, oid) };
        const visitor = new Visitor();
        const enter = async () => assert.equal((await signIn(base, visitor)).status, 303);
        if (first === "the person") await enter();
        const body = {
          userName: upn,
          externalId: oid,
          emails: [{ value: mail, type: "work", primary: true }],
          active: true,
        };
        const asked = await call("GET", `/Users?filter=${encodeURIComponent(`userName eq "${upn}"`)}`);
        const known = (asked.json.Resources as { id: string }[])[0]?.id;
        const made =
          known === undefined
            ? await call("POST", "/Users", body)
            : await call("PUT", `/Users/${known}`, body);
        assert.ok(made.status < 300, made.text);
        if (first === "the directory") await enter();
        assert.equal((await visitor.me(base)).id, made.json.id);
        assert.equal((await patch(`/Users/${made.json.id}`, end)).json.active, false);
        assert.equal((await visitor.get(`${base}/api/me`)).status, 302, "to the sign-in");
        turnedDown(await signIn(base), 403, /may not sign in|deactivated|access/i);
      });

  it("a different account with the address is not theirs", async () => {
    const body = { userName: "given@corp.example", externalId: "oid of the former", active: true };
    assert.equal((await call("POST", "/Users", body)).status, 201);
    fake.claims = { sub: "sub of the next", email: "given@corp.example", oid: "oid of the next" };
    assert.equal((await signIn(base)).status, 403);
  });
});
