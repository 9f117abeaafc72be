import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";

/** Headers that a browser sends when it navigates to a page. */
export const NAVIGATES: Header[] = [
  ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"],
  ["Sec-Fetch-Mode", "navigate"],
];

/** Returns a `Cookie` header of these pairs, each as `name=value`. */
export const jar = (...pairs: string[]): Header => ["Cookie", pairs.join("; ")];

/** Returns the first cookie that a response sets, as `name=value`. */
export const pairOf = ({ headers }: Answer): string => headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

/**
 * Performs the hand-over, the redirects that sign a browser in at the host of a canvas, step by step. `base` is the URL that the service
 * listens on.
 */
export class HandOver {
  readonly #base: string;
  readonly host: string;

  /** `host` is the host of the service's base URL. */
  constructor(base: string, host = new URL(base).host) {
    this.#base = base;
    this.host = host;
  }

  /** Sends a request to the host of a canvas. */
  at(slug: string, path: string, headers: Header[] = [], method = "GET", body?: string): Promise<Answer> {
    const host = `${slug}.${this.host}`;
    return send(this.#base, { method, path, host, headers, ...(body === undefined ? {} : { body }) });
  }

  /** Step 1: requests a page from the host of a canvas without a cookie. Returns the redirect to the base host, and the secret cookie. */
  async begin(slug: string, path = "/", headers: Header[] = []) {
    const answer = await this.at(slug, path, [...NAVIGATES, ...headers]);
    assert.equal(answer.status, 302, answer.text);
    return { answer, url: new URL(String(answer.headers.location)), secret: pairOf(answer) };
  }

  /** Step 2: requests a code from the base host. `address` is the URL to which step 1 has redirected. */
  async pass(address: URL, session: Header[]) {
    const path = address.pathname + address.search;
    const answer = await send(this.#base, {
      method: "GET",
      path,
      host: this.host,
      headers: [...NAVIGATES, ...session],
    });
    assert.equal(answer.status, 303, answer.text);
    const url = new URL(String(answer.headers.location));
    return { answer, url, code: url.searchParams.get("code") ?? "" };
  }

  /** Step 3: sends the code to the host of a canvas, which responds with its cookie. */
  enter(slug: string, { search }: URL, ...pairs: string[]): Promise<Answer> {
    return this.at(slug, `/__enter${search}`, [...NAVIGATES, ...(pairs.length > 0 ? [jar(...pairs)] : [])]);
  }

  /** Performs all steps. Returns the cookie of the canvas host. */
  async through(slug: string, session: Header[]): Promise<string> {
    const begun = await this.begin(slug);
    const passed = await this.pass(begun.url, session);
    const answer = await this.enter(slug, passed.url, begun.secret);
    assert.equal(answer.status, 303, answer.text);
    return pairOf(answer);
  }
}
