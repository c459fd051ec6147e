import { formatUsd, toCanonicalJson } from "../kernel/kernel.js";
import { createAuditLog } from "../operator/operator.js";
import type { Wiring } from "./services.js";

type Noted = Pick<Wiring, "settings" | "catalog" | "store" | "clock">;

/** What the settings say is sold, at which price, to whom it is paid and who may come in: a start that changes it is on the log. */
export async function noteSettings({ settings, catalog, ...deps }: Noted): Promise<void> {
	const { profile, onchain, identity, accounts = "closed", adminFrom = "loopback" } = settings;
	const prices = Object.entries(settings.prices).map(
		([id, { amountMicros }]) => [id, formatUsd(amountMicros)] as const,
	);
	const state = {
		...{ profile, accounts, admin_from: adminFrom, identity_issuer: identity?.issuer ?? null },
		...{ facilitator: originOf(onchain.facilitator), pay_to: onchain.payTo ?? null },
		...{ network: onchain.network ?? null, asset: onchain.asset ?? null },
		unproven_settlements: onchain.trustsFacilitator ? "accept" : "refuse",
		prices: Object.fromEntries(prices),
		graphs: catalog.list().map(({ record }) => record.id),
	};
	const actor = { name: "settings", role: "owner" } as const;
	const change = { actor, command: "serve", target: "settings" };
	await createAuditLog(deps).note(change, toCanonicalJson(state));
}

/** Paths and queries of addresses may hold keys. */
function originOf(address: string | undefined): string | null {
	return address !== undefined && URL.canParse(address)
		? new URL(address).origin
		: (address ?? null);
}
