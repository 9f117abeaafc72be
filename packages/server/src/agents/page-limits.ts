/** The limits that the calls of an ordinary page can meet. */
export const PAGE_LIMITS = [
  ...([
    "kvKeyBytes",
    "valueBytes",
    "kvKeysShared",
    "kvKeysUser",
    "submissionsPerCanvas",
    "recordsPerCanvas",
  ] as const),
  ...(["fileBytes", "filesBytesPerCanvas", "aiBodyBytes", "aiMaxTokens", "connectionBodyBytes"] as const),
  ...([
    "connectionResponseBytes",
    "connectionTimeoutMs",
    "connectionsPerCanvas",
    "channelsPerConnection",
  ] as const),
  ...(["frameBytes", "publishesPerMinute"] as const),
];
