import type { IncomingMessage } from "node:http";
import { invalidInput } from "../contract/contract.js";

/** The query as a flat record of strings. Throws INVALID_ARGUMENT when a name comes twice: which one counts would be a guess. */
export function readQuery({ url = "" }: IncomingMessage): Readonly<Record<string, string>> {
	const start = url.indexOf("?");
	// No prototype, so that a parameter called "__proto__" is a key like any other and refused as unknown.
	const query: Record<string, string> = Object.create(null);
	if (start < 0) return query;
	for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
		if (Object.hasOwn(query, name)) {
			throw invalidInput([{ path: name.slice(0, 80), message: "was sent more than once" }]);
		}
		query[name] = value;
	}
	return query;
}
