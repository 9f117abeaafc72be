import { nameOf } from "./person.ts";

/** The canvases that `openCanvases` has created, and the people that it has signed in. */
export interface Canvases {
  slugs: string[];
  /** The `Cookie` header of each person. The first person owns the canvases. */
  people: string[];
}

const AT_ONCE = 16;

/**
 * Signs in `people` people and creates `count` canvases. The first person owns the canvases, and the whole organisation can open them. The
 * backend of each canvas is on.
 */
export async function openCanvases(base: string, count: number, people: number): Promise<Canvases> {
  const cookies: string[] = [];
  for (let user = 0; user < people; user++) cookies.push(await signIn(base, user));
  const [owner = ""] = cookies;
  const slugs: string[] = [];
  const make = async () => {
    while (slugs.length < count) {
      const slug = `room-${slugs.length}`;
      slugs.push(slug);
      const made = await call(base, owner, "POST", "/api/canvases", { title: slug, slug });
      const { id } = (await made.json()) as { id: string };
      await call(base, owner, "PATCH", `/api/canvases/${id}/capabilities`, { backendEnabled: true });
      await call(base, owner, "PUT", `/api/canvases/${id}/sharing`, { access: "whole_org" });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  return { slugs, people: cookies };
}

async function signIn(base: string, user: number): Promise<string> {
  const given = { email: `person-${user}@example.com`, name: nameOf(user) };
  const answer = await call(base, "", "POST", "/auth/dev/session", given);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function call(base: string, cookie: string, method: string, path: string, body: object) {
  const headers = { cookie, "content-type": "application/json" };
  const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}.`);
  return response;
}
