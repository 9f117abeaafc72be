/** Thrown for a mistake in the settings or the environment that prevents the start. `message` is printed to the operator without a stack. */
export class SetupError extends Error {}
