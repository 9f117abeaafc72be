import type { Principal, User } from "../access/principal.ts";

/**
 * A session, which guests have, too, an access token, or the session of a preview, whose row the database has. `until` is when it ends, unless
 * it is ended earlier.
 */
export interface StoredCredential {
  kind: "session" | "token" | "preview";
  id: string;
  until: number;
}

/** What the sign-in proxy asserts about the sender of a request. `until` is infinite if the proxy has signed nothing. */
export interface Assertion {
  kind: "assertion";
  until: number;
}

/**
 * What proves who a caller is. It holds no secret and no part of a request, so that a caller can be authenticated again while a body arrives
 * and while a connection is open. `until` is in epoch milliseconds, and infinite for a credential without an end.
 */
export type Credential = StoredCredential | Assertion;

/** A user, and the credential that identifies them. */
export interface Identified<Proof extends Credential = Credential> {
  user: User;
  credential: Proof;
}

/** The caller of a request, with all on which their rights depend. The credential of a visitor is null. */
export interface Caller<Who extends Principal = Principal> {
  user: Who;
  credential: Credential | null;
  /** The values of the cookies that prove that the caller has entered the password of a canvas. */
  passes: readonly string[];
}
