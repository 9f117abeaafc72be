import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { FORM } from "../support/client.ts";

/** Asserts that a response is the page of a failed sign-in: it has a link to try again, reveals nothing, and sets no session cookie. */
export function turnedDown({ status, headers, text }: Answer, expected: number, says: RegExp): void {
  assert.equal(status, expected, text);
  assert.match(String(headers["content-type"]), /^text\/html/);
  assert.equal(headers["cache-control"], "private, no-store");
  assert.match(/<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? "", says);
  assert.match(wayOn(text), /^\/auth\/login\?returnTo=/);
  assert.doesNotMatch(text, /eyJ|access token|@example/);
  assert.doesNotMatch(String(headers["set-cookie"] ?? ""), /easel_session/);
}

/** Returns the link to try again on the page of a failed sign-in. */
export const wayOn = (page: string): string =>
  (/href="(\/auth\/login[^"]*)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");

/** The heading of the page for an unreachable provider. */
export const SILENT = /^The sign-in service does not answer$/;
/** The heading of the page for an invalid response of the provider. */
export const BROKEN = /^Signing in does not work right now$/;

/** A minimal browser for signing in: it keeps cookies and submits forms, but does not follow redirects by itself. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, { value: string; path: string }>>();

  /** Requests a page. */
  get(address: string, headers: Header[] = []): Promise<Answer> {
    return this.#send("GET", address, headers);
  }

  /** Submits a form. */
  post(address: string, fields: Record<string, string>): Promise<Answer> {
    return this.#send("POST", address, [FORM], new URLSearchParams(fields).toString());
  }

  /** Returns the signed-in user as `GET /api/me` does. */
  async me(base: string): Promise<Record<string, unknown>> {
    return (await this.get(`${base}/api/me`)).json;
  }

  /** Returns the value of a cookie of a site; undefined when there is none. */
  cookie(site: string, name: string): string | undefined {
    return this.#cookies.get(new URL(site).origin)?.get(name)?.value;
  }

  /** Starts a sign-in. Returns the URL of the provider to which the service redirects. */
  async login(base: string, returnTo?: string): Promise<string> {
    const query = returnTo === undefined ? "" : `?${new URLSearchParams({ returnTo })}`;
    const { status, headers, text } = await this.get(`${base}/auth/login${query}`);
    assert.equal(status, 302, text);
    return headers.location ?? "";
  }

  /** Follows the provider from this URL and submits its forms as a user. Returns the URL of the callback. */
  async approve(address: string, email: string): Promise<string> {
    const { origin } = new URL(address);
    let at = address;
    let answer = await this.get(at);
    for (let steps = 0; steps < 20; steps++) {
      const { location } = answer.headers;
      if (location !== undefined) {
        at = new URL(location, at).href;
        if (new URL(at).origin !== origin) return at;
        answer = await this.get(at);
      } else {
        const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)?.[1];
        assert.ok(
          answer.status === 200 && prompt !== undefined,
          `${answer.status} ${answer.text.slice(0, 500)}`,
        );
        answer = await this.post(at, { prompt, login: email, password: "any" });
      }
    }
    return assert.fail("the provider goes round in circles");
  }

  /** Signs in as a user; returns the service's last response. */
  async signIn(base: string, email: string, returnTo?: string): Promise<Answer> {
    return this.get(await this.approve(await this.login(base, returnTo), email));
  }

  async #send(method: string, address: string, headers: Header[], body?: string): Promise<Answer> {
    const { origin, pathname, search } = new URL(address);
    const jar = this.#cookies.getOrInsertComputed(origin, () => new Map());
    const sent = [...jar].filter(([, { path }]) => pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join("; ");
    const answer = await send(origin, {
      method,
      path: pathname + search,
      headers: [
        ["Accept", "text/html"],
        ...(cookie === "" ? [] : ([["Cookie", cookie]] as Header[])),
        ...headers,
      ],
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [pair = "", ...attributes] = line.split(/;\s*/);
      const [name = "", value = ""] = pair.split("=");
      const path = attributes.find((each) => each.toLowerCase().startsWith("path="))?.slice(5) ?? "/";
      if (value === "") jar.delete(name);
      else jar.set(name, { value, path });
    }
    return answer;
  }
}
