import type { Attack } from "./attack.ts";
import { accounts } from "./attacks/accounts.ts";
import { bodies } from "./attacks/bodies.ts";
import { deploys } from "./attacks/deploys.ts";
import { runtime } from "./attacks/runtime.ts";
import { smallRequestAttacks } from "./attacks/small-requests.ts";
import { transfers } from "./attacks/transfers.ts";

/** Every way in which the fairness runs attack a service. */
export const ATTACKS: readonly Attack[] = [
  ...bodies,
  ...deploys,
  ...transfers,
  ...runtime,
  ...accounts,
  ...smallRequestAttacks,
];
