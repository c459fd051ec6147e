const ROUNDS = 24;
/** Block of Keccak-256: 1600 bits of state less twice the 256 of the digest. */
const RATE_BYTES = 136;
const DIGEST_BYTES = 32;
const LANE_BYTES = 8;
const MASK = (1n << 64n) - 1n;

const [ROTATIONS, TARGETS] = rotationTable();
const ROUND_CONSTANTS = roundConstants();

/**
 * Keccak-256 as Ethereum uses it (padding 0x01), as 0x-prefixed hex. Written out because node:crypto knows only SHA-3,
 * and the library that has it is not to be loaded for one short text.
 */
export function keccak256(text: string): string {
	const bytes = Buffer.from(text, "utf8");
	const blocks = Math.floor(bytes.length / RATE_BYTES) + 1;
	const padded = Buffer.alloc(blocks * RATE_BYTES);
	bytes.copy(padded);
	padded[bytes.length] = 0x01;
	padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;

	let state = new Array<bigint>(25).fill(0n);
	for (let offset = 0; offset < padded.length; offset += RATE_BYTES) {
		for (let lane = 0; lane < RATE_BYTES / LANE_BYTES; lane++) {
			state[lane] = at(state, lane) ^ padded.readBigUInt64LE(offset + lane * LANE_BYTES);
		}
		state = permute(state);
	}
	const digest = Buffer.alloc(DIGEST_BYTES);
	for (let lane = 0; lane < DIGEST_BYTES / LANE_BYTES; lane++) {
		digest.writeBigUInt64LE(at(state, lane), lane * LANE_BYTES);
	}
	return `0x${digest.toString("hex")}`;
}

/** Keccak-f[1600], the steps θ, ρ, π, χ and ι of FIPS 202; lane (x, y) lies at x + 5y. */
function permute(input: readonly bigint[]): bigint[] {
	let state = [...input];
	for (const constant of ROUND_CONSTANTS) {
		const columns = [0, 1, 2, 3, 4].map((x) =>
			[0, 5, 10, 15, 20].reduce((sum, y) => sum ^ at(state, x + y), 0n),
		);
		const moved = new Array<bigint>(25).fill(0n);
		state.forEach((lane, index) => {
			const x = index % 5;
			const theta = at(columns, (x + 4) % 5) ^ rotate(at(columns, (x + 1) % 5), 1);
			moved[TARGETS[index] ?? 0] = rotate(lane ^ theta, ROTATIONS[index] ?? 0);
		});
		state = moved.map((lane, index) => {
			const row = index - (index % 5);
			const next = at(moved, row + ((index + 1) % 5));
			return lane ^ (~next & MASK & at(moved, row + ((index + 2) % 5)));
		});
		state[0] = at(state, 0) ^ constant;
	}
	return state;
}

/** ρ and π: how far each lane turns, and where it goes. */
function rotationTable(): [number[], number[]] {
	const rotations = new Array<number>(25).fill(0);
	const targets = Array.from({ length: 25 }, (_, index) => {
		const [x, y] = [index % 5, Math.floor(index / 5)];
		return y + 5 * ((2 * x + 3 * y) % 5);
	});
	let [x, y] = [1, 0];
	for (let step = 0; step < ROUNDS; step++) {
		rotations[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64;
		[x, y] = [y, (2 * x + 3 * y) % 5];
	}
	return [rotations, targets];
}

/** ι: one constant a round, from the linear feedback shift register of FIPS 202. */
function roundConstants(): bigint[] {
	let register = 1;
	return Array.from({ length: ROUNDS }, () => {
		let constant = 0n;
		for (let bit = 0; bit <= 6; bit++) {
			if (register & 1) constant |= 1n << ((1n << BigInt(bit)) - 1n);
			register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
		}
		return constant;
	});
}

function rotate(lane: bigint, by: number): bigint {
	return ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & MASK;
}

function at(lanes: readonly bigint[], index: number): bigint {
	return lanes[index] ?? 0n;
}
