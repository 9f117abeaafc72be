import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";

/** What a browser says when it wants a page to show. */
export const NAVIGATES: Header[] = [
  ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"],
  ["Sec-Fetch-Mode", "navigate"],
];

/** A `Cookie` header of these pairs, name and value joined. */
export const jar = (...pairs: string[]): Header => ["Cookie", pairs.join("; ")];

/** The first cookie that an answer sets, as `name=value`. */
export const pairOf = ({ headers }: Answer): string => headers["set-cookie"]?.[0]?.split(";")[0] ?? "";

/** The way onto the host of a canvas in subdomain mode, step by step; `base` is where the service listens. */
export class HandOver {
  readonly #base: string;
  readonly host: string;

  /** `host` is that of the service's address. */
  constructor(base: string, host = new URL(base).host) {
    this.#base = base;
    this.host = host;
  }

  /** A request to the host of a canvas. */
  at(slug: string, path: string, headers: Header[] = [], method = "GET", body?: string): Promise<Answer> {
    const host = `${slug}.${this.host}`;
    return send(this.#base, { method, path, host, headers, ...(body === undefined ? {} : { body }) });
  }

  /** Step 1: a page is asked for without a cookie. Answers where to go, and the secret that the browser keeps. */
  async begin(slug: string, path = "/", headers: Header[] = []) {
    const answer = await this.at(slug, path, [...NAVIGATES, ...headers]);
    assert.equal(answer.status, 302, answer.text);
    return { answer, url: new URL(String(answer.headers.location)), secret: pairOf(answer) };
  }

  /** Step 2: the base host gives someone a code. `address` as the canvas host answered it. */
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

  /** Step 3: the code is brought to the host of a canvas. */
  enter(slug: string, { search }: URL, ...pairs: string[]): Promise<Answer> {
    return this.at(slug, `/__enter${search}`, [...NAVIGATES, ...(pairs.length > 0 ? [jar(...pairs)] : [])]);
  }

  /** All of it: the cookie that the host of a canvas gives someone. */
  async through(slug: string, session: Header[]): Promise<string> {
    const begun = await this.begin(slug);
    const passed = await this.pass(begun.url, session);
    const answer = await this.enter(slug, passed.url, begun.secret);
    assert.equal(answer.status, 303, answer.text);
    return pairOf(answer);
  }
}
