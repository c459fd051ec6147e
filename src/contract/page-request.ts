/** One page of a list that is read back from the books. */
export interface PageRequest {
	readonly limit: number;
	readonly cursor?: string | undefined;
}
