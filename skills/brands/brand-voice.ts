import { sharesOf, wilsonInterval } from "./brand-figures.js";
import type { Brand } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import { countTones, TONE_METHOD, type ToneCount } from "./brand-tone.js";
import { type DatedMention, textsRead } from "./brand-window.js";

/** How much of what is said of some brands is said of each, a mention of two counting for both; greatest first. */
export function shareVoice(
	readings: readonly { readonly brand: Brand; readonly mentions: readonly DatedMention[] }[],
) {
	const counts = readings.map(({ mentions }) => mentions.length);
	const n = counts.reduce((sum, count) => sum + count, 0);
	const shares = sharesOf(counts);
	return readings
		.map(({ brand, mentions }, place) => ({
			brand: brand.key,
			name: brand.name,
			share: shares[place] ?? 0,
			mentions: mentions.length,
			n,
			interval: wilsonInterval(mentions.length, n),
			is_small_sample: n < BRAND_LIMITS.smallSample,
		}))
		.sort((a, b) => b.mentions - a.mentions);
}

/** Of those that are read, the newest. */
export function toneOfMentions(mentions: readonly DatedMention[]) {
	const count = countTones(textsRead(mentions));
	return { ...count, is_small_sample: count.n < BRAND_LIMITS.smallSample, method: TONE_METHOD };
}

/** Counts alone, for stretches and publishers. */
export function toneCounts({ net, positive, neutral, negative, n }: ToneCount) {
	return { net, positive, neutral, negative, n };
}
