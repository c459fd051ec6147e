const texts = new WeakMap<object, Uint8Array>();

/** Says that this is the JSON of an object that never changes, as UTF-8: transports send it as it stands, a copy for nobody. */
export function shareJson<T extends object>(value: T, json: Uint8Array): T {
	texts.set(value, json);
	return value;
}

export function sharedJsonOf(value: unknown): Uint8Array | undefined {
	return typeof value === "object" && value !== null ? texts.get(value) : undefined;
}
