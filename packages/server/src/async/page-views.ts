const DAY_MS = 24 * 60 * 60 * 1000;

/** The largest number of canvases whose views wait. Views of further canvases are dropped, for example during an outage. */
const CANVASES_WAITING = 10_000;

/** The largest number of people who wait, for all canvases together. Views of further people are counted without them. */
const PEOPLE_WAITING = 20_000;

/** The number of canvases that are written at once. It is small because in SQLite a write blocks the event loop. */
const WRITTEN_AT_ONCE = 5;

/** The views of a canvas on a day that are not written yet. */
export interface WaitingViews {
  canvasId: string;
  /** Days since 1970 in UTC. */
  day: number;
  views: number;
  /** The time of the last view in epoch milliseconds. */
  lastAt: number;
  /** The ids of the people who opened a page. */
  people: Set<string>;
}

/** The part of the context that belongs to the views of pages. */
export interface ViewCounting {
  /** Counts the views of pages of canvases until they are written to the database. */
  pageViews: PageViews;
}

/** Counts the views of the pages of all canvases of this node in memory, which is bounded, until they are written to the database. */
export class PageViews {
  readonly #isKept: boolean;
  #waiting = new Map<string, WaitingViews>();
  #people = 0;
  #writing: Promise<void> = Promise.resolve();

  /** If `isKept` is false, nothing is counted. */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  /** Counts a view of a page at a time in epoch milliseconds. `person` is the id of the person, or null if they have not signed in. */
  add(canvasId: string, person: string | null, at: number): void {
    if (!this.#isKept) return;
    const waiting = this.#of(canvasId, Math.floor(at / DAY_MS));
    if (waiting === null) return;
    waiting.views++;
    waiting.lastAt = at;
    if (person !== null) this.#addPerson(waiting, person);
  }

  /**
   * Passes the waiting views to `store`, a few canvases at a time, once earlier writes have ended. If `store` throws, rethrows the error and
   * keeps what is not stored for the next write.
   */
  write(store: (views: WaitingViews) => Promise<void>): Promise<void> {
    const written = this.#writing.then(async () => {
      const waiting = [...this.#waiting.values()];
      this.#waiting = new Map();
      this.#people = 0;
      while (waiting.length > 0) {
        const group = waiting.splice(0, WRITTEN_AT_ONCE);
        const errors: unknown[] = [];
        const keep = (views: WaitingViews) => (error: unknown) => {
          errors.push(error);
          waiting.push(views);
        };
        await Promise.all(group.map((views) => store(views).catch(keep(views))));
        if (errors.length === 0) continue;
        for (const each of waiting) this.#putBack(each);
        throw errors[0];
      }
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Returns the views of a canvas on a day. Null if there are too many others. */
  #of(canvasId: string, day: number): WaitingViews | null {
    const key = `${day} ${canvasId}`;
    const known = this.#waiting.get(key);
    if (known !== undefined) return known;
    if (this.#waiting.size >= CANVASES_WAITING) return null;
    const added: WaitingViews = { canvasId, day, views: 0, lastAt: 0, people: new Set() };
    this.#waiting.set(key, added);
    return added;
  }

  #addPerson({ people }: WaitingViews, person: string): void {
    if (this.#people >= PEOPLE_WAITING || people.has(person)) return;
    people.add(person);
    this.#people++;
  }

  #putBack({ canvasId, day, views, lastAt, people }: WaitingViews): void {
    const waiting = this.#of(canvasId, day);
    if (waiting === null) return;
    waiting.views += views;
    waiting.lastAt = Math.max(waiting.lastAt, lastAt);
    for (const person of people) this.#addPerson(waiting, person);
  }
}
