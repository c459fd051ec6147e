import { readCursor, toCursor } from "../../src/contract/contract.js";

/** Which page of which list: the key behind which it begins. */
export function toPage<Asked extends { readonly cursor?: string | undefined; limit: number }>(
	list: string,
	{ cursor, limit: _, ...asked }: Asked,
	keyLength: number,
) {
	const identity = { list, asked };
	return {
		after: cursor === undefined ? undefined : readCursor(cursor, identity, keyLength),
		/** The cursor behind the page's last item; null when nothing comes after it. */
		next: (hasMore: boolean, key: readonly string[] | undefined) =>
			hasMore && key ? toCursor(identity, key) : null,
	};
}
