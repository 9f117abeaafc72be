import { randomBytes } from "node:crypto";
import type { ConnectionGrant } from "@easel/protocol/management";
import { Tally } from "../../src/async/outbound-calls.ts";
import { newId } from "../../src/crypto/ids.ts";
import { Sealer } from "../../src/crypto/secrets.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { type NewProfile, putProfile } from "../../src/organisation/connections/profiles.ts";

/** An encryption key. */
export const KEY = randomBytes(32);

/** The origin of profiles, unless a test gives another one. */
export const ORIGIN = "https://api.test";

/** A grant that admits members only. */
export const MEMBERS: ConnectionGrant = { public: false, guests: false, limits: {} };

/** Returns an unused name of a profile. */
export const freshProfile = (): string => `p${newId().toLowerCase()}`;

/** The tables of Connections in a database, as a node with the given encryption keys uses them. The test sets the time in `now`. */
export class ConnectionStores {
  readonly env: Env;
  /** The current time for the stores, in epoch milliseconds. */
  now = Date.UTC(2031, 0, 31, 12);

  constructor(db: Db, keys: Buffer[] = [KEY]) {
    this.env = {
      db,
      sealer: new Sealer(keys),
      callTally: new Tally(),
      clock: () => this.now,
    } as unknown as Env;
  }

  /** Creates or replaces a profile. */
  put(name: string, fields: Partial<NewProfile> = {}) {
    return putProfile({ name, origin: ORIGIN, methods: ["GET"], enabled: true, ...fields }, this.env);
  }

  /** Creates a canvas with this title and returns its id. */
  async canvas(title = "Connected"): Promise<string> {
    const id = newId();
    await this.env.db.run`
      insert into users (id, email, name, created_at) values ('owner', 'owner@example.com', 'Owner', 1)
      on conflict (id) do nothing`;
    await this.env.db.run`
      insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
      values (${id}, ${id}, ${title}, 'owner', 'owner', 1, 1)`;
    return id;
  }
}
