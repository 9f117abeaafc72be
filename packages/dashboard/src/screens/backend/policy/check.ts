import "../../../deploy/without-eval.ts";

export { checkPolicy } from "@easel/server/policy-faults";
