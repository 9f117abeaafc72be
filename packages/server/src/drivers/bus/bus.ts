/** What is left of a bucket after taking from it. */
export interface Taken {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until the bucket is full again. */
  resetMs: number;
}

/** What nodes tell each other and count together. Nothing here outlives the service. */
export interface Bus {
  /** Takes one of `limit` that a bucket gives every `windowMs`. */
  take(key: string, limit: number, windowMs: number): Promise<Taken>;
  /** Tells every listener of a topic, on every node; one that throws keeps the message from nobody else. */
  publish(topic: string, message: string): Promise<void>;
  /** Listens to a topic; answers a function that stops. */
  subscribe(topic: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
