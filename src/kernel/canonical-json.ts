/** JSON with sorted keys and no white space: equal values give equal text (the subset of RFC 8785 that our inputs use). */
export function toCanonicalJson(value: unknown): string {
	if (Array.isArray(value))
		return `[${value.map((item) => toCanonicalJson(item ?? null)).join(",")}]`;
	if (value !== null && typeof value === "object") {
		const members = Object.entries(value)
			.filter(([, member]) => member !== undefined)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, member]) => `${JSON.stringify(key)}:${toCanonicalJson(member)}`);
		return `{${members.join(",")}}`;
	}
	return JSON.stringify(value) ?? "null";
}
