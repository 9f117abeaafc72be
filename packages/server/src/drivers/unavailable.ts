/**
 * Thrown when the database, the blob store or the bus cannot be reached, or the database is locked for too long. Reads may be retried. A write
 * that fails with it may still have happened, so writes are never retried automatically. A request gets 503 `UNAVAILABLE`.
 */
export class Unavailable extends Error {}
