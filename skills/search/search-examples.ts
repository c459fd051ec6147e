import type { FiltersWire } from "../../src/contract/contract.js";

/** A question that the sample catalog answers, and what the request asks for beside it and the number of rows. */
export interface SearchExample {
	readonly query: string;
	readonly options?: { readonly filters?: FiltersWire; readonly explain?: boolean };
}

export const DOMAIN_EXAMPLE: SearchExample = {
	query: "Which standard lets a token holder sign a transfer that somebody else submits?",
};
