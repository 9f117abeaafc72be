import type { RuntimePolicy } from "@easel/protocol/policy";
import { type Checked, check } from "../../http/validate.ts";
import { policy } from "./canvas-schemas.ts";

/** Checks a value as the policy document of a canvas, as the service does before it saves one. */
export const checkPolicy = (value: unknown): Checked<RuntimePolicy> => check(value, policy, "The document");
