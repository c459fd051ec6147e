import type {
	InvoiceParty,
	InvoiceRow,
	ReceiptRow,
	Store,
	StoreTransaction,
} from "../../store/store.js";
import { type AccountAccess, createBoundedWork, LIMITS } from "../contract/contract.js";
import { type Clock, type Ids, notFound, toIsoMonth } from "../kernel/kernel.js";
import { requireManager } from "./account-keys.js";
import type { AccountProfiles } from "./account-profiles.js";
import { getAccount, gone } from "./account-usage.js";
import { toInvoiceFile } from "./invoice-file.js";
import { vatByRate } from "./invoice-vat.js";
import { type InvoiceFormat, toInvoiceItem, toInvoiceWire } from "./invoice-wire.js";

/** Monthly invoices: what the books say that an account was charged, and what went back to it. */

export interface InvoiceServices {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly profiles: Pick<AccountProfiles, "get">;
	/** Who issues them, with the VAT that its prices include; null where no one is named. */
	readonly seller: Seller | null;
}

export interface Seller extends InvoiceParty {
	readonly vatBasisPoints: number;
}

const PAGE = 200;
/** A capture on its way when a month ends is in the books well before this is over. */
const CLOSING_MS = 3_600_000;
const COUNTER = "invoices";

export function createInvoices(deps: InvoiceServices) {
	const { store } = deps;
	const journalReads = createBoundedWork({
		running: LIMITS.journalReadsRunning,
		waiting: LIMITS.journalReadsWaiting,
	});
	const find = async (access: AccountAccess, id: string): Promise<InvoiceRow> => {
		requireManager(access);
		const row = await store.read((reader) => reader.get("invoices", id));
		if (row?.accountId === access.accountId) return row;
		throw notFound(`No invoice "${id.slice(0, 40)}" is this account's.`);
	};
	return {
		/** Newest first; months that are over and have none yet get theirs now. Throws RATE_LIMITED while too many read the books. */
		async accountInvoices(access: AccountAccess, signal: AbortSignal) {
			requireManager(access);
			const { accountId } = access;
			await journalReads(() => issueDue(deps, accountId, signal), signal);
			const rows = await store.read((reader) => reader.findBy("invoices", "accountId", accountId));
			return { items: rows.map(toInvoiceItem).sort((a, b) => (a.month < b.month ? 1 : -1)) };
		},
		accountInvoice: async (access: AccountAccess, id: string) =>
			toInvoiceWire(await find(access, id)),
		accountInvoiceFile: async (access: AccountAccess, id: string, format: InvoiceFormat) => {
			const row = await find(access, id);
			return toInvoiceFile(row, toInvoiceWire(row), format);
		},
	};
}

/** What a month of the books comes to. */
interface Month {
	readonly lines: Map<string, { operationId: string; calls: number; amountMicros: bigint }>;
	readonly credits: Credit[];
}

/** What went back, and the month whose invoice charged it. */
type Credit = Pick<
	InvoiceRow["credits"][number],
	"refundId" | "receiptId" | "at" | "amountMicros"
> & {
	readonly chargedMonth: string | undefined;
};

/** Issues what is due, oldest month first: numbers are taken in the transaction that writes the invoice, so none is left out. */
async function issueDue(deps: InvoiceServices, accountId: string, signal: AbortSignal) {
	const { store, clock, profiles, seller } = deps;
	const account = await getAccount(store, accountId);
	const { invoicedMonth, createdAt } = account;
	const from = invoicedMonth ? monthAfter(invoicedMonth) : toIsoMonth(createdAt);
	const until = toIsoMonth(clock.now() - CLOSING_MS);
	if (from >= until) return;
	const months = await readMonths(deps, { accountId, from, until, signal });
	const { billing } = await profiles.get(accountId);
	await store.transaction(async (tx) => {
		const now = await tx.get("accounts", accountId);
		if (!now || now.closedAt !== undefined) throw gone();
		// Another one has issued them meanwhile.
		if (now.invoicedMonth !== invoicedMonth) return;
		for (const month of [...months.keys()].sort()) {
			const sums = months.get(month);
			if (sums)
				await issue(deps, tx, { accountId, month, sums, customer: billing ?? null, seller });
		}
		await tx.put("accounts", { ...now, invoicedMonth: monthBefore(until) });
	});
}

async function readMonths(
	{ store }: InvoiceServices,
	span: { accountId: string; from: string; until: string; signal: AbortSignal },
): Promise<ReadonlyMap<string, Month>> {
	const { accountId, from, until, signal } = span;
	const months = new Map<string, Month>();
	const monthOf = (at: number): Month | undefined => {
		const name = toIsoMonth(at);
		if (name < from || name >= until) return undefined;
		const month = months.get(name) ?? { lines: new Map(), credits: [] };
		months.set(name, month);
		return month;
	};
	for await (const receipt of receiptsSince(store, { accountId, since: startOf(from), signal })) {
		if (receipt.amountMicros > 0n) addLine(monthOf(receipt.at), receipt);
	}
	const refunds = await store.read((reader) => reader.list("refunds"));
	for (const { id, ref, owner, createdAt: at, amountMicros } of refunds) {
		const month = owner === accountId ? monthOf(at) : undefined;
		if (!month) continue;
		const receipt = await store.read((reader) => reader.get("receipts", ref));
		const chargedMonth = receipt && toIsoMonth(receipt.at);
		month.credits.push({ refundId: id, receiptId: ref, at, amountMicros, chargedMonth });
	}
	return months;
}

async function* receiptsSince(
	store: Store,
	{ accountId, since, signal }: { accountId: string; since: number; signal: AbortSignal },
): AsyncGenerator<ReceiptRow> {
	let cursor: string | undefined;
	do {
		signal.throwIfAborted();
		const page = await store.receipts(accountId, { limit: PAGE, cursor, since });
		yield* page.receipts;
		cursor = page.next;
	} while (cursor !== undefined);
}

function addLine(month: Month | undefined, { operationId, amountMicros }: ReceiptRow): void {
	const line = month?.lines.get(operationId) ?? { operationId, calls: 0, amountMicros: 0n };
	line.calls += 1;
	line.amountMicros += amountMicros;
	month?.lines.set(operationId, line);
}

interface Issue {
	readonly accountId: string;
	readonly month: string;
	readonly sums: Month;
	readonly customer: InvoiceParty | null;
	readonly seller: Seller | null;
}

async function issue(
	{ clock, ids }: InvoiceServices,
	tx: StoreTransaction,
	{ accountId, month, sums, customer, seller }: Issue,
): Promise<void> {
	const number = ((await tx.get("counters", COUNTER))?.value ?? 0) + 1;
	const lines = [...sums.lines.values()].sort((a, b) => (a.operationId < b.operationId ? -1 : 1));
	const terms = termsOf(seller, customer);
	const credits = await withTerms(tx, sums.credits, { accountId, month, terms });
	// A month of credits alone goes by the terms on which their calls were charged.
	const [first] = lines.length > 0 ? [] : credits;
	const { vatBasisPoints, isReverseCharge } = first ?? terms;
	const rates = vatByRate({ lines, credits, vatBasisPoints });
	await tx.put("counters", { id: COUNTER, value: number });
	await tx.put("invoices", {
		id: ids.next("inv"),
		...{ accountId, number, month, lines, credits, customer, vatBasisPoints, isReverseCharge },
		issuedAt: clock.now(),
		totalMicros: rates.reduce((sum, { grossMicros }) => sum + grossMicros, 0n),
		vatMicros: rates.reduce((sum, { vatMicros }) => sum + vatMicros, 0n),
		seller: seller && partyOf(seller),
	});
}

type VatTerms = Pick<InvoiceRow, "vatBasisPoints" | "isReverseCharge">;

function termsOf(seller: Seller | null, customer: InvoiceParty | null): VatTerms {
	const isReverseCharge = owesVatItself(seller, customer);
	return { isReverseCharge, vatBasisPoints: isReverseCharge ? 0 : (seller?.vatBasisPoints ?? 0) };
}

/** What goes back has the VAT with which it was charged, whatever applies since. */
async function withTerms(
	tx: StoreTransaction,
	credits: readonly Credit[],
	{ accountId, month, terms }: { accountId: string; month: string; terms: VatTerms },
): Promise<InvoiceRow["credits"]> {
	const issued = await tx.findBy("invoices", "accountId", accountId);
	return credits.map(({ chargedMonth, ...credit }) => {
		const charged = issued.find((row) => row.month === chargedMonth && row.month !== month);
		const { vatBasisPoints, isReverseCharge } = charged ?? terms;
		return { ...credit, vatBasisPoints, isReverseCharge };
	});
}

/** A business of another country, as its VAT number says. */
function owesVatItself(seller: Seller | null, customer: InvoiceParty | null): boolean {
	if (!seller || !customer || customer.vatId === "" || customer.country === "") return false;
	return seller.country !== "" && seller.country !== customer.country;
}

function partyOf({ name, address, country, vatId }: InvoiceParty): InvoiceParty {
	return { name, address, country, vatId };
}

const startOf = (month: string) => Date.parse(`${month}-01T00:00:00Z`);

function monthAfter(month: string, months = 1): string {
	const date = new Date(startOf(month));
	return toIsoMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months));
}

const monthBefore = (month: string) => monthAfter(month, -1);
