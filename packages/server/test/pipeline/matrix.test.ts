import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { parallel } from "@easel/conformance/parallel";
import { arrange, startHouse, visit } from "./matrix-house.ts";
import { type Cell, EXPIRIES, expected, PASSWORDS, ROLES, RUNGS, STATES, SURFACES } from "./matrix-oracle.ts";

const SHOWN = 20;
const WITHOUT_ORGANISATIONS = ROLES.slice(0, 10);

interface Row {
  tenancy: boolean;
  urlMode: "path" | "subdomain";
  roles: readonly Cell["role"][];
  cells: number;
}

const ROWS: Row[] = [
  { tenancy: false, urlMode: "path", roles: WITHOUT_ORGANISATIONS, cells: 7_200 },
  { tenancy: false, urlMode: "subdomain", roles: WITHOUT_ORGANISATIONS, cells: 7_200 },
  { tenancy: true, urlMode: "path", roles: ROLES, cells: 8_640 },
  { tenancy: true, urlMode: "subdomain", roles: ROLES, cells: 8_640 },
];

// Every service runs before the first suite begins: they are stopped as soon as no suite is left.
const houses = [];
for (const row of ROWS) houses.push({ ...row, house: await startHouse({ after }, row) });

for (const { tenancy, urlMode, roles, cells, house } of houses) {
  describe(`who may enter, canvases by ${urlMode}, organisations ${tenancy ? "on" : "off"}`, () => {
    let visited = 0;

    for (const rung of RUNGS) {
      for (const state of STATES) {
        it(`${rung}, ${state}`, async () => {
          const wrong: string[] = [];
          for (const expiry of EXPIRIES) {
            for (const passwords of [["none"], ["set", "set and given"]] as const) {
              await arrange(house, { rung, state, password: passwords[0], expiry });
              const asked = passwords.flatMap((password) =>
                roles.flatMap((role) =>
                  SURFACES.map((surface): Cell => ({ role, rung, state, password, expiry, surface })),
                ),
              );
              const answers = await parallel(asked, (cell) => visit(house, cell), 16);
              for (const [index, cell] of asked.entries()) {
                visited++;
                if (answers[index] !== expected(cell)) {
                  const where = `${cell.surface}, ${cell.role}, password ${cell.password}, expiry ${expiry}`;
                  wrong.push(`${where}: ${answers[index]} instead of ${expected(cell)}`);
                }
              }
            }
          }
          assert.deepEqual(wrong.slice(0, SHOWN), [], `${wrong.length} cells differ`);
        });
      }
    }

    it(`that were ${cells} cells`, () => {
      const sizes = [roles, RUNGS, STATES, PASSWORDS, EXPIRIES, SURFACES].map(({ length }) => length);
      assert.equal(
        sizes.reduce((product, size) => product * size),
        cells,
      );
      assert.equal(visited, cells);
    });
  });
}
