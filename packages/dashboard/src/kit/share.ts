/** Returns the share of a limit that is used, from 0 to 1, also if more than all is used. Of a limit of nothing, all is used. */
export const shareOf = (used: number, limit: number): number => (limit === 0 ? 1 : Math.min(used / limit, 1));
