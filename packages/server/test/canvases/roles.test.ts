import assert from "node:assert/strict";
import { test } from "node:test";
import { onDatabases } from "../drivers/databases.ts";

type Role = "editor" | "viewer" | null;
const ROLES: Role[] = [null, "viewer", "editor"];

/** Every combination of the role that the people list gives and the roles that two teams give. */
const COMBINATIONS = ROLES.flatMap((list) =>
  ROLES.flatMap((one) => ROLES.map((other) => ({ list, one, other }))),
);
const strongest = (roles: Role[]): Role =>
  roles.includes("editor") ? "editor" : roles.includes("viewer") ? "viewer" : null;

await onDatabases("the view of roles", (db) => {
  test("has one row for each address and canvas, with the strongest role of list and teams", async () => {
    await db.run`insert into users (id, email, name, created_at) values ('u', 'u@example.com', 'U', 1)`;
    for (const [index, { list, one, other }] of COMBINATIONS.entries()) {
      const canvas = `c${index}`;
      await db.run`
        insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
        values (${canvas}, ${canvas}, 'Tea', 'u', 'u', 1, 1)`;
      for (const email of ["ada@example.com", "bob@example.com"])
        if (list !== null)
          await db.run`insert into canvas_people (canvas_id, email, role) values (${canvas}, ${email}, ${list})`;
      for (const [team, role] of Object.entries({ one, other })) {
        if (role === null) continue;
        const id = `${canvas}-${team}`;
        await db.run`insert into teams (id, name, created_by, created_at) values (${id}, 'Tea', 'u', 1)`;
        await db.run`insert into team_members (team_id, email) values (${id}, 'ada@example.com')`;
        await db.run`insert into canvas_teams (canvas_id, team_id, role) values (${canvas}, ${id}, ${role})`;
      }
    }
    for (const [index, { list, one, other }] of COMBINATIONS.entries()) {
      for (const [email, role] of [
        ["ada@example.com", strongest([list, one, other])],
        ["bob@example.com", list],
        ["eve@example.com", null],
      ] as const) {
        const rows = await db.all`
          select canvas_id, email, role from roles where canvas_id = ${`c${index}`} and email = ${email}`;
        const expected = role === null ? [] : [{ canvas_id: `c${index}`, email, role }];
        assert.deepEqual(rows, expected, `${email}: ${list}, ${one}, ${other}`);
      }
    }
  });
});
