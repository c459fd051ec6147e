/** Waits until it is ended; what watches it sees the machine alone. */
setInterval(() => undefined, 1_000);
