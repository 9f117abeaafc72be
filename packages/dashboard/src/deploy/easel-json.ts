import "./without-eval.ts";

export { audiencesIn, easelJson, faultsOf, switchesFor } from "@easel/server/easel-json";
