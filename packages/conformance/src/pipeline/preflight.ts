import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readableFrom, unreadable, variesByOrigin } from "../cors.ts";
import { freshSlug, type Stage, stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { call, pageOrigin } from "../page.ts";
import type { Person, Target } from "../target.ts";

const METHODS = "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS";

interface Row {
  name: string;
  slug: (stage: Stage) => string;
  path: string;
  person: (stage: Stage) => Person | null;
}

const own = ({ slug }: Stage) => slug;
const nobody = () => null;

const ROWS: Row[] = [
  { name: "without a session", slug: own, path: "/kv/k", person: nobody },
  { name: "by the owner", slug: own, path: "/me", person: ({ people }) => people.owner },
  { name: "by somebody who may not in", slug: own, path: "/me", person: ({ people }) => people.stranger },
  { name: "with the backend off", slug: own, path: "/kv", person: ({ people }) => people.owner },
  { name: "to an unknown path", slug: own, path: "/no-such-path", person: nobody },
  { name: "to a path that is not UTF-8", slug: own, path: "/kv/%ZZ", person: nobody },
  { name: "to a long key", slug: own, path: `/kv/${"k".repeat(600)}`, person: nobody },
  { name: "to an unknown slug", slug: freshSlug, path: "/me", person: nobody },
];

/** Tests that the service answers every CORS preflight with 204. A preflight needs no session. */
export function preflight(target: Target): void {
  const subdomain = target.urlMode === "subdomain";
  describe(`preflight in ${target.urlMode} mode`, () => {
    let dark: Stage;
    before(async () => {
      dark = await stage(target, { switches: { backendEnabled: false } });
    });

    it("to a slug that is not UTF-8: 204", async () => {
      allows(await call(target, "%ff", null, "OPTIONS", "/me"), ["content-type"]);
    });

    for (const row of ROWS) {
      const ask = (slug: string, headers: Header[]) =>
        call(target, slug, row.person(dark), "OPTIONS", row.path, headers);

      it(`${row.name}, from its own page: 204`, async () => {
        const slug = row.slug(dark);
        const origin = pageOrigin(target, slug);
        const answer = await ask(slug, [
          ["Origin", origin],
          ["Access-Control-Request-Method", "PUT"],
        ]);
        allows(answer, ["content-type"]);
        if (subdomain) readableFrom(answer, origin);
        else unreadable(answer);
      });

      it(`${row.name}, from elsewhere: 204 without the credentialed headers`, async () => {
        const slug = row.slug(dark);
        const foreign = pageOrigin(target, freshSlug());
        for (const origin of [foreign, `${pageOrigin(target, slug)}.elsewhere.example`, "null"]) {
          const answer = await ask(slug, [
            ["Origin", origin],
            ["Access-Control-Request-Method", "DELETE"],
          ]);
          allows(answer, ["content-type"]);
          unreadable(answer);
          if (subdomain) variesByOrigin(answer);
        }
      });
    }

    it("without any header of a preflight: 204", async () => {
      const answer = await call(target, dark.slug, null, "OPTIONS", "/me");
      allows(answer, ["content-type"]);
      unreadable(answer);
    });

    it("allows the header names that are asked for", async () => {
      const answer = await call(target, dark.slug, null, "OPTIONS", "/me", [
        ["Origin", pageOrigin(target, dark.slug)],
        ["Access-Control-Request-Method", "POST"],
        ["Access-Control-Request-Headers", "content-type,x-one, x-two"],
      ]);
      allows(answer, ["content-type", "x-one", "x-two"]);
    });

    it("any content type: 204", async () => {
      allows(await call(target, dark.slug, null, "OPTIONS", "/kv/k", [["Content-Type", "?"]]), [
        "content-type",
      ]);
    });

    it("a cross-site preflight: 204", async () => {
      const answer = await call(target, dark.slug, null, "OPTIONS", "/me", [
        ["Sec-Fetch-Site", "cross-site"],
        ["Referer", "https://elsewhere.example/"],
      ]);
      allows(answer, ["content-type"]);
    });
  });
}

function allows(answer: Awaited<ReturnType<typeof call>>, headers: string[]): void {
  assert.equal(answer.status, 204, answer.text);
  assert.equal(answer.text, "");
  assert.equal(answer.headers["access-control-allow-methods"]?.replaceAll(" ", ""), METHODS);
  const names = answer.headers["access-control-allow-headers"]?.toLowerCase().split(",") ?? [];
  assert.deepEqual(names.map((name) => name.trim()).sort(), headers);
}
