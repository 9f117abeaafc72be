import type { RuntimePolicy } from "@easel/protocol/policy";
import { readClientDocument } from "./access/client-document.ts";
import { CallLog } from "./async/call-log.ts";
import { LastSeen } from "./async/last-seen.ts";
import { OutboundCalls, Tally } from "./async/outbound-calls.ts";
import { PageViews } from "./async/page-views.ts";
import { newPools } from "./async/pools.ts";
import { Sample } from "./async/sampled.ts";
import { baseOf } from "./config/addresses.ts";
import type { Secrets } from "./crypto/secrets.ts";
import { DocumentCache } from "./drivers/document-cache.ts";
import type { Drivers } from "./drivers/drivers.ts";
import { RemoteDocuments } from "./drivers/remote-documents.ts";
import type { Env, InstanceContext, ProcessContext } from "./env.ts";

/** Builds the context of a process, which has done nothing yet. `port` is the one at which it listens, or would. */
export function newEnv(
  { config, canvasData, clock, log, metrics }: InstanceContext,
  drivers: Drivers,
  secrets: Secrets,
  { port, ...own }: Pick<ProcessContext, "lease" | "stopping"> & { port: number },
): Env {
  return {
    config,
    canvasData,
    clock,
    log,
    metrics,
    ...drivers,
    ...secrets,
    ...newPools((err) => log.error({ err }, "compressing files failed")),
    ...own,
    base: baseOf(config, port),
    lastSeen: new LastSeen(),
    open: { realtimeConnections: 0 },
    policies: new DocumentCache<RuntimePolicy>(),
    callLog: new CallLog(config.callLog),
    pageViews: new PageViews(config.pageViews),
    outboundCalls: new OutboundCalls(),
    callTally: new Tally(),
    refusalSample: new Sample(),
    clientDocuments: new RemoteDocuments(readClientDocument, { clock, log }),
    localContent: new Map(),
    isDev: false,
  };
}
