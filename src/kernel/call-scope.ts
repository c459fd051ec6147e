import { AsyncLocalStorage } from "node:async_hooks";

/** The call or job that work is done for, so that what it takes can be told by it however deep it is spent. */
export interface CallScope {
	/** Of a request, or of a job. */
	readonly id: string;
	readonly operationId: string;
}

const scopes = new AsyncLocalStorage<CallScope>();

/** Runs work for one call; steps of a generator belong to the caller who asks for them. */
export function withinCall<T>(scope: CallScope, work: () => T): T {
	return scopes.run(scope, work);
}

/** Undefined for work that no one called for. */
export function currentCall(): CallScope | undefined {
	return scopes.getStore();
}
