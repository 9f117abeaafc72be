import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { parallel } from "@easel/conformance/parallel";
import { arrange, startFixture, visit } from "./matrix-fixture.ts";
import { type Cell, EXPIRIES, expected, PASSWORDS, ROLES, RUNGS, STATES, SURFACES } from "./matrix-oracle.ts";
import { pairs } from "./pairs.ts";

/*
 * Compares responses over HTTP with the rules that `matrix-oracle.ts` restates, for a sample of the cells: callers, states of the canvas,
 * and surfaces. `matrix-rules.test.ts` tests all cells without HTTP.
 */

const SHOWN = 20;
const WITHOUT_ORGANISATIONS = ROLES.slice(0, 10);
const USUAL = { state: "active", password: "none", expiry: "none" } as const;

interface Row {
  tenancy: boolean;
  urlMode: "path" | "subdomain";
  roles: readonly Cell["role"][];
}

const ROWS: Row[] = [
  { tenancy: false, urlMode: "path", roles: WITHOUT_ORGANISATIONS },
  { tenancy: false, urlMode: "subdomain", roles: WITHOUT_ORGANISATIONS },
  { tenancy: true, urlMode: "path", roles: ROLES },
  { tenancy: true, urlMode: "subdomain", roles: ROLES },
];

/**
 * Returns a sample of cells. It contains every pair of values, every pair on an active canvas (whose state hides no other refusal), and
 * every role with every general access.
 */
function sample(roles: Row["roles"]): Cell[] {
  const factors = { role: roles, rung: RUNGS, password: PASSWORDS, expiry: EXPIRIES, surface: SURFACES };
  const usual = roles.flatMap((role) =>
    RUNGS.flatMap((rung) => SURFACES.map((surface): Cell => ({ ...USUAL, role, rung, surface }))),
  );
  return [
    ...pairs<Cell & Record<string, string>>({ ...factors, state: STATES }),
    ...pairs<Cell & Record<string, string>>({ ...factors, state: ["active"] }),
    ...usual,
  ];
}

// All services start before the first suite, because services stop when no suite is left.
const fixtures = [];
for (const row of ROWS) fixtures.push({ ...row, fixture: await startFixture({ after }, row) });

for (const { tenancy, urlMode, roles, fixture } of fixtures) {
  describe(`who may enter, canvases by ${urlMode}, organisations ${tenancy ? "on" : "off"}`, () => {
    const cells = sample(roles);

    for (const rung of RUNGS) {
      it(rung, async () => {
        const wrong: string[] = [];
        // Cells that differ only in the caller and the surface are tested together, in one state of the canvas.
        const states = Map.groupBy(
          cells.filter((cell) => cell.rung === rung),
          ({ state, password, expiry }) =>
            `${state}, ${password === "none" ? "no password" : "password"}, ${expiry}`,
        );
        for (const [where, asked] of states) {
          await arrange(fixture, asked[0] as Cell);
          const answers = await parallel(asked, (cell) => visit(fixture, cell), 16);
          for (const [index, cell] of asked.entries())
            if (answers[index] !== expected(cell))
              wrong.push(
                `${where}, ${cell.surface}, ${cell.role}, password ${cell.password}: ${answers[index]} instead of ${expected(cell)}`,
              );
        }
        assert.deepEqual(wrong.slice(0, SHOWN), [], `${wrong.length} cells differ`);
      });
    }

    it("every two values of different factors occur together", () => {
      const sizes = [roles, RUNGS, STATES, PASSWORDS, EXPIRIES, SURFACES].map(({ length }) => length);
      const twos = sizes.flatMap((one, index) => sizes.slice(index + 1).map((other) => one * other));
      const seen = cells.flatMap((cell) => {
        const values = Object.entries(cell)
          .map(([name, value]) => `${name} ${value}`)
          .sort();
        return values.flatMap((one, index) => values.slice(index + 1).map((other) => `${one}, ${other}`));
      });
      assert.equal(
        new Set(seen).size,
        twos.reduce((sum, each) => sum + each),
      );
    });
  });
}
