import type { Access } from "@easel/protocol/types";
import { maybe, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** Someone on a people list. */
export interface Listed {
  email: string;
  role: "editor" | "viewer";
}

/** The people list of a canvas, by address. */
export function listPeople(canvasId: string, { db }: Env): Promise<Listed[]> {
  return db.all<Listed>`select email, role from canvas_people where canvas_id = ${canvasId} order by email`;
}

/** Sets who may enter; what is left out stays. */
export async function setSharing(
  canvasId: string,
  { access, people }: { access?: Access | undefined; people?: Listed[] | undefined },
  { db, clock }: Env,
): Promise<void> {
  const steps: Step[] = [
    sql`update canvases set updated_at = ${clock()}, access = coalesce(${access ?? null}, access)
      where id = ${canvasId} and deleted_at is null`,
  ];
  if (people !== undefined) {
    steps.push(maybe`delete from canvas_people where canvas_id = ${canvasId}`);
    for (const { email, role } of people) {
      steps.push(
        sql`insert into canvas_people (canvas_id, email, role) values (${canvasId}, ${email}, ${role})`,
      );
    }
  }
  await db.batch(steps);
}
