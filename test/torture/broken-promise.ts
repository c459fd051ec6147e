/** The server broke a promise: what the simulation looks for. */
export class BrokenPromise extends Error {}
