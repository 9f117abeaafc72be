// The entry `@easel/sdk/live`: the stores of live data on which `@easel/react` is built, for bindings to other frameworks.

export { createLive, type Live, type LiveState, type Source, type Write } from "./live/live-data.ts";
export { createLiveRecords, type LiveRecord, type LiveRecords } from "./live/live-records.ts";
export { createLiveValue, type LiveValue } from "./live/live-value.ts";
export type { RecordQuery, Records } from "./live/record-reader.ts";
export { createStore, type Store, type WritableStore } from "./live/store.ts";
export { createUsers } from "./live/user-count.ts";
