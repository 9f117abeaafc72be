import { Counter, Gauge, Histogram, type Metric } from "./metric.ts";

/** Upper bounds of the durations of requests, in seconds, as OpenTelemetry recommends them. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Upper bounds of the durations of commits and statements, in seconds. */
const DATABASE_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];
/** Upper bounds of numbers of tokens, as OpenTelemetry recommends them. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

/**
 * Creates the metrics of a process. This table is their only definition: `docs/monitoring.md` is generated from it. Names are those of the
 * conventions of OpenTelemetry where these have one. No label tells of a person, a canvas or a URL.
 */
export const newMetrics = () => ({
  requestDuration: new Histogram(
    "http_server_request_duration_seconds",
    "Duration of HTTP requests, from their arrival until the last byte of the response. `http_route` is the pattern of the route. 499: the client has gone before the response.",
    ["http_request_method", "http_route", "http_response_status_code"],
    REQUEST_SECONDS,
  ),
  activeRequests: new Gauge(
    "http_server_active_requests",
    "HTTP requests that have no complete response yet, without open WebSockets.",
    [],
  ),
  realtimeConnections: new Gauge("easel_realtime_connections", "Open WebSocket connections.", []),
  realtimeFrames: new Counter(
    "easel_realtime_frames_total",
    "Frames on WebSocket connections. `direction` is `in` or `out`.",
    ["direction"],
  ),
  commitDuration: new Histogram(
    "easel_db_commit_duration_seconds",
    "Duration of transactions of the SQLite database that write, each of which commits all writes of one turn of the event loop.",
    ["engine"],
    DATABASE_SECONDS,
  ),
  operationDuration: new Histogram(
    "db_client_operation_duration_seconds",
    "Duration of statements and transactions at the PostgreSQL server, until their answers arrive.",
    ["db_system_name"],
    DATABASE_SECONDS,
  ),
  walBytes: new Gauge("easel_sqlite_wal_bytes", "Size of the write-ahead log of the SQLite database.", []),
  dbAvailable: new Gauge(
    "easel_db_available",
    "1 while the database can be reached; at 0 requests that need it get 503.",
    ["engine"],
  ),
  diskFree: new Gauge(
    "easel_disk_free_bytes",
    "Free space of the disk with the data directory (`data`), the SQLite database (`database`) and the blobs (`blobs`).",
    ["disk"],
  ),
  blobsSwept: new Counter(
    "easel_blobs_swept_total",
    "Blobs that this process has removed because nothing referred to them.",
    [],
  ),
  lastSweep: new Gauge(
    "easel_sweep_last_success_timestamp_seconds",
    "When a process of the instance last finished a sweep, which is due every hour.",
    [],
  ),
  lastBackup: new Gauge(
    "easel_backup_last_success_timestamp_seconds",
    "When the command `backup` last made a backup of the instance. Absent if it never did.",
    [],
  ),
  deploys: new Counter(
    "easel_deploys_total",
    "Deploys of bundles and staged deploys. `outcome` is `published`, `stored` or `failed`.",
    ["outcome"],
  ),
  signIns: new Counter(
    "easel_sign_ins_total",
    "Sign-ins. `outcome` is `member` or `guest` for a started session, otherwise the reason of the refusal.",
    ["outcome"],
  ),
  refusals: new Counter(
    "easel_refusals_total",
    "Responses with an error. `code` is that of the error, or `NOT_AUTHENTICATED` for a response without a code and status 401.",
    ["code"],
  ),
  rateLimited: new Counter(
    "easel_rate_limited_total",
    "Requests that a rate limit has refused. `class` is what it limits.",
    ["class"],
  ),
  aiRequests: new Counter(
    "easel_ai_requests_total",
    "Requests to AI models. `outcome` is `done`, `failed` or `aborted`.",
    ["model", "outcome"],
  ),
  aiTokens: new Histogram(
    "gen_ai_client_token_usage",
    "Tokens of each AI request. `gen_ai_token_type` is `input` or `output`.",
    ["gen_ai_request_model", "gen_ai_token_type"],
    TOKENS,
  ),
  aiCost: new Counter("easel_ai_cost_usd_total", "Cost of AI requests in US dollars.", ["model"]),
  connectionDuration: new Histogram(
    "http_client_request_duration_seconds",
    "Duration of requests of Connections to their external servers, until the response has been read. `error` instead of a status: none came.",
    ["server_address", "http_response_status_code"],
    REQUEST_SECONDS,
  ),
  eventLoopDelayMean: new Gauge(
    "nodejs_eventloop_delay_mean_seconds",
    "Mean delay of the event loop since the metrics were last read.",
    [],
  ),
  eventLoopDelayP99: new Gauge(
    "nodejs_eventloop_delay_p99_seconds",
    "99th percentile of the delay of the event loop since the metrics were last read.",
    [],
  ),
  eventLoopDelayMax: new Gauge(
    "nodejs_eventloop_delay_max_seconds",
    "Longest delay of the event loop since the metrics were last read.",
    [],
  ),
  eventLoopUtilization: new Gauge(
    "nodejs_eventloop_utilization",
    "Share of the time since the metrics were last read in which the event loop was busy, from 0 to 1.",
    [],
  ),
  heapUsed: new Gauge("v8js_memory_heap_used_bytes", "Used bytes of the JavaScript heap, by space.", [
    "v8js_heap_space_name",
  ]),
  cpuSeconds: new Counter(
    "process_cpu_seconds_total",
    "CPU time of the process, of users and of the system.",
    [],
  ),
  residentBytes: new Gauge("process_resident_memory_bytes", "Resident memory of the process.", []),
  startTime: new Gauge("process_start_time_seconds", "When the process started, since the epoch.", []),
  openFds: new Gauge("process_open_fds", "Open file descriptors of the process (Linux).", []),
  buildInfo: new Gauge("easel_build_info", "Always 1. The labels have the versions.", [
    "version",
    "node_version",
  ]),
});

/** The metrics of a process. They are always counted, and read only if SERVICE_METRICS_ADDRESS is set. */
export type Metrics = Readonly<ReturnType<typeof newMetrics>>;

/** The part of the context that belongs to the metrics. */
export interface Measuring {
  metrics: Metrics;
}

/** Lists the metrics in the order of the table. */
export const listMetrics = (metrics: Metrics): Metric[] => Object.values(metrics) as unknown as Metric[];

/** Returns metrics in the text format of Prometheus, version 0.0.4. */
export const metricsText = (metrics: Metrics): string =>
  listMetrics(metrics)
    .map((metric) => metric.text())
    .join("");
