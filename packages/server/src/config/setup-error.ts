/** A mistake in the settings or the surroundings that stops the start. `message` tells an operator what to do, without a stack. */
export class SetupError extends Error {}
