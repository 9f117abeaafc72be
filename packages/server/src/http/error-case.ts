import type { ErrorCode } from "@easel/protocol/errors";

/** An error that an operation can return: its code, and the status if it is not the usual one of the code. */
export type ErrorCase = ErrorCode | readonly [ErrorCode, status: number];
