import { invalidSetting } from "../kernel/kernel.js";

/** Who sells, as invoices say it. */
export interface SellerSettings {
	readonly name: string;
	readonly address: string;
	/** ISO 3166-1 alpha-2. */
	readonly country: string;
	readonly vatId: string;
	/** Hundredths of a percent that the prices include; 0 where no VAT is charged. */
	readonly vatBasisPoints: number;
}

export const SELLER_SETTINGS = {
	seller_name: "Name that invoices are issued under; without one they name no seller.",
	seller_address: "Its address, on one line, with commas.",
	seller_country:
		"Its country, two letters, e.g. `DE`: business customers of other countries account for VAT themselves (reverse charge).",
	seller_vat_id: "Its VAT number.",
	seller_vat_percent:
		"VAT that the prices include, in percent, e.g. `19` or `8.1`; none by default.",
} as const;

/** Undefined where no name is set. Throws INVALID_ARGUMENT. */
export function parseSellerSettings(
	text: (key: keyof typeof SELLER_SETTINGS) => string,
): SellerSettings | undefined {
	const [name, percent, country] = [
		text("seller_name"),
		text("seller_vat_percent"),
		text("seller_country").toUpperCase(),
	];
	if (name === "") {
		const lone = (Object.keys(SELLER_SETTINGS) as (keyof typeof SELLER_SETTINGS)[]).find(
			(key) => text(key) !== "",
		);
		if (lone) throw invalidSetting(`${lone} needs seller_name, the name on invoices.`);
		return undefined;
	}
	if (!/^([A-Z]{2})?$/.test(country))
		throw invalidSetting(`"${country}" is no seller_country; use two letters such as DE.`);
	const match = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(percent || "0");
	if (!match)
		throw invalidSetting(`"${percent}" is no seller_vat_percent; write it like 19 or 8.1.`);
	const [, whole = "0", part = ""] = match;
	return {
		name,
		address: text("seller_address"),
		country,
		vatId: text("seller_vat_id"),
		vatBasisPoints: Number(whole) * 100 + Number(part.padEnd(2, "0")),
	};
}
