import assert from "node:assert/strict";
import { type Answer, type Header, send } from "./http.ts";
import { Jar } from "./jar.ts";
import { open, type Page, pageUrl } from "./page.ts";
import type { Person, Target } from "./target.ts";

/** The Accept header that a browser sends when it navigates. */
export const NAVIGATES: Header = ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"];
/** The Content-Type header of a submitted HTML form. */
export const FORM: Header = ["Content-Type", "application/x-www-form-urlencoded"];

const MOST_REDIRECTS = 10;
const GATE = "__service_gate";

/**
 * A browser with a cookie jar, used by a person or an anonymous caller. In proxy mode it adds the person's identity headers to every
 * request.
 */
export class Browser {
  readonly jar = new Jar();
  readonly #target: Target;
  readonly #headers: Header[] = [];

  constructor(target: Target, person: Person | null = null) {
    this.#target = target;
    const base = new URL(target.base);
    const kept = base.protocol === "https:" ? "Path=/; Secure" : "Path=/";
    for (const header of person?.headers ?? []) {
      if (header[0] !== "Cookie") this.#headers.push(header);
      else for (const pair of header[1].split("; ")) this.jar.take(base, [`${pair}; ${kept}`]);
    }
  }

  /** Sends one request to the service's host or to a canvas's host. Does not follow redirects. */
  async send(method: string, url: URL, headers: Header[] = [], body?: string): Promise<Answer> {
    const answer = await send(this.#target.base, {
      method,
      path: url.pathname + url.search,
      host: url.host,
      headers: [...this.#headers, ...this.jar.headersFor(url), ...headers],
      ...(body === undefined ? {} : { body }),
    });
    this.jar.take(url, answer.headers["set-cookie"]);
    return answer;
  }

  /**
   * Navigates to an address, follows redirects within the service, and returns the last response. Returns a redirect to the sign-in page
   * instead of following it.
   */
  async visit(address: URL | string): Promise<Answer> {
    let url = new URL(address, this.#target.base);
    for (let turn = 0; turn < MOST_REDIRECTS; turn++) {
      const answer = await this.send("GET", url, [NAVIGATES]);
      const next = answer.headers.location && new URL(answer.headers.location, url);
      if (!next || signsIn(next, this.#target)) return answer;
      url = next;
    }
    return assert.fail(`${address} redirects without end`);
  }

  /** Requests the page of a canvas. */
  canvas(slug: string): Promise<Answer> {
    return this.visit(pageUrl(this.#target, slug));
  }

  /**
   * Opens the page of a canvas and submits its password form. If the response to the form is a redirect, also requests the target of the
   * redirect. Returns the response to the form.
   */
  async unlock(slug: string, password: string, accept: Header = NAVIGATES): Promise<Answer> {
    await this.canvas(slug);
    const url = new URL("__gate", pageUrl(this.#target, slug));
    const from: Header[] = [
      ["Origin", url.origin],
      ["Sec-Fetch-Site", "same-origin"],
      ["Referer", pageUrl(this.#target, slug)],
    ];
    const body = new URLSearchParams({ password }).toString();
    const answer = await this.send("POST", url, [accept, FORM, ...from], body);
    if (answer.status === 303 && answer.headers.location) {
      await this.visit(new URL(answer.headers.location, url));
    }
    return answer;
  }

  /** Returns the value of the password cookie that is sent to the API of a canvas, or undefined if there is none. */
  gateCookie(slug: string): string | undefined {
    return this.jar.valueAt(this.#api(slug), GATE);
  }

  /**
   * Returns a client of a canvas's runtime API. It sends requests as the page of the canvas would, with the cookies that the browser has
   * now.
   */
  api(slug: string): Page {
    const headers = [...this.#headers, ...this.jar.headersFor(this.#api(slug))];
    return open(this.#target, slug, { email: "", name: "", headers });
  }

  #api(slug: string): URL {
    return new URL(`/v1/c/${slug}/me`, this.#target.base);
  }
}

/** Whether a redirect leads to a sign-in page: the service's own or a provider's. */
function signsIn(url: URL, { base }: Target): boolean {
  const { host } = new URL(base);
  const ours = url.host === host || url.host.endsWith(`.${host}`);
  return !ours || url.pathname === "/auth/login";
}
