import { pino } from "pino";

/** JSON lines on standard error. Headers that carry secrets never reach them. */
export const newLog = (level: string) =>
  pino(
    { level, redact: ["req.headers.cookie", "req.headers.authorization"] },
    pino.destination({ dest: 2, sync: false }),
  );
