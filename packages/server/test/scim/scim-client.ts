import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";
import type { Target } from "@easel/conformance/target";

/** The token of the provider in tests. */
export const TOKEN = "a-token-of-32-characters-or-more-0123";

/** Asserts that an answer is an error in the form of SCIM. */
export function refusedAs(answer: Answer, status: number, scimType?: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(
    [answer.json.schemas, answer.json.status, answer.json.scimType],
    [["urn:ietf:params:scim:api:messages:2.0:Error"], String(status), scimType],
  );
}

/** A user as the service sends one. */
export type ScimUser = Record<string, unknown> & { id: string };

/** Returns the requests of a provider, in the forms of Entra and Okta. */
export function scimClient(target: Target) {
  const call = (method: string, path: string, body?: unknown, token = TOKEN): Promise<Answer> => {
    const headers: Header[] = [
      ["Authorization", `Bearer ${token}`],
      ["Content-Type", "application/scim+json"],
    ];
    const text = body === undefined ? undefined : JSON.stringify(body);
    return send(target.base, {
      method,
      path: `/scim/v2${path}`,
      headers,
      ...(text !== undefined && { body: text }),
    });
  };
  return {
    call,
    /** Adds a user whose only address is the user name, unless `more` says otherwise. */
    async create(email: string, more: object = {}): Promise<ScimUser> {
      const answer = await call("POST", "/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: email,
        name: { givenName: "Ada", familyName: "Byron", formatted: "Ada Byron" },
        emails: [{ value: email, type: "work", primary: true }],
        active: true,
        ...more,
      });
      assert.equal(answer.status, 201, answer.text);
      return answer.json as ScimUser;
    },
    patch: (path: string, ...Operations: object[]) =>
      call("PATCH", path, { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations }),
    filter: (type: string, text: string, more = "") =>
      call("GET", `/${type}?filter=${encodeURIComponent(text)}${more}`),
  };
}
