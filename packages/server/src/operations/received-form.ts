import type { FastifyRequest } from "fastify";
import type { Readmittable } from "./operation.ts";

/** A form with the caller who has sent it, as they were when it had arrived. */
export interface ReceivedForm<Caller, Form> {
  caller: Caller;
  form: Form;
}

/**
 * Receives a form. `admit` checks the request and returns its caller before the body is read. A client can send the body seconds later, so the
 * caller is admitted again then, and only that one is returned: no handler can act for a person whose session has ended in between (decision
 * 140). Every form of a person is received by this function.
 */
export async function receiveForm<Caller extends Readmittable, Form>(
  request: FastifyRequest,
  admit: () => Promise<Caller>,
  read: (request: FastifyRequest) => Promise<Form>,
): Promise<ReceivedForm<Caller, Form>> {
  const admitted = await admit();
  const form = await read(request);
  return { caller: await admitted.readmit(), form };
}
