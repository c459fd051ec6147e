/** Rows in memory by id, and by the fields they can be searched by. */
export interface HotTable<Row extends { readonly id: string }> {
	readonly rows: ReadonlyMap<string, Row>;
	put(row: Row): void;
	delete(id: string): void;
	/** Ids of the rows whose field equals the value. */
	findBy(index: string, value: unknown): ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function createHotTable<Row extends { readonly id: string }>(
	indexes: readonly (keyof Row & string)[],
	initial: Iterable<Row> = [],
): HotTable<Row> {
	const rows = new Map<string, Row>();
	const idsByField = new Map(
		indexes.map((field) => [field as string, new Map<unknown, Set<string>>()]),
	);

	const unlink = (row: Row) => {
		for (const field of indexes) {
			const idsByValue = idsByField.get(field);
			const ids = idsByValue?.get(row[field]);
			ids?.delete(row.id);
			if (ids?.size === 0) idsByValue?.delete(row[field]);
		}
	};
	const link = (row: Row) => {
		for (const field of indexes) {
			// Nobody asks for the rows that lack a field.
			if (row[field] === undefined) continue;
			const idsByValue = idsByField.get(field);
			const ids = idsByValue?.get(row[field]);
			if (ids) ids.add(row.id);
			else idsByValue?.set(row[field], new Set([row.id]));
		}
	};
	const put = (row: Row) => {
		const earlier = rows.get(row.id);
		if (earlier) unlink(earlier);
		rows.set(row.id, row);
		link(row);
	};

	for (const row of initial) put(row);
	return {
		rows,
		put,
		delete(id) {
			const row = rows.get(id);
			if (!row) return;
			unlink(row);
			rows.delete(id);
		},
		findBy: (index, value) => idsByField.get(index)?.get(value) ?? NONE,
	};
}
