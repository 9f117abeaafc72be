/** Thrown if the service cannot start because of its settings or environment. `message` is printed to the operator without a stack. */
export class SetupError extends Error {}
