// Best candidates of a scan, in typed arrays that are reused from search to search.

/** Words per candidate: slot, scope, row. */
const [SLOT, SCOPE, ROW, WORDS] = [0, 1, 2, 3];

export class ScanCandidates {
	floor = 0;
	size = 0;
	#wanted = 0;
	#scores = new Float32Array(0);
	#places = new Uint32Array(0);

	reset(wanted, floor = Number.NEGATIVE_INFINITY) {
		this.#wanted = wanted;
		this.size = 0;
		this.floor = floor;
		if (this.#scores.length >= 2 * wanted) return;
		this.#scores = new Float32Array(2 * wanted);
		this.#places = new Uint32Array(WORDS * 2 * wanted);
	}

	offer(slot, score, scope, row) {
		const last = this.size - 1;
		if (last >= 0 && this.#places[WORDS * last + SLOT] === slot) {
			if (score <= this.#scores[last]) return;
			this.#scores[last] = score;
			this.#places[WORDS * last + ROW] = row;
			return;
		}
		if (this.size === 2 * this.#wanted && score <= this.cutFloor()) return;
		const at = this.size++;
		this.#scores[at] = score;
		this.#places[WORDS * at + SLOT] = slot;
		this.#places[WORDS * at + SCOPE] = scope;
		this.#places[WORDS * at + ROW] = row;
	}

	/** Hoare's selection: narrows the range in which the last of the best lies. */
	keep(count) {
		let left = 0;
		let right = this.size - 1;
		while (this.size > count && left < right) {
			const [low, high] = this.#partition(left, right);
			if (count - 1 <= high) right = high;
			else if (count - 1 >= low) left = low;
			else break;
		}
		this.size = Math.min(this.size, count);
	}

	cutFloor() {
		if (this.size < this.#wanted) return this.floor;
		this.keep(this.#wanted);
		let weakest = Number.POSITIVE_INFINITY;
		for (let at = 0; at < this.size; at++) weakest = Math.min(weakest, this.#scores[at]);
		this.floor = weakest;
		return weakest;
	}

	each(visit) {
		const places = this.#places;
		for (let at = 0; at < this.size; at++) {
			const from = WORDS * at;
			visit(places[from + SLOT], places[from + SCOPE], places[from + ROW]);
		}
	}

	rescore(scoreOf) {
		const places = this.#places;
		for (let at = 0; at < this.size; at++) {
			const from = WORDS * at;
			this.#scores[at] = scoreOf(places[from + SLOT], places[from + SCOPE], places[from + ROW]);
		}
	}

	take(count) {
		this.keep(count);
		this.#sort(0, this.size - 1);
		let size = this.size;
		while (size > 0 && this.#scores[size - 1] <= 0) size--;
		const slots = new Array(size);
		for (let at = 0; at < size; at++) slots[at] = this.#places[WORDS * at + SLOT];
		return { slots, cosines: this.#scores.slice(0, size) };
	}

	/** Best first; equal ones by slot. */
	#sort(left, right) {
		if (left >= right) return;
		const [low, high] = this.#partition(left, right);
		this.#sort(left, high);
		this.#sort(low, right);
	}

	/** Better ones go left, weaker ones right; what lies between the returned ends is as good as the middle was. */
	#partition(left, right) {
		const scores = this.#scores;
		const places = this.#places;
		const middle = (left + right) >>> 1;
		const score = scores[middle];
		const slot = places[WORDS * middle];
		/** Below zero when the middle is better than the one at `other`: a higher score, or the lower slot. */
		const compare = (other) => scores[other] - score || slot - places[WORDS * other];
		let low = left;
		let high = right;
		while (low <= high) {
			while (compare(low) > 0) low++;
			while (compare(high) < 0) high--;
			if (low <= high) swap(scores, places, low++, high--);
		}
		return [low, high];
	}
}

function swap(scores, places, one, other) {
	const score = scores[one];
	scores[one] = scores[other];
	scores[other] = score;
	for (let from = WORDS * one, to = WORDS * other; from < WORDS * (one + 1); from++, to++) {
		const place = places[from];
		places[from] = places[to];
		places[to] = place;
	}
}
