import { describe } from "node:test";
import { gate } from "./authentication/gate.ts";
import { gateCookie } from "./authentication/gate-cookie.ts";
import { guesses } from "./authentication/guesses.ts";
import { hosts } from "./authentication/hosts.ts";
import { invitations } from "./authentication/invitations.ts";
import { principals } from "./authentication/principals.ts";
import { revocation } from "./authentication/revocation.ts";
import { sessions } from "./authentication/sessions.ts";
import { tokens } from "./authentication/tokens.ts";
import type { Target } from "./target.ts";

/** Tests specification 5: authentication, for the API and for the canvas's pages. */
export function authentication(target: Target): void {
  describe("5 authentication", () => {
    if (target.rateLimited) return guesses(target);
    principals(target);
    gate(target);
    gateCookie(target);
    hosts(target);
    invitations(target);
    tokens(target);
    sessions(target);
    revocation(target);
  });
}
