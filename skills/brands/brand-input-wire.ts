import { z } from "zod";
import { dayField, EVIDENCE_LIMITS } from "../../src/contract/contract.js";
import { BRAND_LIMITS } from "./brand-limits.js";

/** What is asked of brands: which ones, over which days. */

const { brandChars } = EVIDENCE_LIMITS;

export const brandField = z
	.string()
	.trim()
	.min(1, "must not be empty")
	.max(brandChars, `must have at most ${brandChars} characters`)
	.describe("A brand's key, name, other name, domain or ticker symbol");

const SPAN = /^(?:[1-9]\d{0,4}d|[1-9]\d{0,3}w|[1-9]\d{0,2}m|[1-9]\d?y)$/;

const spanField = z
	.string()
	.regex(SPAN, "must be a number of days, weeks, months or years, such as 90d, 12w, 6m or 2y")
	.describe("Up to and with today, such as 90d, 12w, 6m (of 30 days) or 2y (of 365)");

const daysFields = {
	from: dayField.describe("First day").optional(),
	to: dayField.describe("Last day, today by default").optional(),
};
const inOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
	from === undefined || to === undefined || from <= to;
const ORDER = "must not begin after it ends";

const windowField = z
	.union([spanField, z.strictObject(daysFields).refine(inOrder, ORDER)])
	.describe("Days of publication that count; all up to today by default");

export const windowQueryFields = { window: spanField.optional(), ...daysFields };

interface WindowQuery {
	readonly window?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

/** Beside the fields themselves: the days in order, and either a span or days. */
export const checkWindow = <T extends z.ZodType<WindowQuery>>(schema: T) =>
	schema
		.refine(inOrder, { message: ORDER, path: ["from"] })
		.refine(({ window, from, to }) => window === undefined || (from ?? to) === undefined, {
			message: 'send either "window" or "from" and "to"',
			path: ["window"],
		});

const brandsField = (least: number, most: number) =>
	z
		.array(brandField)
		.min(least, `must list at least ${least} brands`)
		.max(most, `must list at most ${most} brands`);

export const intelligenceFields = {
	window: windowField.optional(),
	compare_with: brandsField(1, BRAND_LIMITS.compareWithMax)
		.describe("Brands to share the voice with; by default those most named in the same graphs")
		.optional(),
};
export const intelligenceInput = z.strictObject({ brand: brandField, ...intelligenceFields });

export const brandReadingInput = checkWindow(
	z.strictObject({ brand: brandField, ...windowQueryFields }),
);
export const bucketField = z
	.enum(["day", "month", "quarter", "year"], "must be one of day, month, quarter, year")
	.describe("Length of a stretch; chosen by the window when absent");
export const brandTimelineInput = checkWindow(
	z.strictObject({ brand: brandField, ...windowQueryFields, bucket: bucketField.optional() }),
);

export const compareFields = {
	brands: brandsField(2, BRAND_LIMITS.comparedMax),
	window: windowField.optional(),
};
export const compareInput = z.strictObject(compareFields);
