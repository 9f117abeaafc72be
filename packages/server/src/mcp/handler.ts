import type { FastifyReply, FastifyRequest } from "fastify";

/** Answers a request. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The handlers of the paths of the tools. */
export type Handlers = Record<"serve" | "upload" | "ask" | "answer", Handler>;
