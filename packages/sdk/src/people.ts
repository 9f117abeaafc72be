import type { Person } from "@easel/protocol/types";
import { invalid } from "./errors.ts";
import type { Api } from "./request.ts";

/** The display name of a person, and the URL of their picture or null. */
export type KnownPerson = Omit<Person, "id">;

/** Ids of people, such as the `authorId` of records. */
export type PersonIds = readonly string[] | ReadonlySet<string>;

/** The maximum number of ids in a request. */
const MOST_IDS = 100;
const FRESH_MS = 5 * 60_000;
const ID = /^[A-Za-z0-9:-]{1,128}$/;

/** One request for people: the `ids` that it asks for, and a promise of the people that the service knows, by id. */
interface Batch {
  ids: string[];
  people: Promise<Map<string, KnownPerson>>;
}

/** A person whom the page has asked for. `until` is the time until which the result is used. */
interface LookUp {
  person: Promise<KnownPerson | undefined>;
  until: number;
}

/**
 * Creates the function `easel.people`. A person whom the service has found is kept for five minutes. An id that the service does not know
 * is not kept.
 */
export function createPeople(api: Api): (ids: PersonIds) => Promise<Map<string, KnownPerson>> {
  const lookUps = new Map<string, LookUp>();
  let open: Batch | undefined;

  /**
   * Waits until the running code has added all its ids to `ids`, and then requests the people with these ids. Waits for a promise and not
   * for a timer, because browsers slow down the timers of a hidden page.
   */
  const request = async (ids: string[]) => {
    await undefined;
    open = undefined;
    const { people } = await api.json<{ people: Person[] }>("GET", `/people?ids=${ids}`);
    return new Map(people.map(({ id, ...person }) => [id, person]));
  };

  const lookUp = (id: string) => {
    const known = lookUps.get(id);
    if (known && Date.now() < known.until) return known.person;
    if (!open || open.ids.length === MOST_IDS) {
      const ids: string[] = [];
      open = { ids, people: request(ids) };
    }
    open.ids.push(id);
    const person = open.people.then((people) => people.get(id));
    lookUps.set(id, { person, until: Date.now() + FRESH_MS });
    const forget = () => lookUps.delete(id);
    person.then((found) => found ?? forget(), forget);
    return person;
  };

  return async (ids) => {
    const wanted = [...ids];
    if (typeof ids === "string" || !wanted.every((id) => ID.test(id ?? "")))
      throw invalid("`people` takes an array of ids, such as the `authorId` of records.");
    const people = await Promise.all(wanted.map(async (id) => [id, await lookUp(id)] as const));
    return new Map(people.filter(([, person]) => person)) as Map<string, KnownPerson>;
  };
}
