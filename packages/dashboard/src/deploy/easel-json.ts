import "./without-eval.ts";

export { easelJson, faultsOf } from "@easel/server/easel-json";
