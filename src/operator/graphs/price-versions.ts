import { z } from "zod";
import { createPriceList, type SettablePrices } from "../../../payments/payments.js";
import type { PriceVersionRow, Store, StoreReader } from "../../../store/store.js";
import { usdField } from "../../accounts/accounts.js";
import type { PriceBook, PricedOperationId } from "../../contract/contract.js";
import {
	type Clock,
	formatUsd,
	invalidArgument,
	parseUsd,
	toIsoTime,
} from "../../kernel/kernel.js";
import type { Actor } from "../access/audit-log.js";

/** The whole of what differs from the configuration: an operation that is left out costs what that says. */
export const priceCommand = z.strictObject({ prices: z.record(z.string().max(100), usdField) });

interface PriceDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly prices: SettablePrices;
	/** Prices of the configuration file. */
	readonly configured: Partial<PriceBook>;
}

export type PriceVersions = ReturnType<typeof createPriceVersions>;

/** The price book in versions: the latest one counts for new quotes at once, quotes that were made keep their price. */
export function createPriceVersions(deps: PriceDeps) {
	const { store, clock, prices, configured } = deps;
	const base = createPriceList(configured).all();
	const toBook = (row: PriceVersionRow | undefined): Partial<PriceBook> =>
		Object.fromEntries(
			Object.entries(row?.prices ?? {}).flatMap(([id, { amountMicros }]) => {
				const known = base[id as PricedOperationId];
				return known ? [[id, { ...known, amountMicros }]] : [];
			}),
		);
	const read = () => store.read((reader) => reader.list("price_versions"));
	const show = (rows: readonly PriceVersionRow[]) => {
		const latest = rows.at(-1);
		const book = createPriceList({ ...configured, ...toBook(latest) }).all();
		return {
			version: latest?.version ?? 0,
			versions: rows.map(({ version, at, by }) => ({ version, at: toIsoTime(at), by })),
			prices: Object.fromEntries(
				Object.entries(book).map(([id, { amountMicros, billingType }]) => [
					id,
					{
						price_usd: formatUsd(amountMicros),
						configured_usd: formatUsd(base[id as PricedOperationId].amountMicros),
						billing_type: billingType,
						/** Others follow the configuration, or a price that they are derived from. */
						is_set: Object.hasOwn(latest?.prices ?? {}, id),
					},
				]),
			),
		};
	};
	return {
		/** What an earlier process set; to be awaited before anything is sold. */
		load: async () => prices.set({ ...configured, ...toBook((await read()).at(-1)) }),
		getPrices: async () => show(await read()),
		/** Throws INVALID_ARGUMENT for what is not sold. */
		async setPrices(
			request: z.output<typeof priceCommand>,
			_onProgress?: unknown,
			actor: Pick<Actor, "name"> = { name: "program" },
		) {
			const given = Object.entries(request.prices).map(([id, usd]) => {
				if (Object.hasOwn(base, id)) return [id, { amountMicros: parseUsd(usd) }] as const;
				throw invalidArgument(
					`Nothing is sold as "${id.slice(0, 80)}"; GET /v1/admin/prices lists what is.`,
				);
			});
			const set = await store.transaction(async (tx) => {
				const version = (await findNewest(tx)) + 1;
				const row: PriceVersionRow = {
					id: idOf(version),
					version,
					at: clock.now(),
					by: actor.name,
					prices: Object.fromEntries(given),
				};
				await tx.put("price_versions", row);
				await tx.put("counters", { id: COUNTER, value: version });
				return row;
			});
			prices.set({ ...configured, ...toBook(set) });
			const earlier = (await read()).filter(({ version }) => version < set.version);
			return show([...earlier, set]);
		},
	};
}

/** Of the newest version, or one before it. */
const COUNTER = "price_versions";

const idOf = (version: number) => `prv_${String(version).padStart(9, "0")}`;

/** Versions have no gaps; builds that kept no counter wrote some behind it. */
async function findNewest(reader: StoreReader): Promise<number> {
	let version = (await reader.get("counters", COUNTER))?.value ?? 0;
	while (await reader.get("price_versions", idOf(version + 1))) version += 1;
	return version;
}
